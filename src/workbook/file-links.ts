/** Links from a workbook to the files of its archive, where both are on one machine. */
import { FILE_NOT_IN_COPY } from '../archive/reading/caveats/what-copy-lacks.js';
import { type Link } from '../formats/xlsx/exceljs.js';
import type { Row } from '../model/table-schema.js';
import { textCell } from '../formats/xlsx/sheet-cells.js';
import { relative, sep } from 'node:path';
import type { Archive } from '../archive/archive.js';
import { LOST_STATUS } from '../model/gap-counts.js';
import type { Storage } from '../storage/storage.js';

export interface FileLinks {
  /** Where the archive lies from the folder of the workbook, for people; undefined where no link can lead there. */
  readonly archive: string | undefined;
  /** Whether it is of a pseudonymised copy, which has no files. */
  readonly isCopy: boolean;
  /**
   * What a cell shows of a file: its name with a link to it, or why there is none.
   *
   * @param row of the table `artifacts`; its file has been checked
   */
  cellOf(row: Row): string | Link;
}

export function fileLinks({ storage, identity }: Archive, target: Storage): FileLinks {
  const isCopy = identity.pseudonymised !== undefined;
  const archive =
    storage.directory === undefined || target.directory === undefined
      ? undefined
      : relative(target.directory, storage.directory);
  const base = archive?.split(sep).map(encodeURIComponent).join('/');
  return {
    archive,
    isCopy,
    cellOf: (row) => {
      const path = textIn(row, 'path');
      const name = textIn(row, 'name') ?? namelessFile(row);
      if (row['status'] === 'stored' && isCopy) {
        return textCell(`${name}: ${FILE_NOT_IN_COPY}`);
      }
      if (row['status'] !== 'stored' || path === undefined) {
        const reason = textIn(row, 'reason') ?? 'no reason is known';
        if (row['status'] === LOST_STATUS) return textCell(`${name}: ${reason}`);
        return textCell(`${name}: not archived (${String(row['status'])}: ${reason})`);
      }
      if (base === undefined) return textCell(`${name}: ${path}`);
      return { text: textCell(name), hyperlink: base === '' ? path : `${base}/${path}` };
    },
  };
}

/** A name made of its kind and its extension: `table.csv`. */
function namelessFile(row: Row): string {
  const kind = (textIn(row, 'kind') ?? 'file').toLowerCase();
  const extension = textIn(row, 'path')?.split('.').at(-1);
  return extension === undefined ? kind : `${kind}.${extension}`;
}

function textIn(row: Row, column: string): string | undefined {
  const value = row[column];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
