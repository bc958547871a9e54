/** Deletes one thing from the service: says what it is, asks, and looks again whether it may go. */
import { EXIT } from './exit-code.js';
import type { Invocation } from './command.js';
import type { Ask } from './input/confirm.js';
import { printAnswer } from './output/print-answer.js';
import type { deletionSettings } from '../config/service-command-settings.js';

interface Deletion {
  readonly id: string;
  /** Undefined with `--yes`. */
  readonly ask: Ask | undefined;
  /** What goes, as a phrase. */
  readonly describe: () => Promise<string>;
  /** Says so where something keeps it. Called again after the answer. */
  readonly isHeld?: () => Promise<boolean>;
  readonly remove: () => Promise<unknown>;
}

/** Resolves with the exit code. */
export async function deleteOne(
  invocation: Pick<Invocation<typeof deletionSettings>, 'settings' | 'terminal'>,
  { id, ask, describe, isHeld = () => Promise.resolve(false), remove }: Deletion,
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
  printAnswer(invocation, { id, deleted: true }, () => `Deleted ${id}.\n`);
  return EXIT.complete;
}
