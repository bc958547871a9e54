/** Reads the log before anything is written: which users and sessions there are, and in which part files. */
import type { Archive } from '../archive/archive.js';
import { isRewrite } from '../archive/log/commit-kind.js';
import type { FileEntry } from '../archive/log/commit.js';
import type { HoldRecord } from '../archive/log/hold-history.js';
import type { LogIndex } from '../archive/log/log-index.js';
import type { Scope } from '../archive/reading/scope.js';
import { doubtsIn, type ScopeDoubts } from '../completeness/scope-doubts.js';
import { UserListings } from '../completeness/user-listings.js';
import type { RowFormat } from '../formats/format.js';
import { artifactsTable, jobsTable, rawJobsTable, sessionsTable } from '../model/tables.js';
import type { FoundJobs } from '../search/search-archive.js';
import { Selection } from './selection.js';

/** A part file and the commit that names it. */
export interface Part extends FileEntry {
  readonly commit: number;
}

export interface Survey {
  /** The newest commit that the pack knows of. */
  readonly head: { readonly number: number; readonly digest: string } | null;
  readonly selection: Selection;
  readonly listings: UserListings;
  /** What was in doubt where a search looked; undefined of a pack without a search. */
  readonly doubts: ScopeDoubts | undefined;
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
 * @throws {UsageError} a user or a session is not in the archive
 * @throws {IntegrityError} the log is damaged
 */
export async function surveyArchive(
  archive: Archive,
  formats: readonly RowFormat[],
  scope: Scope,
  found?: FoundJobs,
): Promise<Survey> {
  const { index, identity } = archive;
  await index.refresh();
  const format = formats.find(({ name }) => identity.formats.includes(name));
  if (!format) throw new Error(`no format of ${identity.formats.join(',')} can be read`);
  const selection = await Selection.of(archive, scope);
  const listings = await UserListings.of(archive);
  return {
    head: index.head,
    selection: found ? selection.narrowedTo(found, scope.users) : selection,
    listings,
    doubts: found && (await doubtsIn(index, listings, scope)),
    parts: partsIn(index, format),
    rewriting: new Set([...index.commits].filter(isRewrite).map(({ number }) => number)),
    holds: index.holds,
    format,
  };
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
