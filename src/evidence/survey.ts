/** Reads the log before anything is written: which users and sessions there are, and in which part files. */
import type { Archive } from '../archive/archive.js';
import { isRewrite } from '../archive/log/commit-kind.js';
import type { FileEntry } from '../archive/log/commit.js';
import type { HoldRecord } from '../archive/log/hold-history.js';
import type { LogIndex } from '../archive/log/log-index.js';
import type { UserListing } from '../archive/log/log-view.js';
import { traceSessions } from '../archive/log/session-traces.js';
import type { RowFormat } from '../formats/format.js';
import { artifactsTable, jobsTable, rawJobsTable, sessionsTable } from '../model/tables.js';
import type { FoundJobs } from '../search/search-archive.js';
import { Selection, type Wanted } from './selection.js';

/** A part file and the commit that names it. */
export interface Part extends FileEntry {
  readonly commit: number;
}

/** The receipt of an erasure. It does not say whose sessions were erased. */
export interface ErasureReceipt {
  readonly commit: number;
  /** How many were erased. */
  readonly sessions: number;
}

export interface Survey {
  /** The newest commit that the pack knows of. */
  readonly head: { readonly number: number; readonly digest: string } | null;
  readonly selection: Selection;
  /** The newest listing of all sessions of each user. */
  readonly listings: ReadonlyMap<string, UserListing | undefined>;
  /** The receipts since the oldest of the listings. */
  readonly erasures: readonly ErasureReceipt[];
  /** Part files of the tables that the pack is made of, in the archive's own format. */
  readonly parts: readonly Part[];
  /** Commits of compactions and erasures. */
  readonly rewriting: ReadonlySet<number>;
  /** Every hold of the archive. */
  readonly holds: readonly HoldRecord[];
  readonly format: RowFormat;
}

const TABLES = new Set(
  [sessionsTable, jobsTable, artifactsTable, rawJobsTable].map(({ name }) => name),
);

/**
 * What a run adds from here on is not in the pack.
 *
 * @throws {UsageError} what is wanted is not in the archive
 * @throws {IntegrityError} the log is damaged
 */
export async function surveyArchive(
  archive: Archive,
  formats: readonly RowFormat[],
  wanted: Wanted,
  found?: FoundJobs,
): Promise<Survey> {
  const { index, identity, storage } = archive;
  await index.refresh();
  const format = formats.find(({ name }) => identity.formats.includes(name));
  if (!format) throw new Error(`no format of ${identity.formats.join(',')} can be read`);
  const traces = await traceSessions(index, wanted.sessions);
  const owners = new Map([...traces].map(([session, { users }]) => [session, users]));
  const known = { users: new Set(index.allUsers), owners };
  const selection = Selection.of(storage.location, wanted, known);
  const listings = new Map(index.allUsers.map((user) => [user, index.user(user)?.lastOfAll]));
  return {
    head: index.head,
    selection: found ? selection.narrowedTo(found, wanted.users) : selection,
    listings,
    erasures: await receiptsSince(archive, listings.values()),
    parts: partsIn(index, format),
    rewriting: new Set([...index.commits].filter(isRewrite).map(({ number }) => number)),
    holds: index.holds,
    format,
  };
}

async function receiptsSince(
  { index, log }: Archive,
  listings: Iterable<UserListing | undefined>,
): Promise<ErasureReceipt[]> {
  let oldest = Infinity;
  for (const listing of listings) oldest = Math.min(oldest, listing?.commit ?? Infinity);
  const receipts: ErasureReceipt[] = [];
  for (const commit of index.erasures.filter((number) => number > oldest)) {
    const { erasure } = await log.read(commit);
    if (erasure?.stage === 'begun') receipts.push({ commit, sessions: erasure.erased.sessions });
  }
  return receipts;
}

/** In the order of the log; a file that was removed and named again counts where it was named last. */
function partsIn({ commits, contents }: LogIndex, { extension }: RowFormat): Part[] {
  const parts = new Map<string, Part>();
  for (const { number, files } of commits) {
    for (const path of files) {
      const file = contents.files.get(path);
      if (!file || !TABLES.has(file.table) || !path.endsWith(`.${extension}`)) continue;
      parts.delete(path);
      parts.set(path, { ...file, commit: number });
    }
  }
  return [...parts.values()];
}
