/** Accepts gaps of sessions, and withdraws that: each change is a commit. */
import { ulid } from '../base/digest.js';
import { UsageError } from '../base/error.js';
import { asSessionId, sessionKey } from '../model/ids.js';
import type { Archive } from './archive.js';
import { assertErasuresFinished } from './unfinished-erasures.js';
import type { AcceptedGap } from './log/accepted-gaps.js';
import type { AcceptedEntry, Commit, GapEntry, SessionEntry } from './log/commit.js';
import { noSuchSession } from './reading/selection.js';
import { commitAlone, planQuietly } from './runs/plan-again.js';

/** Options of `acceptGaps` and `withdrawGaps` of an open archive. */
export interface AcceptChoices {
  /** Every gap that these sessions have now; of `withdrawGaps` every accepted one. */
  readonly sessions: readonly string[];
  /** Only gaps of this job. Default: all, also those of the session as a whole. */
  readonly job?: string | undefined;
  /** Why: what was found out, a ticket. */
  readonly reason: string;
  /** The person who accepts them, or withdraws that. */
  readonly by: string;
}

/**
 * A run does not fail any more for the gaps that the sessions have now. They permit no deletion, and another gap of the
 * same session is not accepted.
 *
 * @throws {UsageError} no session is named, or one has no gap that can be accepted and is not
 * @throws {ErasureUnfinishedError} an erasure has its receipt and is not finished: it may erase what is named
 * @throws {SigningKeyError | SigningStartError} the log is signed, and this run has no key or another one; or is not, and its key may not begin
 */
export async function acceptGaps(archive: Archive, choices: AcceptChoices): Promise<AcceptedGap[]> {
  assertWhole(choices);
  return planQuietly(archive, () => accept(archive, choices));
}

async function accept(archive: Archive, choices: AcceptChoices): Promise<AcceptedGap[]> {
  const { reason, by } = choices;
  const { index, clock, random } = archive;
  await index.refresh();
  const base = index.through;
  await assertErasuresFinished(archive);
  const found = await gapsToAccept(archive, choices);
  const accepted = found.map(({ user, session, gap }): AcceptedEntry => {
    return {
      ...placeOf(gap),
      action: 'accept',
      id: ulid(clock, random),
      user,
      session,
      reason,
      by,
    };
  });
  const number = await append(archive, { entries: accepted, base });
  return index.acceptedGaps.records.filter(({ commit }) => commit === number);
}

/**
 * Runs fail again for the gaps of the sessions that were accepted.
 *
 * @returns the acceptances that are in force no more
 * @throws {UsageError} no session is named, or one has no accepted gap
 * @throws {ErasureUnfinishedError} as `acceptGaps`
 * @throws {SigningKeyError | SigningStartError} as `acceptGaps`
 */
export async function withdrawGaps(
  archive: Archive,
  choices: AcceptChoices,
): Promise<{ readonly commit: number; readonly withdrawn: readonly AcceptedGap[] }> {
  assertWhole(choices);
  const { sessions, job, reason, by } = choices;
  const { index, storage } = archive;
  return planQuietly(archive, async () => {
    await index.refresh();
    const base = index.through;
    await assertErasuresFinished(archive);
    const withdrawn = [...new Set(sessions)].flatMap((id) => {
      const found = index.acceptedGaps.records.filter(
        (gap) => gap.session === id && (job === undefined || gap.job === job),
      );
      if (found.length > 0) return found;
      const what = job === undefined ? `session "${id}"` : `job "${job}" of session "${id}"`;
      throw new UsageError(`no gap of ${what} is accepted in ${storage.location}`);
    });
    const entries = withdrawn.map((gap): AcceptedEntry => {
      const { id, user, session } = gap;
      return { ...placeOf(gap), action: 'withdraw', id, user, session, reason, by };
    });
    const commit = await append(archive, { entries, base });
    return { commit, withdrawn };
  });
}

interface Appending {
  readonly entries: readonly AcceptedEntry[];
  readonly base: number;
}

/** @returns the number of the commit */
async function append(archive: Archive, { entries, base }: Appending): Promise<number> {
  const named = new Set(entries.map(({ user, session }) => sessionKey(user, session)));
  const { number } = await commitAlone(archive, {
    kind: 'accept',
    base,
    accepted: entries,
    // the gap may be gone, or be about to be erased
    isOutdatedBy: ({ erasure, sessions }: Commit): boolean =>
      erasure?.stage === 'begun' ||
      sessions.some(({ user, session }) => named.has(sessionKey(user, session))),
  });
  return number;
}

function placeOf(gap: Omit<GapEntry, 'reason'>): Omit<GapEntry, 'reason'> {
  const { job, role, block_index, file_index, kind, status, shared_with, missing_jobs } = gap;
  return { job, role, block_index, file_index, kind, status, shared_with, missing_jobs };
}

interface FoundGap extends Pick<SessionEntry, 'user' | 'session'> {
  readonly gap: GapEntry;
}

/** @throws {UsageError} */
async function gapsToAccept(
  archive: Archive,
  { sessions, job }: AcceptChoices,
): Promise<readonly FoundGap[]> {
  const { index } = archive;
  const entries = await newestEntries(archive, new Set(sessions));
  const unknown = sessions.find((id) => entries.every(({ session }) => session !== id));
  if (unknown !== undefined) throw await noSuchSession(archive, unknown);
  return [...new Set(sessions)].flatMap((id) => {
    const ofSession = entries.filter(({ session }) => session === id);
    const gaps = ofSession.flatMap(({ user, session, gaps: all }) =>
      all
        .filter((gap) => job === undefined || gap.job === job)
        .map((gap) => ({ user, session, gap })),
    );
    const what = job === undefined ? `session "${id}"` : `job "${job}" of session "${id}"`;
    if (gaps.length === 0) {
      throw new UsageError(
        `${what} has no gap that can be accepted; jobvault gap list shows those of the archive`,
      );
    }
    const open = gaps.filter(
      ({ user, session, gap }) => !index.acceptedGaps.of(user, session, gap),
    );
    if (open.length > 0) return open;
    throw new UsageError(`every gap of ${what} is accepted already`);
  });
}

type EntryWithGaps = Pick<SessionEntry, 'user' | 'session' | 'gaps'>;

/** The newest entry of each of the sessions, of every user who has it. */
async function newestEntries(
  { index }: Archive,
  sessions: ReadonlySet<string>,
): Promise<readonly EntryWithGaps[]> {
  const newest = new Map<string, EntryWithGaps>();
  const { snapshot, walkFrom: from, through } = index;
  for (const [user, { sessions: own }] of snapshot?.users ?? []) {
    for (const session of sessions) {
      const known = own.get(asSessionId(session));
      if (!known) continue;
      const { gaps } = known.summary;
      newest.set(sessionKey(user, session), { user, session: asSessionId(session), gaps });
    }
  }
  for await (const commit of index.walk({ from, through })) {
    for (const entry of commit.sessions) {
      if (sessions.has(entry.session)) newest.set(sessionKey(entry.user, entry.session), entry);
    }
  }
  return [...newest.values()];
}

/** @throws {UsageError} */
function assertWhole({ sessions, job, reason, by }: AcceptChoices): void {
  if (sessions.length === 0) {
    throw new UsageError('no session is named whose gaps are accepted; give a session');
  }
  if (job !== undefined && sessions.length > 1) {
    throw new UsageError('a job is named with several sessions; allowed is exactly one session');
  }
  if (reason.trim() === '') throw new UsageError('accepting a gap needs a reason, and it is empty');
  if (by.trim() === '') {
    throw new UsageError('accepting a gap needs the name of the person, and it is empty');
  }
}
