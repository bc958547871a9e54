/** Deletes one thing from the service: says what it is, asks, looks again whether it may go, and then whether it is gone. */
import { messageOf } from '../base/error.js';
import { EXIT } from './exit-code.js';
import type { Invocation } from './command.js';
import type { Ask } from './input/confirm.js';
import { printAnswer } from './output/send.js';
import {
  NotFoundError,
  ServiceError,
  StaleAnswerError,
  UnknownOutcomeError,
} from '../service/service-errors.js';
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
  const failure = await failureTo(remove);
  // the answer to the DELETE is not believed
  if (!(await isGone(id, find))) {
    if (failure) throw failure;
    terminal.stderr.write(`Not deleted: ${id} is still there, though the service says done.\n`);
    printAnswer(invocation, { id, deleted: false }, () => '');
    return EXIT.refused;
  }
  printAnswer(invocation, { id, deleted: true }, () => `Deleted ${id}.\n`);
  return EXIT.complete;
}

/**
 * The answer that does not say whether the DELETE was carried out; undefined where it says so.
 *
 * @throws what says that it was not
 */
async function failureTo(remove: Deletion['remove']): Promise<ServiceError | undefined> {
  try {
    await remove();
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError && error.mayHaveHappened) return error;
    throw error;
  }
}

/** @throws {UnknownOutcomeError} it was not the service that answered, or it says neither this nor that */
async function isGone(id: string, find: Deletion['find']): Promise<boolean> {
  try {
    await find();
    return false;
  } catch (error) {
    if (!(error instanceof NotFoundError)) {
      throw new UnknownOutcomeError(id, messageOf(error), error);
    }
    const { stale } = error;
    if (stale === undefined) return true;
    const how = `a cache said so from its memory (${stale})`;
    throw new UnknownOutcomeError(id, how, new StaleAnswerError(how));
  }
}
