/**
 * The service's records, with the service's field names. Unknown fields stay on the object. Fields may have an
 * unexpected type, so most are `unknown`.
 */
import type { DatasetId, JobId, SessionId } from './ids.js';

/** A JSON object whose members are not checked. */
export interface JsonObject {
  readonly [key: string]: unknown;
}

export interface SessionRecord extends JsonObject {
  readonly id: SessionId;
  readonly name?: unknown;
  readonly output_language?: unknown;
  readonly job_mode?: unknown;
  /** Documented as 0 to 10; 76 has been seen. */
  readonly max_contextual_job_history?: unknown;
  readonly agent_id?: unknown;
}

export interface JobRecord extends JsonObject {
  readonly job_id: JobId;
  readonly question?: unknown;
  readonly answer?: unknown;
}

export interface DatasetRecord extends JsonObject {
  readonly id: DatasetId;
  readonly name?: unknown;
  readonly description?: unknown;
}

export interface DatasetOverview extends JsonObject {
  readonly id: DatasetId;
  readonly name?: unknown;
  readonly description?: unknown;
  readonly summary?: unknown;
  readonly exploration_questions?: unknown;
  readonly keywords?: unknown;
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
