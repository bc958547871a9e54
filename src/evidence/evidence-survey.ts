/** Reads the log before anything is written: which users and sessions there are, and in which part files. */
import { type Archive } from '../archive/archive.js';
import { Decisions } from '../archive/reading/decisions.js';
import { ArchiveView } from '../archive/reading/archive-view.js';
import { viewWithRows } from '../archive/reading/view-rows.js';
import type { Scope } from '../archive/reading/scope.js';
import type { Selection } from '../archive/reading/selection.js';
import type { SelectedRows } from '../archive/reading/selected-rows.js';
import { shownHolds, type ShownHolds } from '../archive/reading/shown-holds.js';
import type { RequestRecord } from '../archive/log/request-history.js';
import type { FoundJobs } from '../search/search-archive.js';
import { handedTables, NOTHING_UNREAD, type HandedTables } from '../search/unread-tables.js';

export interface EvidenceSurvey {
  /** What the pack knows of: users and sessions in scope, listings, and what was in doubt. */
  readonly view: ArchiveView;
  /** The holds of the archive; the pack has those of its users and sessions. */
  readonly holds: ShownHolds;
  /** What is in the pack. */
  readonly selection: Selection;
  /** The search that chose the jobs; undefined where all are in the pack. */
  readonly found: FoundJobs | undefined;
  /** Tables that it did not read to their end. */
  readonly unread: HandedTables;
  readonly rows: SelectedRows;
}

/**
 * What a run adds from here on is not in the pack.
 *
 * @param options.found only these jobs; default: all of them
 * @param options.request for which the pack is made
 * @param options.allowLostFiles files that the storage has lost are gaps of the pack; default: they end it
 * @throws {UsageError} a user or a session is not in the archive
 * @throws {IntegrityError} the log is damaged
 */
export async function surveyForEvidence(
  archive: Archive,
  scope: Scope,
  {
    found,
    request,
    allowLostFiles,
    signal,
  }: {
    found?: FoundJobs | undefined;
    request?: Pick<RequestRecord, 'id' | 'decisions'> | undefined;
    allowLostFiles?: boolean | undefined;
    signal?: AbortSignal | undefined;
  } = {},
): Promise<EvidenceSurvey> {
  const whole = await ArchiveView.of(archive, scope, {
    chosen: found,
    decisions: Decisions.of(request),
    tellsListings: true,
    signal,
  });
  const { view, rows } = await viewWithRows(whole, allowLostFiles);
  const { selection } = view;
  const unread = found ? handedTables(found, selection.users) : NOTHING_UNREAD;
  return { view, holds: shownHolds(view.holds, request), selection, found, unread, rows };
}
