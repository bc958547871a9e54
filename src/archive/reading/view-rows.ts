/** A view and the rows in its scope, with or without the files that the storage has lost. */
import type { ArchiveView } from './archive-view.js';
import { LostFiles } from './lost-files.js';
import { SelectedRows } from './selected-rows.js';

interface ViewWithRows {
  readonly view: ArchiveView;
  readonly rows: SelectedRows;
}

/**
 * @param allowLostFiles tables and images that the storage has lost are gaps of the view, and not stored in the rows; default: none is looked for
 * @throws {IntegrityError | FormatError} something else is damaged
 */
export async function viewWithRows(
  view: ArchiveView,
  allowLostFiles = false,
): Promise<ViewWithRows> {
  const { archive, selection, signal } = view;
  const rows = await SelectedRows.of({ archive, signal }, selection);
  const lost = allowLostFiles ? await LostFiles.of(archive, rows, signal) : LostFiles.NONE;
  if (lost.files === 0) return { view, rows };
  const others = await SelectedRows.of({ archive, signal }, selection, lost);
  return { view: view.withLost(lost), rows: others };
}
