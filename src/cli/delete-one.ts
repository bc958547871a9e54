/** Deletes one thing from the service: says what it is, asks, looks again whether it may go, and then whether it is gone. */
import { EXIT } from './exit-code.js';
import type { Invocation } from './command.js';
import type { Ask } from './input/confirm.js';
import { printAnswer } from './output/print-answer.js';
import { NotFoundError, StaleAnswerError } from '../service/service-errors.js';
import type { deletionSettings } from '../config/service-command-settings.js';

interface Deletion {
  readonly id: string;
  /** Undefined with `--dry-run`. */
  readonly ask: Ask | undefined;
  /** What goes, as a phrase. */
  readonly describe: () => Promise<string>;
  /** Says so where something keeps it. Called again after the answer. */
  readonly isHeld?: () => Promise<boolean>;
  readonly remove: () => Promise<unknown>;
  /** Reads it once more. @throws {NotFoundError} it is gone */
  readonly find: () => Promise<unknown>;
}

/** Resolves with the exit code. */
export async function deleteOne(
  invocation: Pick<Invocation<typeof deletionSettings>, 'settings' | 'terminal'>,
  { id, ask, describe, isHeld = () => Promise.resolve(false), remove, find }: Deletion,
): Promise<number> {
  const { settings, terminal } = invocation;
  if (await isHeld()) return EXIT.refused;
  if (settings.dryRun) {
    const what = await describe();
    const text = `Plan, nothing is deleted: ${what}\n\nTo delete, run it without --dry-run.\n`;
    printAnswer(invocation, { id, deleted: false }, () => text);
    return EXIT.complete;
  }
  if (ask) {
    if (!(await ask('', `Delete ${await describe()}? This cannot be undone.`))) {
      terminal.stderr.write('Nothing was deleted.\n');
      return EXIT.refused;
    }
    // a hold may have come while somebody was asked
    if (await isHeld()) return EXIT.refused;
  }
  await remove();
  // the answer to the DELETE is not believed
  if (!(await isGone(id, find))) {
    terminal.stderr.write(`Not deleted: ${id} is still there, though the service says done.\n`);
    printAnswer(invocation, { id, deleted: false }, () => '');
    return EXIT.refused;
  }
  printAnswer(invocation, { id, deleted: true }, () => `Deleted ${id}.\n`);
  return EXIT.complete;
}

/** @throws {StaleAnswerError} a cache says that there is no such thing: that proves nothing */
async function isGone(id: string, find: Deletion['find']): Promise<boolean> {
  try {
    await find();
    return false;
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    if (error.stale === undefined) return true;
    const how = `a cache said so from its memory (${error.stale})`;
    throw new StaleAnswerError(
      `the DELETE of ${id} was answered; whether it is gone is not known: ${how}`,
    );
  }
}
