/** Links from a workbook to the files of its archive, where both are on one machine. */
import { relative, sep } from 'node:path';
import type { Archive } from '../archive/archive.js';
import { IntegrityError } from '../archive/verify/integrity-error.js';
import { textCell } from '../formats/xlsx/sheet-cells.js';
import type { Link } from '../formats/xlsx/exceljs.js';
import type { Row } from '../model/table-schema.js';
import type { Storage } from '../storage/storage.js';

export interface FileLinks {
  /** Whether a file can be opened from the workbook. */
  readonly canLink: boolean;
  /**
   * What a cell shows of a file: its name with a link to it, or why there is none.
   *
   * @param row of the table `artifacts`
   * @throws {IntegrityError} no commit names the file
   */
  cellOf(row: Row): string | Link;
}

export function fileLinks({ storage, index }: Archive, target: Storage): FileLinks {
  const base =
    storage.directory === undefined || target.directory === undefined
      ? undefined
      : relative(target.directory, storage.directory).split(sep).map(encodeURIComponent).join('/');
  return {
    canLink: base !== undefined,
    cellOf: (row) => {
      const path = textIn(row, 'path');
      const name = textIn(row, 'name') ?? namelessFile(row);
      if (row['status'] !== 'stored' || path === undefined) {
        const reason = textIn(row, 'reason') ?? 'no reason is known';
        return textCell(`${name}: not archived (${String(row['status'])}: ${reason})`);
      }
      if (!index.contents.artifacts.has(path)) {
        throw new IntegrityError(path, 'missing', 'is in a row, but in no commit');
      }
      if (base === undefined) return textCell(`${name}: ${path}`);
      return { text: textCell(name), hyperlink: base === '' ? path : `${base}/${path}` };
    },
  };
}

/** Of its kind and its extension: `table.csv`. */
function namelessFile(row: Row): string {
  const kind = (textIn(row, 'kind') ?? 'file').toLowerCase();
  const extension = textIn(row, 'path')?.split('.').at(-1);
  return extension === undefined ? kind : `${kind}.${extension}`;
}

function textIn(row: Row, column: string): string | undefined {
  const value = row[column];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
