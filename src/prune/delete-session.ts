/** One deletion: the intent, the DELETE, and a look at what came of it. Never called off in the middle. */
import { messageOf } from '../base/error.js';
import { redactText } from '../base/redact.js';
import type { RunId } from '../model/ids.js';
import { NotFoundError } from '../service/errors/not-found-error.js';
import { ServiceError } from '../service/errors/service-error.js';
import type { ArchivedSession } from './archived-session.js';
import type { DeletionOutcome } from './deletion-log.js';
import type { Intent, Intents } from './intents.js';
import { refusal, type Refusal } from './refusal.js';
import type { ServiceLook } from './service-look.js';

export type DeletionResult =
  | { readonly outcome: DeletionOutcome; readonly intent: Intent }
  /** `error` is what the service answered, where it did not do as it was told. */
  | { readonly refusal: Refusal; readonly error: unknown };

export interface DeletionTools {
  readonly run: RunId;
  readonly look: ServiceLook;
  readonly intents: Intents;
}

/** @throws {StorageError} the intent cannot be written: nothing was sent */
export async function deleteSession(
  { run, look, intents }: DeletionTools,
  archived: ArchivedSession,
): Promise<DeletionResult> {
  const intent = await intents.write(run, archived);
  let failure: unknown;
  try {
    await look.service.deleteSession({ userId: archived.user, sessionId: archived.session });
  } catch (error) {
    failure = error;
  }
  let isGone: boolean;
  try {
    isGone = await look.isGone(archived);
  } catch (error) {
    const told = redactText(messageOf(error));
    const detail = `whether it is gone could not be read (${told}): the next prune finds out`;
    return { refusal: refusal('unconfirmed', detail), error };
  }
  if (isGone) {
    // the client takes a 300003 that follows an unclear answer to its own DELETE for success
    const isOurs = !(failure instanceof NotFoundError);
    return { outcome: isOurs ? 'confirmed' : 'gone-by-another-hand', intent };
  }
  // a DELETE whose answer was lost may still be under way: then the intent stays for the next run
  if (isSurelyUndone(failure)) await intents.remove(intent);
  const told = failure === undefined ? 'the service says done' : redactText(messageOf(failure));
  const detail = `it is still there after the DELETE (${told})`;
  return { refusal: refusal('still-there', detail), error: failure };
}

function isSurelyUndone(failure: unknown): boolean {
  return failure instanceof ServiceError && !failure.mayHaveHappened;
}
