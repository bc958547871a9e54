/** Deletes one thing from the service: says what it is, asks, looks again whether it may go, and then whether it is gone. */
import { messageOf } from '../base/error.js';
import { EXIT } from './exit-code.js';
import type { CommandResult, Invocation } from './command.js';
import type { Ask } from './input/confirm.js';
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
  /** What keeps it; undefined if nothing does. Called again after the answer. */
  readonly whyHeld?: () => Promise<string | undefined>;
  readonly remove: () => Promise<unknown>;
  /** Reads it once more. @throws {NotFoundError} it is gone */
  readonly find: () => Promise<unknown>;
}

export async function deleteOne(
  invocation: Pick<Invocation<typeof deletionSettings>, 'settings'>,
  { id, ask, describe, whyHeld = () => Promise.resolve(undefined), remove, find }: Deletion,
): Promise<CommandResult> {
  const { settings } = invocation;
  const held = await whyHeld();
  if (held !== undefined) return notDeleted(held);
  if (settings.dryRun) {
    const what = await describe();
    return {
      value: { id, deleted: false },
      view: {
        headline: `Plan, nothing is deleted: ${what}`,
        lines: ['', 'To delete, run it without --dry-run.'],
      },
    };
  }
  if (ask) {
    if (!(await ask(() => ({}), `Delete ${await describe()}? This cannot be undone.`))) {
      return { exitCode: EXIT.refused, note: 'Nothing was deleted.' };
    }
    // a hold may have come while somebody was asked
    const heldNow = await whyHeld();
    if (heldNow !== undefined) return notDeleted(heldNow);
  }
  const failure = await failureTo(remove);
  // the answer to the DELETE is not believed
  if (!(await isGone(id, find))) {
    if (failure) throw failure;
    const note = `Not deleted: ${id} is still there, though the service says done.\n`;
    return { exitCode: EXIT.refused, value: { id, deleted: false }, note };
  }
  return { value: { id, deleted: true }, view: { headline: `Deleted ${id}.` } };
}

function notDeleted(held: string): CommandResult {
  return { exitCode: EXIT.refused, note: `Nothing was deleted: ${held}.` };
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
