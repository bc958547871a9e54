/** Hashes a job to tell whether it has changed, without the parts that differ with every read. */
import { piecesOf, SHOWN_CHARACTERS } from '../base/text/short-texts.js';
import { canonicalJson, sortedKeys } from '../base/text/canonical-json.js';
import { sha256Hex, TextDigest } from '../base/digest.js';
import { fileAddress, maskedText } from '../model/urls/file-url.js';
import { outlineOf } from '../model/json-outline.js';
import type { JobRecord, SessionRecord, Verbatim } from '../model/records.js';
import { readingOf } from './job-blocks.js';
import { exactValue } from './exact-value.js';
import type { FilePlace } from './file-places.js';

/** The pointers to files that are whole values, by the object or list that contains them. */
type Pointers = ReadonlyMap<unknown, ReadonlySet<string | number>>;

const NO_POINTERS: Pointers = new Map();

/**
 * SHA-256 of a job's record, without regard to key order and white space. Where a value is a pointer to
 * a file, its query and the `expires_at` beside it are ignored (`fileTraces` has them); in every other text
 * only a complete presigning scheme is ignored. Computable from
 * `raw_jobs.record`.
 */
export function contentHash(job: Verbatim<JobRecord>): string {
  const { value, places } = readingOf(job);
  return stableHash(value, pointersOf(places));
}

/** SHA-256 of the settings of a session, which point to no file. */
export function settingsHash(session: Verbatim<SessionRecord>): string {
  return stableHash(exactValue(session, outlineOf(session.text, 0)), NO_POINTERS);
}

/** Over a session's row in `sessions`: when it has changed, a new row is written. */
export function sessionRowHash(
  session: Verbatim<SessionRecord>,
  jobCount: number,
  isComplete: boolean,
): string {
  return sha256Hex(canonicalJson([settingsHash(session), jobCount, isComplete]));
}

function pointersOf(places: readonly FilePlace[]): Pointers {
  const pointers = new Map<unknown, Set<string | number>>();
  for (const { slot } of places) {
    if (!slot) continue;
    const keys = pointers.get(slot.holder);
    if (keys) keys.add(slot.key);
    else pointers.set(slot.holder, new Set([slot.key]));
  }
  return pointers;
}

/**
 * Like `canonicalJson`, without the parts that differ with every read; in one pass, without a copy of the tree. The
 * JSON is hashed as it is made: as one text of many concatenated pieces, that of 600,000 sources takes 400 MB.
 */
function stableHash(value: unknown, pointers: Pointers): string {
  const digest = new TextDigest();
  addStable(digest, value, pointers);
  return digest.hex();
}

function addStable(digest: TextDigest, value: unknown, pointers: Pointers): void {
  if (typeof value === 'string') {
    addText(digest, maskedText(value));
    return;
  }
  if (typeof value !== 'object' || value === null) {
    digest.add(JSON.stringify(value));
    return;
  }
  const pointerKeys = pointers.size === 0 ? undefined : pointers.get(value);
  let before = '';
  if (Array.isArray(value)) {
    digest.add('[');
    for (let index = 0; index < value.length; index++) {
      digest.add(before);
      addMember(digest, index, value[index], pointerKeys, pointers);
      before = ',';
    }
    digest.add(']');
    return;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  digest.add('{');
  for (const key of sortedKeys(fields)) {
    if (pointerKeys !== undefined && key === 'expires_at') continue;
    digest.add(before + keyJson(key));
    addMember(digest, key, fields[key], pointerKeys, pointers);
    before = ',';
  }
  digest.add('}');
}

/** @param pointerKeys which members of the same object or list are pointers */
function addMember(
  digest: TextDigest,
  key: string | number,
  value: unknown,
  pointerKeys: ReadonlySet<string | number> | undefined,
  pointers: Pointers,
): void {
  if (typeof value === 'string' && pointerKeys?.has(key) === true)
    addText(digest, fileAddress(value));
  else addStable(digest, value, pointers);
}

/** A text of megabytes in pieces: its JSON, and its UTF-8, are as long as itself. */
function addText(digest: TextDigest, text: string): void {
  if (text.length <= SHOWN_CHARACTERS) {
    digest.add(textJson(text));
    return;
  }
  digest.add('"');
  for (const piece of piecesOf(text)) digest.add(textJson(piece).slice(1, -1));
  digest.add('"');
}

/** Characters that JSON escapes or may escape: half a surrogate pair, not a whole one. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const MAY_BE_ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/** A text as JSON.stringify writes it. Calling that for plain texts and keys took a fifth of the time of hashing. */
function textJson(text: string): string {
  return MAY_BE_ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Records have few different keys: the first ones are cached as JSON. */
const KNOWN_KEYS = new Map<string, string>();
const MAX_KEYS = 1000;
const LONGEST_KEY = 64;

function keyJson(key: string): string {
  const known = KNOWN_KEYS.get(key);
  if (known !== undefined) return known;
  const json = `${JSON.stringify(key)}:`;
  if (KNOWN_KEYS.size < MAX_KEYS && key.length <= LONGEST_KEY) KNOWN_KEYS.set(key, json);
  return json;
}
