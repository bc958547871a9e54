/**
 * Gaps as the log has them: an alarm until they are mended or accepted, and then counted as accepted. What a run has left for
 * the next one is no gap of the run: its budget tells of it.
 */
import type { Archive } from '../archive/archive.js';
import { groupBy } from '../base/group-by.js';
import type { ListingsOfUser } from '../archive/log/newest-listings.js';
import { NO_PLACE } from '../model/records.js';
import { ArchiveView, type ViewedUser } from '../archive/reading/archive-view.js';
import { isUnread } from '../archive/reading/doubts.js';
import { EVERYBODY } from '../archive/reading/scope.js';
import type { SessionSummary } from '../archive/state/session-summary.js';
import type { UserId } from '../model/ids.js';
import type { GapCounts } from '../model/gap-counts.js';
import { foldedUser } from '../model/user-spelling.js';
import type { RunSettings } from './export-run.js';
import type { ExportSummary } from './export-summary.js';
import { countGaps, isOfHistory, NO_GAPS_OF_RUN, type Gap } from './jobs/gap.js';
import { sessionGap } from './users/user-export.js';

type AcceptedKinds = Pick<RunSettings, 'acceptUnfetched'>;

interface OpenGapOptions {
  /** Default: everybody. */
  readonly users?: readonly UserId[] | undefined;
  /** Decides which kinds of files are accepted. */
  readonly settings: AcceptedKinds;
}

/** @throws {IntegrityError} */
async function* usersIn(
  archive: Archive,
  users: readonly UserId[] | undefined,
): AsyncGenerator<ViewedUser<SessionSummary>> {
  await archive.index.refresh();
  const known = new Set(archive.index.users);
  const named = users?.filter((user) => known.has(user));
  if (named?.length === 0) return;
  const scope = named ? { ...EVERYBODY, users: named } : EVERYBODY;
  yield* (await ArchiveView.of(archive, scope, { tellsListings: true })).summaries();
}

/** Gaps of a user; those that somebody accepts say who. */
function* gapsOfUser(
  { index }: Archive,
  { user, sessions, listingGap }: ViewedUser<SessionSummary>,
  settings: AcceptedKinds,
): Generator<Gap> {
  if (listingGap) yield { user, session: null, job: null, ...NO_PLACE, kind: null, ...listingGap };
  for (const { session, state, gaps } of sessions) {
    const isAbsent = state.deleted || state.goneAt !== null;
    for (const gap of gaps) {
      if (isUnread(gap)) continue;
      const by = index.acceptedGaps.find(user, session, gap)?.by;
      yield {
        ...sessionGap(user, session, gap, settings),
        ...(by !== undefined && { accepted: true, accepted_by: by }),
        ...(isAbsent && { is_absent: true }),
      };
    }
  }
}

export interface GapsOfArchive {
  /** How many there are of each status that nobody has accepted, whoever found them, as a list of gaps has them. */
  readonly gaps: Readonly<Record<string, number>>;
  /** How many of them are lists and histories that budgets have left for later runs. */
  readonly left: number;
  readonly accepted: Pick<GapCounts, 'accepted_gaps' | 'accepted_doubts'>;
}

/** @throws {IntegrityError} */
export async function gapsOfArchive(archive: Archive): Promise<GapsOfArchive> {
  const gaps: Record<string, number> = {};
  const listings = await archive.index.listings();
  let left = 0;
  let counts = NO_GAPS_OF_RUN;
  const add = (status: string, count: number): void => {
    if (count > 0) gaps[status] = (gaps[status] ?? 0) + count;
  };
  for await (const viewed of usersIn(archive, undefined)) {
    const unread = unreadIn(viewed);
    left += unread;
    add('incomplete', unread);
    const found = [...gapsOfUser(archive, viewed, {})];
    counts = countGaps(found, counts);
    for (const gap of found.filter(({ accepted }) => accepted !== true)) {
      add(gap.status, 1);
      if (isLeftList(gap, viewed, listings.get(viewed.user))) left++;
    }
  }
  const { accepted_gaps, accepted_doubts } = counts;
  return { gaps, left, accepted: { accepted_gaps, accepted_doubts } };
}

function unreadIn({ sessions }: ViewedUser<SessionSummary>): number {
  return sessions.filter((session) => session.gaps.some(isUnread)).length;
}

/** Whether the gap is that of a list all of which was listed, and whose sessions the archive lacks only because the budget of that run left them. */
function isLeftList(
  { session, status }: Gap,
  { sessions }: ViewedUser<SessionSummary>,
  listings: ListingsOfUser | undefined,
): boolean {
  const entry = listings?.lastOfAll?.entry;
  if (session !== null || status !== 'incomplete' || entry?.error !== null) return false;
  const { listed, total_items: total, left = 0 } = entry;
  return left > 0 && listed >= (total ?? Infinity) && listed - sessions.length <= left;
}

/**
 * Open gaps of whom a run of everybody does not read: of users whom its list does not have, or whom exports skip.
 *
 * @param users whom it is to read
 * @throws {IntegrityError}
 */
export async function gapsOfUnreadUsers(
  archive: Archive,
  users: readonly UserId[],
  settings: AcceptedKinds,
): Promise<number> {
  await archive.index.refresh();
  const { suppressions } = archive.index;
  const read = new Set(users.filter((user) => suppressions.ofUser(user) === undefined));
  const unread = archive.index.users.filter((user) => !read.has(user));
  let count = 0;
  for await (const viewed of usersIn(archive, unread)) {
    count += [...gapsOfUser(archive, viewed, settings)].filter(
      ({ accepted }) => accepted !== true,
    ).length;
  }
  return count;
}

interface FoundElsewhere {
  /** Gaps of users whom the run did not read, accepted ones too. */
  readonly gaps: readonly Gap[];
  /** Files with doubtful content that the archive has of the users, whichever run has stored them. */
  readonly suspicious: number;
  /** Lists and histories that this run, or one before it, has left for the next one: gaps of the archive until then. */
  readonly left: number;
}

/**
 * Gaps of users whom a run has not read, and doubtful files, which it tells again.
 *
 * @param summary of a run that has ended
 * @throws {IntegrityError}
 */
export async function foundElsewhere(
  archive: Archive,
  { commits, gaps: ofRun }: ExportSummary,
  { users, settings }: OpenGapOptions,
): Promise<FoundElsewhere> {
  const met = new Set(ofRun.filter(isOfHistory).map(placeOf));
  const metOf = groupBy(ofRun, ({ user }) => user);
  const runCommits = new Set(commits);
  const listings = await archive.index.listings();
  const gaps: Gap[] = [];
  let [suspicious, left] = [0, 0];
  for await (const viewed of usersIn(archive, users)) {
    suspicious += viewed.sessions.reduce((sum, { state }) => sum + state.jobs.suspicious, 0);
    left += unreadIn(viewed);
    for (const gap of gapsOfUser(archive, viewed, settings)) {
      const listing = listings.get(viewed.user)?.lastOfAll;
      const isLeft = isLeftList(gap, viewed, listings.get(viewed.user));
      // the run has told what the listing lacks of a user whom it has read
      const isOwn = gap.session === null && listing !== undefined && runCommits.has(listing.commit);
      if (met.has(placeOf(gap))) continue;
      if (isOwn) left += isToldBySessions(viewed, metOf.get(viewed.user)) ? 0 : 1;
      else if (isLeft) left++;
      else {
        const unread = viewed.isReadNoMore && ({ is_read_no_more: true } as const);
        gaps.push({ ...gap, ...unread, known: true, is_elsewhere: true });
      }
    }
  }
  return { gaps, suspicious, left };
}

/** Whether the list lacks what the run has told a gap of: a session that it could not archive. */
function isToldBySessions(
  { sessions }: ViewedUser<SessionSummary>,
  met: readonly Gap[] = [],
): boolean {
  return met.some(
    (gap) => gap.session !== null && !sessions.some(({ session }) => session === gap.session),
  );
}

/** A session that several spellings of its user list is one. */
function placeOf({ user, session }: Gap): string {
  return JSON.stringify([session === null ? user : foldedUser(user), session]);
}
