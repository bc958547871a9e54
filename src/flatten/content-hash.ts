/** The digest that tells whether a job has changed: blind to what changes with every read. */
import { canonicalJson, type Json } from '../base/canonical-json.js';
import { sha256Hex } from '../base/digest.js';
import { fileAddress, maskedText } from '../model/file-url.js';
import type { JobRecord, SessionRecord, Verbatim } from '../model/records.js';
import { exactValue } from './exact-json.js';
import { filePlaces } from './file-places.js';

/** The pointers to files that are a value of their own, by the object or list that holds them. */
type Pointers = ReadonlyMap<object, ReadonlySet<string | number>>;

const NO_POINTERS: Pointers = new Map();

/**
 * SHA-256 of a job's record, without regard to key order and white space. Where a value is a pointer to
 * a file, its query and the `expires_at` beside it count for nothing (`fileTraces` has them); in every
 * other text nothing but a presigning scheme that is there as a whole does. Computable from
 * `raw_jobs.record`.
 */
export function contentHash(job: Verbatim<JobRecord>): string {
  const value = exactValue(job);
  return sha256Hex(canonicalJson(stable(value, pointersOf(value))));
}

/** Likewise for the settings of a session, which point to no file. */
export function settingsHash(session: Verbatim<SessionRecord>): string {
  return sha256Hex(canonicalJson(stable(exactValue(session), NO_POINTERS)));
}

/** Of all that a session's row in `sessions` says: a new row is written where this has changed. */
export function sessionRowHash(
  session: Verbatim<SessionRecord>,
  jobCount: number,
  isComplete: boolean,
): string {
  return sha256Hex(canonicalJson([settingsHash(session), jobCount, isComplete]));
}

function pointersOf(value: unknown): Pointers {
  const pointers = new Map<object, Set<string | number>>();
  for (const { slot } of filePlaces(value)) {
    if (!slot) continue;
    const keys = pointers.get(slot.holder);
    if (keys) keys.add(slot.key);
    else pointers.set(slot.holder, new Set([slot.key]));
  }
  return pointers;
}

function stable(value: unknown, pointers: Pointers): Json {
  if (typeof value === 'string') return maskedText(value);
  if (typeof value !== 'object' || value === null) return value as Json;
  const own = pointers.get(value);
  const member = (key: string | number, one: unknown): Json =>
    own?.has(key) === true && typeof one === 'string' ? fileAddress(one) : stable(one, pointers);
  if (Array.isArray(value)) return value.map((one: unknown, index) => member(index, one));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => own === undefined || key !== 'expires_at')
      .map(([key, one]: [string, unknown]) => [key, member(key, one)]),
  );
}
