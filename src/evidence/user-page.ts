/** Writes what concerns one user as a whole: a row of `summary.csv`, and rows of `gaps.csv` and `holds.csv`. */
import type { GapEntry } from '../archive/log/commit.js';
import { holdsOn } from '../archive/holds.js';
import type { Pages } from './pages.js';
import type { SessionPlan, UserPlan } from './plan.js';
import { sessionGaps } from '../completeness/session-gaps.js';
import type { ListingGap } from '../completeness/user-listings.js';
import type { Survey } from './survey.js';

export class UserTotals {
  records = 0;
  /** References to files, and those of them that are stored. */
  files = 0;
  filesStored = 0;
  /** Of records and of files, each file once. */
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

type Completeness = 'yes' | 'no' | 'not proven';

/** Resolves with whether the user's history is complete. */
export async function writeUserPage(
  pages: Pages,
  survey: Survey,
  { user, sessions }: UserPlan,
  totals: UserTotals,
): Promise<Completeness> {
  const listing = survey.listings.get(user);
  const before = pages.gaps;
  if (!survey.selection.isNarrowed) {
    const gap = survey.listings.gapOf(user, sessions.size);
    if (gap) await writeListingGap(pages, user, gap);
  }
  let jobs = 0;
  for (const session of sessions.values()) {
    jobs += session.jobs.size;
    await writeSessionGaps(pages, session);
  }
  await writeHolds(pages, survey, user, sessions);
  const leftOut = survey.selection.found?.leftOutOf(user) ?? 0;
  const gaps = pages.gaps - before + leftOut;
  const complete = completeness(gaps, survey, user);
  await pages.write('summary', {
    user_id: user,
    sessions: sessions.size,
    jobs,
    records: totals.records,
    files: totals.files,
    files_stored: totals.filesStored,
    bytes: totals.bytes,
    gaps,
    complete,
    sessions_listed: listing?.entry.listed ?? null,
    last_listed_at: listing?.at ?? null,
    erased_since: survey.listings.erasedSince(user),
    first_exported_at: totals.firstExported,
    last_exported_at: totals.lastExported,
  });
  return complete;
}

async function writeHolds(
  pages: Pages,
  { holds }: Survey,
  user: string,
  sessions: ReadonlyMap<string, SessionPlan>,
): Promise<void> {
  const packed = [...sessions.values()].map(({ session }) => session);
  for (const hold of holdsOn(holds, user, packed)) {
    await pages.write('holds', {
      user_id: hold.user,
      session_id: hold.session,
      reason: hold.reason,
      by: hold.by,
      since: hold.since,
      released_at: hold.release?.at ?? null,
      commit: hold.commit,
    });
  }
}

/**
 * A pack of named sessions needs no listing. A pack of a user needs a complete listing of all of the user's
 * sessions. A pack of a search needs that nothing of the user was in doubt where it looked.
 */
function completeness(
  gaps: number,
  { selection, listings, doubts }: Survey,
  user: string,
): Completeness {
  if (gaps > 0) return 'no';
  const isProven = doubts ? !doubts.hasUser(user) : selection.isNarrowed || listings.isProven(user);
  return isProven ? 'yes' : 'not proven';
}

async function writeListingGap(
  pages: Pages,
  user: string,
  { status, reason }: ListingGap,
): Promise<void> {
  await pages.write('gaps', {
    user_id: user,
    session_id: null,
    job_id: null,
    role: null,
    block_index: null,
    file_index: null,
    kind: null,
    status,
    reason,
  });
}

async function writeSessionGaps(pages: Pages, plan: SessionPlan): Promise<void> {
  const gaps = sessionGaps(plan.state, (job) => plan.jobs.has(job.toWellFormed()));
  for (const gap of gaps) await writeGap(pages, plan, gap);
}

async function writeGap(
  pages: Pages,
  { user, session }: SessionPlan,
  { job, role, block_index, file_index, kind, status, reason }: GapEntry,
): Promise<void> {
  await pages.write('gaps', {
    user_id: user,
    session_id: session,
    job_id: job,
    role,
    block_index,
    file_index,
    kind,
    status,
    reason,
  });
}
