/** Reads the log before anything is written: which users and sessions there are, and in which part files. */
import type { Archive } from '../archive/archive.js';
import { ArchiveView } from '../archive/reading/archive-view.js';
import type { Scope, Selection } from '../archive/reading/scope.js';
import { SelectedRows } from '../archive/reading/selected-rows.js';
import type { RowFormat } from '../formats/format.js';
import type { FoundJobs } from '../search/search-archive.js';

export interface EvidenceSurvey {
  /** What the pack knows of: users and sessions in scope, listings, holds, and what was in doubt. */
  readonly view: ArchiveView;
  /** What is in the pack. */
  readonly selection: Selection;
  /** The search that chose the jobs; undefined where all are in the pack. */
  readonly found: FoundJobs | undefined;
  readonly rows: SelectedRows;
}

/**
 * What a run adds from here on is not in the pack.
 *
 * @param options.found only these jobs; default: all of them
 * @throws {UsageError} a user or a session is not in the archive
 * @throws {IntegrityError} the log is damaged
 */
export async function surveyForEvidence(
  archive: Archive,
  formats: readonly RowFormat[],
  scope: Scope,
  { found, signal }: { found?: FoundJobs | undefined; signal?: AbortSignal | undefined } = {},
): Promise<EvidenceSurvey> {
  const view = await ArchiveView.of(archive, scope, { chosen: found, signal });
  const { selection } = view;
  const rows = new SelectedRows({ archive, formats, signal }, selection);
  return { view, selection, found, rows };
}
