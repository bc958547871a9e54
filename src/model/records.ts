/**
 * The service's records, with the service's field names and documented types. Unknown fields stay on the object.
 * Only ids and counts are checked: another field may be missing, or have another type than is documented. So code
 * that must not lose anything reads fields with `textIn` and its like.
 */
import type { Json } from '../base/text/canonical-json.js';
import type { DatasetId, JobId, SessionId } from './ids.js';

/** A JSON object whose members are not checked. */
export interface JsonObject {
  readonly [key: string]: unknown;
}

export interface SessionRecord extends JsonObject {
  readonly id: SessionId;
  readonly name?: string | null;
  readonly output_language?: string | null;
  readonly job_mode?: string | null;
  /** Documented as 0 to 10; 76 has been seen. */
  readonly max_contextual_job_history?: number | null;
  readonly agent_id?: string | null;
}

export interface JobRecord extends JsonObject {
  readonly job_id: JobId;
  readonly question?: BlockList | null;
  readonly answer?: BlockList | null;
}

interface BlockList extends JsonObject {
  readonly blocks?: readonly BlockRecord[] | null;
}

/** A part of a question or an answer; the first two fields alone in a question. */
interface BlockRecord extends JsonObject {
  /** `MESSAGE`, `CODE`, `TABLE`, `IMAGE`, `SOURCES`, `QUESTIONS`, or another. */
  readonly type?: string | null;
  /** Depends on the type: a text; `{name, url, expires_at}` or a URL; a list of sources; a list of texts. */
  readonly content?: Json;
  readonly group_id?: string | number | null;
  readonly group_name?: string | null;
  /** `Analyze` or `Respond`. */
  readonly stage?: string | null;
}

export interface DatasetRecord extends JsonObject {
  readonly id: DatasetId;
  readonly name?: string | null;
  readonly description?: string | null;
}

export interface DatasetOverview extends JsonObject {
  readonly id: DatasetId;
  readonly name?: string | null;
  readonly description?: string | null;
  readonly summary?: string | null;
  readonly exploration_questions?: readonly string[] | null;
  readonly keywords?: readonly string[] | null;
}

export interface DatasetStatus extends JsonObject {
  readonly synched_count: number;
  readonly invalid_count: number;
  readonly synching_count: number;
}

/** A record with the exact JSON text that it was parsed from. */
export interface Verbatim<T> {
  readonly value: T;
  readonly text: string;
}

export const OUTPUT_LANGUAGES = [
  'AUTO',
  'EN',
  'ES',
  'AR',
  'PT',
  'ID',
  'JA',
  'RU',
  'HI',
  'FR',
  'DE',
  'VI',
  'TR',
  'PL',
  'IT',
  'KO',
  'ZH-CN',
  'ZH-TW',
] as const;
export const JOB_MODES = ['AUTO', 'DATA_ANALYTICS'] as const;
export const AGENT_IDS = ['DATA_ANALYSIS_AGENT'] as const;

/** The service's own limits. Lengths count characters. */
export const LIMITS = {
  /** The service forgets the oldest when there are more. */
  sessionsPerUser: 150,
  nameLength: 128,
  descriptionLength: 5000,
  searchLength: 128,
  traceIdLength: 128,
  minContextualJobHistory: 0,
  maxContextualJobHistory: 10,
} as const;

/** The object itself, or `undefined` for anything else (arrays and null included). */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

/** The status of a file that a record points to. Every status except `stored` is a gap. */
export type ArtifactStatus =
  | 'stored'
  | 'expired'
  /** Its host refuses fresh URLs, too. */
  | 'forbidden'
  | 'missing'
  | 'rejected'
  | 'unresolved'
  | 'failed'
  /** A file of a kind that jobvault does not fetch: see `file-references.ts`. */
  | 'not_fetched';

/** Where something is that is no file of a block: a gap of a session, a row of a job. */
export const NO_PLACE = { role: null, block_index: null, file_index: null } as const;

/** Whether a gap is a file that was not fetched, of a kind for which the user has accepted that. */
export function isAcceptedGap(
  { status, kind }: { readonly status: string; readonly kind: string | null },
  accepted: ReadonlySet<string>,
): boolean {
  return status === 'not_fetched' && accepted.has(kind ?? '');
}
