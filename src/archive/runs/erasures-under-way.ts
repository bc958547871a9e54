/** Finds erasures with files in `_erasures/`: prepared, begun, or left by a dead run. */
import { asRunId, type RunId } from '../../model/ids.js';
import type { Storage } from '../../storage/storage.js';
import { listOwn } from '../foreign-files.js';
import { ERASURES_PREFIX } from '../paths.js';

/** @returns the runs whose erasures they are */
export async function erasuresUnderWay(storage: Storage): Promise<Set<RunId>> {
  const ids = new Set<RunId>();
  for await (const object of listOwn(storage, ERASURES_PREFIX)) {
    const id = /^_erasures\/([0-9A-HJKMNP-TV-Z]{26})\//.exec(object.path)?.[1];
    if (id !== undefined) ids.add(asRunId(id));
  }
  return ids;
}
