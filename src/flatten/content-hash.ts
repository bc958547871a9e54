/** The digest that tells whether a job has changed: blind to what changes with every read. */
import { canonicalJson, type Json } from '../base/canonical-json.js';
import { sha256Hex } from '../base/digest.js';
import type { JobRecord, SessionRecord, Verbatim } from '../model/records.js';
import { unsignedReference, unsignedText } from '../model/signed-url.js';
import { exactValue } from './exact-json.js';

/**
 * SHA-256 of a job's record without URL signatures (also inside Markdown), without `expires_at`
 * beside a `url`, and without regard to key order and white space. Computable from `raw_jobs.record`.
 */
export function contentHash(job: Verbatim<JobRecord>): string {
  return sha256Hex(canonicalJson(stable(exactValue(job))));
}

/** Likewise for the settings of a session. */
export function settingsHash(session: Verbatim<SessionRecord>): string {
  return sha256Hex(canonicalJson(stable(exactValue(session))));
}

/** Of all that a session's row in `sessions` says: a new row is written where this has changed. */
export function sessionRowHash(
  session: Verbatim<SessionRecord>,
  jobCount: number,
  isComplete: boolean,
): string {
  return sha256Hex(canonicalJson([settingsHash(session), jobCount, isComplete]));
}

function stable(value: unknown): Json {
  if (typeof value === 'string') return unsignedText(value);
  if (Array.isArray(value)) return value.map(stable);
  if (typeof value !== 'object' || value === null) return value as Json;
  const hasUrl = Object.hasOwn(value, 'url');
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !(hasUrl && key === 'expires_at'))
      .map(([key, member]: [string, unknown]) => [
        key,
        // a `url` is one, whatever characters stand in it
        key === 'url' && typeof member === 'string' ? unsignedReference(member) : stable(member),
      ]),
  );
}
