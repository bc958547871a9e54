/** Reads which sessions runs are about to delete from the service, as their intents say (I-38 in FORMAT.md). */
import { parseJson } from '../base/text/parse-json.js';
import { asRunId, type RunId } from '../model/ids.js';
import { ObjectNotFoundError } from '../storage/storage-errors.js';
import type { Storage } from '../storage/storage.js';
import type { Archive } from './archive.js';
import { Holds } from './holds.js';
import { HeldSessions } from './held-sessions.js';
import { INTENTS_PREFIX, isIntentPath, runLeasePath, runOfLease } from './paths.js';
import { mayBeAtWork } from './runs/lease.js';

export interface WrittenIntent {
  readonly path: string;
  readonly run: RunId | undefined;
  /** As it stands there; undefined where the intent does not read as one: it may be about anybody. */
  readonly of: { readonly user: unknown; readonly session: unknown } | undefined;
}

export async function* writtenIntents(
  storage: Pick<Storage, 'list' | 'get'>,
): AsyncGenerator<WrittenIntent> {
  for await (const { path } of storage.list(INTENTS_PREFIX)) {
    if (!isIntentPath(path)) continue;
    try {
      const text = Buffer.from(await storage.get(path)).toString();
      const { run, user, session } = Object(parseJson(text)) as Record<string, unknown>;
      const by = typeof run === 'string' ? runOfLease(runLeasePath(asRunId(run))) : undefined;
      yield { path, run: by, of: { user, session } };
    } catch (error) {
      if (error instanceof ObjectNotFoundError) continue;
      if (!(error instanceof SyntaxError)) throw error;
      yield { path, run: undefined, of: undefined };
    }
  }
}

const TOO_LATE =
  'was about to be deleted from the service when the hold was set, which may have come too late: look whether it is still there';

/**
 * Tells of held sessions that a run may be deleting right now. Called after the commit of a hold: a prune reads the log
 * after it has written its intent, so either it sees the hold, or the intent is seen here.
 */
export async function tellOfDeletions(archive: Archive): Promise<void> {
  const { storage, logger } = archive;
  let holds: Holds | undefined;
  for await (const { run, of } of writtenIntents(storage)) {
    if (run === undefined || !of || !(await mayBeAtWork(run, archive))) continue;
    const { user, session } = { user: String(of.user), session: String(of.session) };
    holds ??= await new HeldSessions(archive, Holds.none).now();
    if (holds.reasonFor(user, session) === undefined) continue;
    logger.warn({ user, session, run }, `session ${JSON.stringify(session)} ${TOO_LATE}`);
  }
}
