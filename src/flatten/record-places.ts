/** A record's value with every digit, and its pointers to files: found once, and kept as long as the record is. */
import type { Verbatim } from '../model/records.js';
import { exactValue } from './exact-json.js';
import { filePlaces, type FilePlace } from './file-places.js';

export interface RecordPlaces {
  /** As `exactValue` has it. */
  readonly value: unknown;
  readonly places: readonly FilePlace[];
}

/** Hash, traces, references and rows of a job all ask for the same walk: it was a third of an export's time. */
const KNOWN = new WeakMap<Verbatim<unknown>, RecordPlaces>();

export function placesOf(record: Verbatim<unknown>): RecordPlaces {
  const known = KNOWN.get(record);
  if (known) return known;
  const value = exactValue(record);
  const found = { value, places: filePlaces(value) };
  KNOWN.set(record, found);
  return found;
}
