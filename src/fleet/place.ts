/** Where a run's archive is, as this machine reaches it. */
import type { StorageOptions } from '../storage/open-storage.js';
import type { RunRecord } from './run-record.js';

export interface Place {
  readonly out: string;
  readonly storage: StorageOptions | undefined;
}

/** @param own another path to the same archive, where the disk is mounted elsewhere here */
export function placeOf(
  record: RunRecord,
  own: { readonly [K in keyof Place]?: Place[K] | undefined },
): Place {
  return own.out === undefined
    ? { out: record.out, storage: record.storage }
    : { out: own.out, storage: own.storage };
}
