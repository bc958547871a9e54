/** Parses a job's record once, and caches the result as long as the record lives. */
import { outlineOf, type JsonOutline } from '../model/json-outline.js';
import type { Verbatim } from '../model/records.js';
import { exactValue } from './exact-json.js';
import { filePlaces, type FilePlace } from './file-places.js';

export interface RecordReading {
  /** Down to the blocks. */
  readonly outline: JsonOutline;
  /** As `exactValue` has it. */
  readonly value: unknown;
  readonly places: readonly FilePlace[];
}

/** Record, question, list of blocks. */
const DEPTH = 3;

/** Hash, traces, references and rows all need it: parsing each time took a third of the time of an export. */
const KNOWN = new WeakMap<Verbatim<unknown>, RecordReading>();

/** @throws {RangeError} the text is not JSON */
export function readingOf(record: Verbatim<unknown>): RecordReading {
  const known = KNOWN.get(record);
  if (known) return known;
  const outline = outlineOf(record.text, DEPTH);
  const value = exactValue(record, outline);
  const reading = { outline, value, places: filePlaces(value) };
  KNOWN.set(record, reading);
  return reading;
}
