/** The row of a session, and that of a dataset, so that `sources.dataset_id` joins to a name. */
import { createdAtOf } from '../model/created-at.js';
import type { RunId, UserId } from '../model/ids.js';
import type {
  SessionRecord,
  Verbatim,
  DatasetOverview,
  DatasetRecord,
  DatasetStatus,
  JsonObject,
} from '../model/records.js';
import type { RowOf } from '../model/table-schema.js';
import type { sessionsTable, datasetsTable } from '../model/tables.js';
import { textWithout } from '../model/json-outline.js';

/** The fields of a record that have no column, so that nothing that the service sent is dropped. */

/** For each known field, whether a value fits its column. */
export type KnownFields = Readonly<Record<string, (value: unknown) => boolean>>;

export const fitsText = (value: unknown): boolean => typeof value === 'string';

export const fitsInt32 = (value: unknown): boolean =>
  typeof value === 'number' && value === (value | 0);

/**
 * The record's own JSON without the fields that have a column; null when none is left. A known field
 * whose value does not fit its column stays, under its own name; so does an explicit null, since the
 * column is null for an absent field, too.
 */
export function extraJson(record: Verbatim<JsonObject>, known: KnownFields): string | null {
  const placed = Object.keys(known).filter(
    (name) => Object.hasOwn(record.value, name) && known[name]?.(record.value[name]),
  );
  return textWithout(record.text, new Set(placed));
}

export interface SessionContext {
  readonly userId: UserId;
  /** From 1; grows whenever the session is written again. */
  readonly sessionVersion: number;
  /** Jobs of the session in the archive, this run's included. */
  readonly jobCount: number;
  readonly isComplete: boolean;
  /** The earliest known time by which one of its jobs had been asked. */
  readonly firstJobBefore: bigint | null;
  readonly runId: RunId;
  readonly exportedAt: bigint;
}

const SESSION_FIELDS = {
  id: fitsText,
  name: fitsText,
  output_language: fitsText,
  job_mode: fitsText,
  max_contextual_job_history: fitsInt32,
  agent_id: fitsText,
};

export function sessionRow(
  context: SessionContext,
  session: Verbatim<SessionRecord>,
): RowOf<typeof sessionsTable> {
  const { value } = session;
  const createdAt = createdAtOf(value.id);
  const text = (field: unknown): string | null => (typeof field === 'string' ? field : null);
  const history = value.max_contextual_job_history;
  return {
    user_id: context.userId,
    session_id: value.id,
    session_version: context.sessionVersion,
    name: text(value.name),
    output_language: text(value.output_language),
    job_mode: text(value.job_mode),
    max_contextual_job_history: typeof history === 'number' && fitsInt32(history) ? history : null,
    agent_id: text(value.agent_id),
    job_count: context.jobCount,
    is_complete: context.isComplete,
    extra_json: extraJson(session, SESSION_FIELDS),
    created_at: createdAt?.micros ?? null,
    created_at_source: createdAt?.source ?? null,
    created_after: createdAt?.micros ?? null,
    created_before: createdAt?.micros ?? context.firstJobBefore,
    run_id: context.runId,
    exported_at: context.exportedAt,
  };
}

export interface DatasetParts {
  /** From the listing. */
  readonly listed: Verbatim<DatasetRecord>;
  /** Undefined if it could not be read. */
  readonly overview: Verbatim<DatasetOverview> | undefined;
  /** Undefined if it could not be read. */
  readonly status: DatasetStatus | undefined;
}

const fitsList = (value: unknown): boolean => Array.isArray(value);
const LISTED_FIELDS = { id: fitsText, name: fitsText, description: fitsText };
const OVERVIEW_FIELDS = {
  ...LISTED_FIELDS,
  summary: fitsText,
  keywords: fitsList,
  exploration_questions: fitsList,
};
const COUNTS = ['synched_count', 'invalid_count', 'synching_count'] as const;

/** What could not be read is null. Name and description are taken from the overview first: there they are not cut. */
export function datasetRow(
  context: { readonly runId: RunId; readonly exportedAt: bigint },
  { listed, overview, status }: DatasetParts,
): RowOf<typeof datasetsTable> {
  const shown = overview?.value;
  const count = (name: (typeof COUNTS)[number]): number | null => {
    const value = status?.[name];
    return value !== undefined && fitsInt32(value) ? value : null;
  };
  return {
    dataset_id: listed.value.id,
    name: text(shown?.name) ?? text(listed.value.name),
    description: text(shown?.description) ?? text(listed.value.description),
    summary: text(shown?.summary),
    keywords: listText(shown?.keywords),
    exploration_questions: listText(shown?.exploration_questions),
    synched_count: count('synched_count'),
    invalid_count: count('invalid_count'),
    synching_count: count('synching_count'),
    extra_json: extrasOf({ listed, overview, status }),
    run_id: context.runId,
    exported_at: context.exportedAt,
  };
}

/** Fields without a column, by the operation that returned them; null if there are none. */
function extrasOf({ listed, overview, status }: DatasetParts): string | null {
  const beyond = status && {
    ...Object.fromEntries(
      Object.entries(status).filter(
        ([name, value]) => !COUNTS.some((known) => known === name && fitsInt32(value)),
      ),
    ),
  };
  const parts = [
    ['listed', extraJson(listed, LISTED_FIELDS)],
    ['overview', overview ? extraJson(overview, OVERVIEW_FIELDS) : null],
    ['status', beyond && Object.keys(beyond).length > 0 ? JSON.stringify(beyond) : null],
  ] as const;
  const members = parts.flatMap(([name, json]) => (json === null ? [] : [`"${name}":${json}`]));
  return members.length === 0 ? null : `{${members.join(',')}}`;
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function listText(value: unknown): string | null {
  return Array.isArray(value) ? JSON.stringify(value) : null;
}
