/** Accepts gaps of sessions: each change is a commit. */
import { silentLogger } from '../base/logger.js';
import type { Runtime } from '../base/runtime.js';
import { ulid } from '../base/ulid.js';
import { UsageError } from '../base/usage-error.js';
import { TOOL } from '../base/version.js';
import { asRunId, sessionKey } from '../model/ids.js';
import type { Archive } from './archive.js';
import { ErasureUnfinishedError } from './erasure-unfinished-error.js';
import { isAcceptable, type AcceptedGap } from './log/accepted-gaps.js';
import type { AcceptedEntry, Commit, GapEntry, SessionEntry } from './log/commit.js';
import { planAgain } from './runs/plan-again.js';

/** Options of `acceptGaps` of an open archive. */
export interface AcceptChoices {
  /** Every gap that these sessions have now. */
  readonly sessions: readonly string[];
  /** Only gaps of this job. Default: all, also those of the session as a whole. */
  readonly job?: string | undefined;
  /** Why: what was found out, a ticket. */
  readonly reason: string;
  /** The person who accepts them. */
  readonly by: string;
}

type World = Pick<Runtime, 'clock' | 'random'>;

/**
 * A run does not fail any more for the gaps that the sessions have now. They permit no deletion, and another gap of the
 * same session is not accepted.
 *
 * @throws {UsageError} no session is named, or one has no gap that can be accepted and is not
 * @throws {ErasureUnfinishedError} an erasure has its receipt and is not finished: it may erase what is named
 * @throws {SigningKeyError} the log is signed, and this run has no key or another one
 */
export async function acceptGaps(
  archive: Archive,
  choices: AcceptChoices & World,
): Promise<AcceptedGap[]> {
  assertWhole(choices);
  const again = { archive, logger: silentLogger, commits: [] };
  return planAgain(again, () => accept(archive, choices));
}

async function accept(archive: Archive, choices: AcceptChoices & World): Promise<AcceptedGap[]> {
  const { reason, by, clock, random } = choices;
  const { index } = archive;
  await index.refresh();
  const base = index.through;
  if (index.openErasures.size > 0) throw new ErasureUnfinishedError(archive.storage.location);
  const found = await gapsToAccept(archive, choices);
  const accepted = found.map(({ user, session, gap }): AcceptedEntry => {
    const { job, role, block_index, file_index, kind, status } = gap;
    const place = { job, role, block_index, file_index, kind, status };
    return { ...place, id: ulid(clock, random), user, session, reason, by };
  });
  const named = new Set(found.map(({ user, session }) => sessionKey(user, session)));
  const { number } = await archive.log.append({
    kind: 'accept',
    run: asRunId(ulid(clock, random)),
    checkpoint: 1,
    tool: TOOL,
    scope: {},
    base,
    accepted,
    // the gap may be gone, or be about to be erased
    isOutdatedBy: ({ erasure, sessions }: Commit): boolean =>
      erasure?.stage === 'begun' ||
      sessions.some(({ user, session }) => named.has(sessionKey(user, session))),
  });
  await index.refresh();
  return index.acceptedGaps.records.filter(({ commit }) => commit === number);
}

interface FoundGap extends Pick<SessionEntry, 'user' | 'session'> {
  readonly gap: GapEntry;
}

/** @throws {UsageError} */
async function gapsToAccept(
  archive: Archive,
  { sessions, job }: AcceptChoices,
): Promise<readonly FoundGap[]> {
  const { index, storage } = archive;
  const entries = await newestEntries(archive, new Set(sessions));
  return [...new Set(sessions)].flatMap((id) => {
    const ofSession = entries.filter(({ session }) => session === id);
    if (ofSession.length === 0) throw new UsageError(`${storage.location} has no session "${id}"`);
    const gaps = ofSession.flatMap(({ user, session, gaps: all }) =>
      all
        .filter((gap) => isAcceptable(gap) && (job === undefined || gap.job === job))
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

/** The newest entry of each of the sessions, of every user who has it. */
async function newestEntries(
  { index }: Archive,
  sessions: ReadonlySet<string>,
): Promise<readonly SessionEntry[]> {
  const newest = new Map<string, SessionEntry>();
  for await (const commit of index.walk({ through: index.through })) {
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
