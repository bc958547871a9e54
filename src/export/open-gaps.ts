/**
 * Gaps that nobody has accepted, as the log has them: an alarm until they are mended or accepted. What a run has left
 * for the next one is no gap: its budget tells of it.
 */
import type { Archive } from '../archive/archive.js';
import { NO_PLACE } from '../model/records.js';
import { ArchiveView, type ViewedUser } from '../archive/reading/archive-view.js';
import { isUnread } from '../archive/reading/doubts.js';
import { EVERYBODY } from '../archive/reading/scope.js';
import type { SessionSummary } from '../archive/state/session-summary.js';
import type { UserId } from '../model/ids.js';
import type { RunSettings } from './export-run.js';
import type { ExportSummary } from './export-summary.js';
import type { Gap } from './jobs/gap.js';
import { sessionGap } from './users/user-export.js';

type AcceptedKinds = Pick<RunSettings, 'acceptUnfetched'>;

interface OpenGapOptions {
  /** Default: everybody. */
  readonly users?: readonly UserId[] | undefined;
  /** Decides which kinds of files are accepted. */
  readonly settings: AcceptedKinds;
}

/** @throws {IntegrityError} */
async function* openGaps(
  archive: Archive,
  { users, settings }: OpenGapOptions,
): AsyncGenerator<Gap> {
  await archive.index.refresh();
  const known = new Set(archive.index.users);
  const named = users?.filter((user) => known.has(user));
  if (named?.length === 0) return;
  const scope = named ? { ...EVERYBODY, users: named } : EVERYBODY;
  const view = await ArchiveView.of(archive, scope, { tellsListings: true });
  for await (const viewed of view.summaries()) {
    for (const gap of gapsOfUser(archive, viewed, settings)) {
      if (gap.accepted !== true) yield gap;
    }
  }
}

function* gapsOfUser(
  { index }: Archive,
  { user, sessions, listingGap }: ViewedUser<SessionSummary>,
  settings: AcceptedKinds,
): Generator<Gap> {
  if (listingGap) yield { user, session: null, job: null, ...NO_PLACE, kind: null, ...listingGap };
  for (const { session, gaps } of sessions) {
    for (const gap of gaps) {
      if (isUnread(gap) || index.acceptedGaps.of(user, session, gap) !== undefined) continue;
      yield sessionGap(user, session, gap, settings);
    }
  }
}

/** How many there are of each status, whoever found them. @throws {IntegrityError} */
export async function openGapCounts(archive: Archive): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for await (const { status } of openGaps(archive, { settings: {} })) {
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

/**
 * Open gaps that a run has not met itself: of sessions that are gone, and of users and sessions that it did not read.
 *
 * @param summary of a run that has ended
 * @throws {IntegrityError}
 */
export async function gapsElsewhere(
  archive: Archive,
  { commits, gaps }: Pick<ExportSummary, 'commits' | 'gaps'>,
  options: OpenGapOptions,
): Promise<Gap[]> {
  const met = new Set(gaps.map(placeOf));
  const own = new Set(commits);
  const listings = await archive.index.listings();
  const found: Gap[] = [];
  for await (const gap of openGaps(archive, options)) {
    const listing = listings.get(gap.user as UserId)?.lastOfAll;
    // of a user whom it has read, it has told what the listing lacks
    const isOwn = gap.session === null && listing !== undefined && own.has(listing.commit);
    if (!isOwn && !met.has(placeOf(gap))) found.push({ ...gap, known: true, is_elsewhere: true });
  }
  return found;
}

function placeOf({ user, session }: Gap): string {
  return JSON.stringify([user, session]);
}
