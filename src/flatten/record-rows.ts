/** The row of a session, and that of a dataset, so that `sources.dataset_id` joins to a name. */
import { createdAtOf } from '../model/times/created-at.js';
import type { RunId, UserId } from '../model/ids.js';
import type {
  SessionRecord,
  Verbatim,
  DatasetOverview,
  DatasetRecord,
  DatasetStatus,
  JsonObject,
} from '../model/records.js';
import {
  fieldColumns,
  type CellValue,
  type Column,
  type FieldsOf,
  type RowOf,
  type TableSchema,
} from '../model/table-schema.js';
import { sessionsTable, datasetsTable } from '../model/tables.js';
import { textWithout } from '../model/json-parts.js';

/** What the service's records have of a table: the cells of columns that are fields, and the fields without a column. */
export class RecordFields<T extends TableSchema> {
  readonly #empty: Readonly<Record<string, null>>;
  readonly #columns: ReturnType<typeof fieldColumns>;

  /** @param answer which of the service's answers, where a row is made of several */
  constructor(table: T, answer?: string) {
    const all = table.columns.filter(({ field, isKey }) => field !== undefined && !isKey);
    this.#empty = Object.fromEntries(all.map(({ name }) => [name, null]));
    this.#columns = fieldColumns(table, answer);
  }

  /** Null where a field is absent or its value does not fit the column. */
  cells(record: JsonObject | undefined): FieldsOf<T> {
    const cells: Record<string, CellValue> = { ...this.#empty };
    for (const column of this.#columns) {
      if (!column.isKey) cells[column.name] = cellFrom(column, record?.[column.field]);
    }
    return cells as FieldsOf<T>;
  }

  /**
   * The record's own JSON without the fields that have a column, so that nothing that the service sent is dropped;
   * null when none is left. A field whose value does not fit its column stays, under its own name; so does an explicit
   * null, since the column is null for an absent field, too.
   */
  extraJson({ value, text }: Verbatim<JsonObject>): string | null {
    const placed = this.#columns.filter(
      (column) =>
        Object.hasOwn(value, column.field) && cellFrom(column, value[column.field]) !== null,
    );
    return textWithout(text, new Set(placed.map(({ field }) => field)));
  }
}

/** A list becomes its JSON. */
function cellFrom({ type, isJson }: Column, value: unknown): CellValue {
  if (isJson) return Array.isArray(value) ? JSON.stringify(value) : null;
  if (type === 'int32') return typeof value === 'number' && value === (value | 0) ? value : null;
  return typeof value === 'string' ? value : null;
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

const SESSION = new RecordFields(sessionsTable);

export function sessionRow(
  context: SessionContext,
  session: Verbatim<SessionRecord>,
): RowOf<typeof sessionsTable> {
  const { value } = session;
  const createdAt = createdAtOf(value.id);
  return {
    user_id: context.userId,
    session_id: value.id,
    session_version: context.sessionVersion,
    ...SESSION.cells(value),
    job_count: context.jobCount,
    is_complete: context.isComplete,
    extra_json: SESSION.extraJson(session),
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

const LISTED = new RecordFields(datasetsTable, 'listed');
const OVERVIEW = new RecordFields(datasetsTable, 'overview');
const STATUS = new RecordFields(datasetsTable, 'status');

/** What could not be read is null. Name and description are taken from the overview first: there they are not cut. */
export function datasetRow(
  context: { readonly runId: RunId; readonly exportedAt: bigint },
  { listed, overview, status }: DatasetParts,
): RowOf<typeof datasetsTable> {
  return {
    dataset_id: listed.value.id,
    ...LISTED.cells(listed.value),
    ...valuesOf(OVERVIEW.cells(overview?.value)),
    ...valuesOf(STATUS.cells(status)),
    extra_json: extrasOf({ listed, overview, status }),
    run_id: context.runId,
    exported_at: context.exportedAt,
  };
}

/** The cells that are not null. */
function valuesOf<C extends object>(cells: C): Partial<C> {
  return Object.fromEntries(
    Object.entries(cells).filter(([, cell]) => cell !== null),
  ) as Partial<C>;
}

/** Fields without a column, by the operation that returned them; null if there are none. */
function extrasOf({ listed, overview, status }: DatasetParts): string | null {
  const parts = [
    ['listed', LISTED.extraJson(listed)],
    ['overview', overview ? OVERVIEW.extraJson(overview) : null],
    ['status', status ? STATUS.extraJson({ value: status, text: JSON.stringify(status) }) : null],
  ] as const;
  const members = parts.flatMap(([name, json]) => (json === null ? [] : [`"${name}":${json}`]));
  return members.length === 0 ? null : `{${members.join(',')}}`;
}
