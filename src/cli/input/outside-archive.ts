/** Refuses an output path inside an archive. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { UsageError } from '../../base/error.js';
import { schemeOf } from '../../storage/open-storage.js';

/** @throws {UsageError} `place` is the archive or lies in it, also through symbolic links */
export async function assertOutsideArchive(place: string, archive: string): Promise<void> {
  if (isUrl(place) && isUrl(archive)) {
    if (!`${trimmed(place)}/`.startsWith(`${trimmed(archive)}/`)) return;
    throw insideArchive(place);
  }
  if (isUrl(place) || isUrl(archive)) return;
  const way = relative(await realPath(archive), await realPath(place));
  if (way === '' || !/^\.\.(?![^/\\])|^[a-z]:/i.test(way)) {
    throw insideArchive(place);
  }
}

/** Whether the place has a scheme, as `s3://` is; otherwise it is a path. */
export const isUrl = (place: string): boolean => schemeOf(place) !== undefined;
const trimmed = (place: string): string => place.replace(/\/+$/, '').replace(/^s3:/i, 's3:');

function insideArchive(place: string): UsageError {
  return new UsageError(`${place} is inside the archive; name a place outside it`);
}

/** The real path of a place, also of one that does not exist yet. */
async function realPath(place: string): Promise<string> {
  const path = resolve(place);
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realPath(parent), basename(path));
  }
}
