/** Reads the log before anything is written: which users and sessions there are, and in which part files. */
import type { Archive } from '../archive/archive.js';
import { isRewrite } from '../archive/log/commit-kind.js';
import type { FileEntry } from '../archive/log/commit.js';
import type { LogIndex } from '../archive/log/log-index.js';
import { ArchiveView } from '../archive/reading/archive-view.js';
import type { Scope, Selection } from '../archive/reading/scope.js';
import type { RowFormat } from '../formats/format.js';
import { artifactsTable, jobsTable, rawJobsTable, sessionsTable } from '../model/tables.js';
import type { FoundJobs } from '../search/search-archive.js';

/** A part file and the commit that names it. */
export interface Part extends FileEntry {
  readonly commit: number;
}

export interface Survey {
  /** What the pack knows of: users and sessions in scope, listings, holds, and what was in doubt. */
  readonly view: ArchiveView;
  /** What is in the pack. */
  readonly selection: Selection;
  /** The search that chose the jobs; undefined where all are in the pack. */
  readonly found: FoundJobs | undefined;
  /** Part files of the tables that the pack is made of, in the archive's own format. */
  readonly parts: readonly Part[];
  /** Commits of compactions and erasures. */
  readonly rewriting: ReadonlySet<number>;
  readonly format: RowFormat;
}

const TABLES = new Set(
  [sessionsTable, jobsTable, artifactsTable, rawJobsTable].map(({ name }) => name),
);

/**
 * What a run adds from here on is not in the pack.
 *
 * @param options.found only these jobs; default: all of them
 * @throws {UsageError} a user or a session is not in the archive
 * @throws {IntegrityError} the log is damaged
 */
export async function surveyArchive(
  archive: Archive,
  formats: readonly RowFormat[],
  scope: Scope,
  { found, signal }: { found?: FoundJobs | undefined; signal?: AbortSignal | undefined } = {},
): Promise<Survey> {
  const { index, identity } = archive;
  const format = formats.find(({ name }) => identity.formats.includes(name));
  if (!format) throw new Error(`no format of ${identity.formats.join(',')} can be read`);
  const view = await ArchiveView.of(archive, scope, { chosen: found, signal });
  return {
    view,
    selection: view.selection,
    found,
    parts: partsIn(index, format),
    rewriting: new Set([...index.commits].filter(isRewrite).map(({ number }) => number)),
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
