/** A person's workbook as a file of a directory or a bucket: whole, or not there. */
import { UsageError } from '../base/usage-error.js';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import { writeWorkbook, type WorkbookOptions, type WorkbookSummary } from './write-workbook.js';

/**
 * @param out `FILE.xlsx` or `s3://bucket/FILE.xlsx`; one that is there is replaced
 * @throws {UsageError} it does not name a workbook; as `writeWorkbook`
 */
export async function makeWorkbook(
  out: string,
  options: Omit<WorkbookOptions, 'target' | 'name'>,
  storage?: StorageOptions,
): Promise<WorkbookSummary> {
  const { place, name } = placeOf(out);
  const target = openStorage(place, storage);
  try {
    return await writeWorkbook({ ...options, target, name });
  } finally {
    await target.close();
  }
}

function placeOf(out: string): { readonly place: string; readonly name: string } {
  const end = /^(?:(.*)[/])?([^/\\]+\.xlsx)$/is.exec(out);
  const [, place, name] = end ?? [];
  if (name === undefined || place?.endsWith(':/') === true) {
    throw new UsageError(`${out} is no workbook; allowed is a file whose name ends in .xlsx`);
  }
  return { place: place === '' ? '/' : (place ?? '.'), name };
}
