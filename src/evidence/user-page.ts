/** Writes what concerns one user as a whole: a row of `summary.csv`, and rows of `gaps.csv` and `holds.csv`. */
import type { GapEntry } from '../archive/log/commit.js';
import { holdsOn } from '../archive/holds.js';
import type { CsvFiles } from './pages.js';
import type { UserPlan } from './plan.js';
import type { HoldRecord } from '../archive/log/hold-history.js';
import type { EvidenceSurvey } from './survey.js';

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

/** Whether a user's history is complete. */
type Completeness = 'yes' | 'no' | 'not proven';

export async function writeUserPage(
  pages: CsvFiles,
  { view: { listings, holds } }: EvidenceSurvey,
  { view, sessions }: UserPlan,
  totals: UserTotals,
): Promise<Completeness> {
  const { user, listingGap, gaps, isProven } = view;
  const listing = listings.get(user);
  if (listingGap) await writeGap(pages, { user, session: null }, { ...NO_PLACE, ...listingGap });
  let jobs = 0;
  for (const session of sessions.values()) {
    jobs += session.jobs.size;
    for (const gap of session.gaps) await writeGap(pages, session, gap);
  }
  await writeHolds(pages, holds, user, sessions);
  const complete = gaps > 0 ? 'no' : isProven ? 'yes' : 'not proven';
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
    erased_since: listings.erasedSince(user),
    first_exported_at: totals.firstExported,
    last_exported_at: totals.lastExported,
  });
  return complete;
}

async function writeHolds(
  pages: CsvFiles,
  holds: readonly HoldRecord[],
  user: string,
  sessions: UserPlan['sessions'],
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

const NO_PLACE = { job: null, role: null, block_index: null, file_index: null, kind: null };

async function writeGap(
  pages: CsvFiles,
  { user, session }: { readonly user: string; readonly session: string | null },
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
