/** What a plan says or a run did: the one line that `--json` prints. */
import type { ArchivedSession } from '../archive/state/archived-session.js';
import type { Intent } from './intents.js';
import { isLeft, type PruneRefusal, type RefusalReason } from './refusal.js';
import type { Spellings } from '../archive/reading/users/listed-again.js';
import { eachSessionOnce } from '../model/user-spelling.js';
import { newestJobMs } from '../archive/state/session-age.js';

/** `refused`: something that the rules select could not go. `declined`: somebody was asked, and said no. */
export type PruneStatus =
  'planned' | 'declined' | 'complete' | 'refused' | 'interrupted' | 'failed';

/**
 * `gone`: gone already, without a DELETE of this run: found so now, and recorded as that, or known before of a session that
 * a plan or `--session` names. `left`: for the next run, by a budget or `--max-delete`; nothing is known against it. `held`:
 * the rules select it and a hold keeps it, as is meant; one that somebody named is `refused`.
 */
export type PrunedOutcome = 'planned' | 'deleted' | 'gone' | 'refused' | 'left' | 'held' | 'kept';

export interface PrunedSession {
  readonly user: string;
  readonly session: string;
  /** In the archive. */
  readonly jobs: number;
  /** As the archive or the service has it; null where that was not asked. */
  readonly name: string | null;
  /** The newest time that a job's id tells, ISO 8601: of the newest question. Null where no id tells one. */
  readonly newest_job_at: string | null;
  /** When its last change was seen, ISO 8601; null of a deletion that an earlier run had begun. */
  readonly changed_at: string | null;
  /** Where it is archived. */
  readonly commit: number;
  readonly outcome: PrunedOutcome;
  /** Why not; null unless refused, left or held. */
  readonly reason: RefusalReason | null;
  /** A sentence for people; null where there is nothing to say. */
  readonly detail: string | null;
}

/**
 * `why`: no other session may go; the plan names no other; this run may delete no more, and the next one goes on; or it
 * cannot be told which of them are older.
 */
export interface ShortOfSlots {
  readonly user: string;
  readonly missing: number;
  readonly why: 'no-other' | 'plan' | 'limit' | 'order';
}

export interface PruneSummary {
  status: PruneStatus;
  readonly archive: string;
  /** Null of a plan. */
  readonly run: string | null;
  readonly commits: number[];
  /** `left`: for the next run, by a budget or `--max-delete`. `held`: kept by a hold. */
  readonly deletions: { deleted: number; refused: number; left: number; held: number };
  /** `--max-delete`, where that leaves something for the next run; absent otherwise. */
  max_delete?: number;
  /** What a plan would delete; null of a run, which tells what it has deleted. */
  planned: number | null;
  gone: number;
  /** What the rules do not select. */
  kept: number;
  /** Deletions that an earlier run had begun, and whose end is not known yet. */
  unfinished: number;
  /** The longest time between asking for the end of a history and the DELETE; null where none was sent. */
  longest_check_to_delete_ms: number | null;
  /** Why a plan did not compare this machine's clock with the service's; null where it did, and of a run. */
  clock_not_compared: string | null;
  /** Users of whom fewer sessions go than `--free-slots` asks for. */
  readonly short_of_slots: ShortOfSlots[];
  /** Each once: one that several spellings of a user list under the one under which the most happened to it, of several such under the one for which it counts. */
  readonly sessions: PrunedSession[];
  requests: { api: number; files: number; retries: number; rate_limited: number };
  duration_ms: number;
}

export function emptyPruneSummary(archive: string, run: string | null): PruneSummary {
  return {
    status: run === null ? 'planned' : 'complete',
    archive,
    run,
    commits: [],
    deletions: { deleted: 0, refused: 0, left: 0, held: 0 },
    planned: run === null ? 0 : null,
    gone: 0,
    kept: 0,
    unfinished: 0,
    longest_check_to_delete_ms: null,
    clock_not_compared: null,
    short_of_slots: [],
    sessions: [],
    requests: { api: 0, files: 0, retries: 0, rate_limited: 0 },
    duration_ms: 0,
  };
}

interface WhySo {
  readonly refusal?: PruneRefusal | undefined;
  readonly detail?: string;
  readonly name?: string | null;
}

export function addSession(
  summary: PruneSummary,
  archived: ArchivedSession,
  outcome: PrunedOutcome,
  why: WhySo = {},
): void {
  const { user, session, state, changed } = archived;
  const newestMs = newestJobMs(archived);
  summary.sessions.push({
    user,
    session,
    jobs: state.jobs.size,
    commit: changed.commit,
    outcome,
    name: why.name ?? null,
    newest_job_at: newestMs === undefined ? null : new Date(newestMs).toISOString(),
    changed_at: new Date(changed.atMs).toISOString(),
    reason: why.refusal?.reason ?? null,
    detail: why.refusal?.detail ?? why.detail ?? null,
  });
}

/** What somebody has named and an earlier run has deleted, or found gone: told, so that all that was named is counted. */
export function addGoneBefore(summary: PruneSummary, gone: readonly ArchivedSession[]): void {
  for (const archived of gone) {
    const detail = archived.state.deleted
      ? 'an earlier run has deleted it'
      : 'an earlier run has found it gone from the service';
    addSession(summary, archived, 'gone', { detail });
  }
}

/** A deletion that an earlier run had begun. */
export function addIntent(
  summary: PruneSummary,
  { user, session, job_count: jobs, commit }: Intent,
  refusal: PruneRefusal | undefined,
): void {
  if (refusal) summary.unfinished++;
  const open = refusal && outcomeOf(refusal, { isNamed: true });
  summary.sessions.push({
    user,
    session,
    jobs,
    changed_at: null,
    name: null,
    newest_job_at: null,
    commit,
    outcome: open ?? 'deleted',
    reason: refusal?.reason ?? null,
    detail: refusal?.detail ?? 'an earlier run had begun it; it is confirmed now',
  });
}

/** @param isNamed somebody asked for just these sessions or this held user, and not for all that rules select */
export function outcomeOf(
  forbidden: PruneRefusal,
  { isNamed }: { readonly isNamed: boolean },
): 'left' | 'refused' | 'held' {
  if (forbidden.reason === 'hold' && !isNamed) return 'held';
  return isLeft(forbidden) ? 'left' : 'refused';
}

/** What happened to a session that several spellings of a user list: the first of these that happened under one. */
const STRONGEST_FIRST: readonly PrunedOutcome[] = [
  'deleted',
  'planned',
  'gone',
  'refused',
  'left',
  'held',
  'kept',
];

/** Of spellings under which the same happened, the one for which the session counts. */
function sessionsOnce(
  sessions: readonly PrunedSession[],
  spellings: Spellings | undefined,
): PrunedSession[] {
  const countingFirst = spellings?.countingFirst(sessions) ?? [...sessions];
  const strongestFirst = countingFirst.toSorted(
    (a, b) => STRONGEST_FIRST.indexOf(a.outcome) - STRONGEST_FIRST.indexOf(b.outcome),
  );
  const named = new Set(eachSessionOnce(strongestFirst));
  return sessions.filter((session) => named.has(session));
}

/**
 * Called once, when all sessions are in the summary: from then on it has each once.
 *
 * @param spellings undefined where the run ended before it knew any
 */
export function countSessions(summary: PruneSummary, spellings: Spellings | undefined): void {
  const { deletions, sessions } = summary;
  sessions.splice(0, Infinity, ...sessionsOnce(sessions, spellings));
  for (const { outcome } of sessions) {
    if (outcome === 'planned') summary.planned = (summary.planned ?? 0) + 1;
    else if (outcome === 'gone' || outcome === 'kept') summary[outcome]++;
    else deletions[outcome]++;
  }
}
