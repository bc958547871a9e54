/** Writes what concerns one user as a whole: a row of `summary.csv`, and rows of `gaps.csv` and `holds.csv`; and what a search left out or did not read. */
import type { ViewedUser } from '../archive/reading/archive-view.js';
import type { GapEntry } from '../archive/log/commit.js';
import { holdsOn, type BindingHold } from '../archive/holds/holds.js';
import { acceptedCells, NOT_ACCEPTED } from './accepted.js';
import type { AcceptedGap, AcceptedGaps } from '../archive/log/accepted-gaps.js';
import type { Packed } from './packed.js';
import { type AskedTimes, UNKNOWN_TIMES } from '../model/times/asked-times.js';
import type { UserPlan, SessionPlan } from './plan.js';
import type { Making } from '../making/making.js';
import type { SurveyedUser } from '../making/survey.js';
import { completenessOfUser } from '../archive/reading/caveats/completeness-of-user.js';
import type { Completeness } from '../archive/reading/caveats/completeness.js';
import { NOTHING_MISSING } from '../model/gap-counts.js';
import { asUserId, rowId } from '../model/ids.js';
import { NO_PLACE } from '../model/records.js';
import type { FoundJobs } from '../search/search-archive.js';
import { undatedGap } from '../search/search-facts.js';
import type { UnreadTable } from '../archive/reading/caveats/reading.js';
import { createdAtOf } from '../model/times/created-at.js';
import { formatTimestamp } from '../model/times/timestamp.js';
import type { CsvFiles } from './csv-files.js';

/** What the pack holds of a user. */
export class UserTotals {
  jobs = 0;
  records = 0;
  /** Places that show a file, and those of them whose file is stored: a file may be in several. */
  filePlaces = 0;
  placesStored = 0;
  /** The bytes of records and of files, each file once. */
  bytes = 0;
  #first: string | null = null;
  #last: string | null = null;

  /** @param at ISO 8601, always in the same form */
  exported(at: string | null): void {
    if (at === null) return;
    if (this.#first === null || at < this.#first) this.#first = at;
    if (this.#last === null || at > this.#last) this.#last = at;
  }

  get firstExported(): string | null {
    return this.#first;
  }

  get lastExported(): string | null {
    return this.#last;
  }
}

/** What is told of a session beside its gaps, so that people see which conversation it was. */
interface GapSession {
  readonly name: string | null;
  /** The times of its jobs in the pack. */
  readonly times: ReadonlyMap<string, AskedTimes>;
}

/** Before the gaps of the user's sessions. */
export async function writeListingGap(
  csv: CsvFiles,
  { user, listingGap }: ViewedUser,
): Promise<void> {
  if (!listingGap) return;
  const gap = { job: null, ...NO_PLACE, kind: null, ...listingGap };
  await writeGap(csv, { user, session: null }, gap);
}

export async function writeGaps(
  csv: CsvFiles,
  session: SessionPlan,
  known: GapSession,
  acceptedGaps: AcceptedGaps,
): Promise<void> {
  for (const gap of session.surveyed.gaps) {
    const accepted = acceptedGaps.find(session.user, session.session, gap);
    await writeGap(csv, session, gap, { known, accepted });
  }
}

/** After the sessions of the user. */
export async function writeUserRows(
  csv: CsvFiles,
  making: Making,
  { view, surveyed, sessions }: UserPlan,
  totals: UserTotals,
  { holdIds }: Packed,
): Promise<void> {
  // a hold binds every spelling of its user, and is one
  const holds = making.holds.told.filter(({ id }) => !holdIds.has(id));
  for (const { id } of await writeHolds(csv, holds, view.user, sessions)) holdIds.add(id);
  const { completeness, isNeverSeen, missing } = surveyed;
  const withheld = jobsWithheld(view);
  const facts = { completeness, isNeverSeen, missing, sessions: sessions.size, withheld };
  await writeSummary(csv, making, view, { ...facts, totals });
}

interface InPack extends Pick<SurveyedUser, 'completeness' | 'isNeverSeen' | 'missing'> {
  readonly totals: UserTotals;
  readonly sessions: number;
  readonly withheld: number;
}

const COMPLETE_CELLS: Readonly<Record<Completeness, string>> = {
  complete: 'yes',
  'not-proven': 'not proven',
  incomplete: 'no',
  'incomplete-by-decision': 'by decision',
};

/** Nothing is missing, if the id is right. */
const NEVER_SEEN = 'never seen';

/** The row of a user. */
async function writeSummary(
  csv: CsvFiles,
  making: Making,
  { user }: Pick<ViewedUser, 'user'>,
  { totals, sessions, missing, withheld, completeness, isNeverSeen }: InPack,
): Promise<void> {
  const { found, unreadTables } = making;
  const { listings } = making.view;
  const listing = listings.get(user);
  const leftOut = making.leftOutOf(user);
  const isWhole = completeness === 'complete';
  await csv.write('summary', {
    user_id: user,
    sessions,
    jobs: totals.jobs,
    records: totals.records,
    file_places: totals.filePlaces,
    file_places_stored: totals.placesStored,
    bytes: totals.bytes,
    ...missing,
    jobs_left_out: leftOut.undecided + leftOut.decided,
    jobs_withheld: withheld,
    complete: isWhole && isNeverSeen ? NEVER_SEEN : COMPLETE_CELLS[completeness],
    ...unreadCells(found, unreadTables, user),
    sessions_listed: listing?.entry.listed ?? null,
    last_listed_at: listing?.entry.listed_at ?? null,
    erased_since: listings.erasedSince(user),
    erased: making.reading.erased.missingOf(user),
    first_exported_at: totals.firstExported,
    last_exported_at: totals.lastExported,
  });
}

function jobsWithheld({ decided = [] }: ViewedUser): number {
  const withheld = decided.filter(({ decision }) => decision.decision === 'withhold');
  return withheld.reduce((sum, { jobs }) => sum + jobs, 0);
}

/** Nothing where no words were looked for. */
function unreadCells(found: FoundJobs | undefined, unread: readonly UnreadTable[], user: string) {
  if (found?.facts.searched_in == null) return { tables_not_searched: null, tables_in_part: null };
  const userTables = unread.filter(({ user_id: id }) => id === rowId(user));
  const inPart = userTables.filter(({ in_part: isPart }) => isPart).length;
  return { tables_not_searched: userTables.length - inPart, tables_in_part: inPart };
}

/** Jobs of unknown date that are not in the pack: also those of users of whom nothing else is in it, who have a row each. */
export async function writeLeftOut(csv: CsvFiles, making: Making): Promise<void> {
  const { acceptedGaps } = making.view.archive.index;
  const { found, selection, view } = making;
  const all = new Set((found?.leftOut ?? []).map(({ user }) => user));
  const others = [...all].filter((user) => !selection.hasUser(user));
  for (const user of others) {
    const judged = {
      user: asUserId(user),
      sessions: [],
      listingGap: undefined,
      erasure: undefined,
      hasGaps: false,
      isListed: true,
      isProven: view.doubts?.hasUser(user) !== true,
      isUndecided: view.doubts?.isUndecided(user) === true,
      hasMoreElsewhere: false,
    };
    const completeness = completenessOfUser(judged, acceptedGaps, making.leftOutOf(user));
    const none = { sessions: 0, withheld: 0, missing: NOTHING_MISSING, isNeverSeen: false };
    await writeSummary(csv, making, judged, { totals: new UserTotals(), ...none, completeness });
  }
  await writeErasedOfOthers(csv, making, [...selection.users, ...others]);
  for (const { user, session, sessionName, job, ...times } of found?.leftOut ?? []) {
    await csv.write('gaps', {
      user_id: user,
      session_id: session,
      session_name: sessionName,
      job_id: job,
      ...times,
      ...NO_PLACE,
      kind: null,
      ...undatedGap(found?.facts.undated),
      ...NOT_ACCEPTED,
    });
  }
}

/** Of whom nothing is in the pack, nobody is named: with this row the column adds up to what the first page says. */
async function writeErasedOfOthers(
  csv: CsvFiles,
  { reading: { erased } }: Making,
  named: readonly string[],
): Promise<void> {
  const ofNamed = named.reduce((sum, user) => sum + erased.missingOf(user), 0);
  if (erased.missing > ofNamed) {
    await csv.writePart('summary', { erased: erased.missing - ofNamed });
  }
}

/** The log of what is withheld or redacted: who decided it, and why, without any of it. */
export async function writeDecided(csv: CsvFiles, { user, decided = [] }: ViewedUser) {
  for (const { session, job, jobs, decision } of decided) {
    await csv.write('withheld', {
      user_id: user,
      session_id: session,
      job_id: job,
      decision: decision.decision,
      jobs,
      reason: decision.reason,
      decided_by: decision.by,
      decided_at: decision.at,
    });
  }
}

export async function writeUnreadTables(csv: CsvFiles, { unreadTables }: Making) {
  for (const { in_part: isPart, is_found: isFound, ...table } of unreadTables) {
    await csv.write('tables-not-searched', {
      ...table,
      searched: isPart ? 'first 16 KB' : 'nothing',
      job_in_pack: isFound ? 'yes' : 'no',
    });
  }
}

async function writeHolds(
  csv: CsvFiles,
  holds: readonly BindingHold[],
  user: string,
  sessions: UserPlan['sessions'],
): Promise<readonly BindingHold[]> {
  const packed = [...sessions.values()].map(({ session }) => session);
  const written = holdsOn(holds, user, packed);
  for (const hold of written) {
    await csv.write('holds', {
      user_id: hold.user,
      session_id: hold.session,
      reason: hold.reason,
      by: hold.by,
      set_by: hold.set_by ?? null,
      since: hold.since,
      released_at: hold.release?.at ?? null,
      released_by: hold.release?.by ?? null,
      release_reason: hold.release?.reason ?? null,
      commit: hold.commit,
      release_commit: hold.release?.commit ?? null,
    });
  }
  return written;
}

async function writeGap(
  csv: CsvFiles,
  { user, session }: { readonly user: string; readonly session: string | null },
  { job, role, block_index, file_index, kind, status, reason }: GapEntry,
  {
    known,
    accepted,
  }: { readonly known?: GapSession | undefined; readonly accepted?: AcceptedGap | undefined } = {},
): Promise<void> {
  const times = job === null ? UNKNOWN_TIMES : (known?.times.get(job) ?? timesOf(job));
  await csv.write('gaps', {
    user_id: user,
    session_id: session,
    session_name: known?.name ?? null,
    job_id: job,
    ...times,
    role,
    block_index,
    file_index,
    kind,
    status,
    reason,
    ...acceptedCells(accepted),
  });
}

/** What the id of a job tells that is not in the pack. */
function timesOf(job: string): AskedTimes {
  const micros = createdAtOf(job)?.micros;
  const time = micros === undefined ? null : formatTimestamp(micros);
  return { created_at: time, created_after: time, created_before: time };
}
