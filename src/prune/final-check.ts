/**
 * The final check right before a DELETE: reads the session itself, then its whole history. In this order, because a
 * question matters more than a name: the last request before the DELETE is the end of the history.
 */
import type { ArchivedSession } from '../archive/state/archived-session.js';
import { sessionRowHash } from '../flatten/content-hash.js';
import type { SessionRecord, Verbatim } from '../model/records.js';
import type { RequestBatch } from '../service/service-client.js';
import { staleText } from '../service/service-errors.js';
import { refusal, type PruneRefusal } from './refusal.js';
import type { ServiceView } from './service-view.js';

export interface FinalCheckTools {
  readonly view: ServiceView;
  /** Asked at the same time as the service is asked for the end of the history. */
  readonly conflictOf: (archived: ArchivedSession) => Promise<PruneRefusal | undefined>;
  /** The session as this run's listing has it. */
  readonly listed: Verbatim<SessionRecord> | undefined;
}

export interface FinalCheck {
  /** Why the session may not go; undefined where it is exactly what is archived. */
  readonly refusal: PruneRefusal | undefined;
  /** Requests for the history. */
  readonly pages: number;
  /** When the end of the history was asked for, on the monotonic clock: what came later is not in it. */
  readonly lastPageAskedAtMs: number;
}

/**
 * @param expectedPages of the history; with more, no DELETE follows, but another final check
 * @throws {ServiceError}
 */
export async function finalCheck(
  { view, conflictOf, listed }: FinalCheckTools,
  together: RequestBatch,
  archived: ArchivedSession,
  expectedPages: number,
): Promise<FinalCheck> {
  const { user: userId, session: sessionId } = archived;
  let [pages, lastPageAskedAtMs] = [0, Number.NEGATIVE_INFINITY];
  const record = await together.getSession({ userId, sessionId, signal: view.signal });
  const { stale } = record.served;
  const changed =
    stale === undefined
      ? changeOfSession(archived, record, listed)
      : refusal('unproven', staleText(sessionId, stale));
  if (changed) return { refusal: changed, pages, lastPageAskedAtMs };
  let conflict: ReturnType<typeof conflictOf> | undefined;
  const history: Pick<RequestBatch, 'getHistory'> = {
    async getHistory(request) {
      if (++pages >= expectedPages) conflict ??= conflictOf(archived);
      conflict?.catch(() => undefined); // thrown at the await
      const page = await together.getHistory(request);
      lastPageAskedAtMs = page.served.sentAtMonotonicMs;
      return page;
    },
  };
  const grown = await view.changeOf(archived, history);
  return { refusal: grown ?? (await (conflict ?? conflictOf(archived))), pages, lastPageAskedAtMs };
}

function changeOfSession(
  { state }: ArchivedSession,
  record: Verbatim<SessionRecord>,
  listed: Verbatim<SessionRecord> | undefined,
): PruneRefusal | undefined {
  if (sessionRowHash(record, state.jobs.size, state.complete) === state.metaHash) return undefined;
  const fields = listed ? differingFields(listed.value, record.value) : [];
  const which =
    fields.length === 0 ? '' : ` (unlike in the list of sessions: ${fields.join(', ')})`;
  const detail = `its name or settings changed since${which}: to be archived by the next export`;
  return refusal('changed', detail);
}

function differingFields(listed: SessionRecord, alone: SessionRecord): string[] {
  const a = new Map(Object.entries(listed));
  const b = new Map(Object.entries(alone));
  const names = new Set([...a.keys(), ...b.keys()]);
  return [...names].filter((name) => JSON.stringify(a.get(name)) !== JSON.stringify(b.get(name)));
}
