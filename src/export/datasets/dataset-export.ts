/** `--with-datasets`: exports name, description and contents of the project's datasets. */
import type { Archive } from '../../archive/archive.js';
import { rowsOfTable } from '../../archive/reading/rows/selected-rows.js';
import { concurrently } from '../../base/concurrently.js';
import { messageOf } from '../../base/error.js';
import { redactText } from '../../base/text/redact.js';
import { datasetRow, type DatasetParts } from '../../flatten/record-rows.js';
import { archivableRows } from '../../flatten/archivable-rows.js';
import { asDatasetId, type UserId } from '../../model/ids.js';
import type { DatasetRecord, Verbatim } from '../../model/records.js';
import type { Row } from '../../model/table-schema.js';
import { datasetsTable } from '../../model/tables.js';
import { freshAnswer } from '../../service/call.js';
import { staleText } from '../../service/service-errors.js';
import { BudgetSpentError } from '../../service/pace/request-budget.js';
import { PageGrant } from '../../service/page.js';
import { PageReader } from '../../service/page-reader.js';
import { readAll } from '../../service/read-all.js';
import type { ExportRun } from '../export-run.js';
import { gapOf, isSkippable, wholeGap, type Gap } from '../jobs/gap.js';

export interface DatasetsToExport {
  readonly archive: Archive;
  /** The first user with permission is enough: the list of datasets is that of the whole project. */
  readonly users: readonly UserId[];
}

export interface DatasetOutcome {
  /** Rows of new or changed datasets. */
  readonly rows: readonly Row[];
  readonly gaps: readonly Gap[];
  readonly errors: readonly unknown[];
  /** The budget ended before all were read: a later run reads the others. */
  readonly areLeft: boolean;
}

/** Refused users after which the datasets count as a gap. */
const MAX_REFUSALS = 10;
const CONCURRENCY = 8;
/** Columns that differ in every run. */
const PROVENANCE: ReadonlySet<string> = new Set(['run_id', 'exported_at']);

/**
 * Reads every dataset, because the service does not say which have changed.
 *
 * @throws only what ends the run
 */
export async function readDatasets(
  run: ExportRun,
  options: DatasetsToExport,
): Promise<DatasetOutcome> {
  const { archive, users } = options;
  let lastRefusal: { readonly user: UserId; readonly error: unknown } | undefined;
  for (const user of users.slice(0, MAX_REFUSALS)) {
    try {
      return await readFor(run, user, await newestRows(archive));
    } catch (error) {
      if (run.signal.aborted || run.failures.isFatal(error)) throw error;
      lastRefusal = { user, error };
    }
  }
  if (!lastRefusal) return { rows: [], gaps: [], errors: [], areLeft: false };
  const { user, error } = lastRefusal;
  return { rows: [], gaps: [datasetGap(user, null, error)], errors: [error], areLeft: false };
}

async function readFor(
  run: ExportRun,
  user: UserId,
  archived: ReadonlyMap<string, string>,
): Promise<DatasetOutcome> {
  const { service, signal } = run;
  const reader = new PageReader<DatasetRecord>({
    fetchPage: (range) => service.listDatasets({ userId: user, ...range, signal }),
    idOf: ({ id }) => id,
    grant: new PageGrant(run.grants.sessions.size),
    what: 'the datasets',
  });
  const rows: Row[] = [];
  const gaps: Gap[] = [];
  const errors: unknown[] = [];
  const failed = (dataset: string | null, error: unknown): void => {
    gaps.push(datasetGap(user, dataset, error));
    errors.push(error);
  };
  const pages = readAll(reader);
  for (;;) {
    const step = await unlessSpent(pages.next());
    if (!step) return { rows, gaps, errors, areLeft: true };
    if (step.done) {
      if (step.value.gap) failed(null, step.value.gap);
      return { rows, gaps, errors, areLeft: false };
    }
    const records = step.value.items.map(({ record }) => record);
    const parts: (DatasetParts | undefined)[] = [];
    await concurrently(records.entries(), CONCURRENCY, async ([at, listed]) => {
      parts[at] = await unlessSpent(readOne(run, user, listed, failed));
    });
    const read = parts.flatMap((dataset) => (dataset ? [datasetRow(run, dataset)] : []));
    const made = archivableRows(datasetsTable, read).rows;
    rows.push(...Array.from(made).filter((row) => archived.get(row.dataset_id) !== contentOf(row)));
    if (read.length < records.length) return { rows, gaps, errors, areLeft: true };
  }
}

/** Undefined once the budget is spent. */
async function unlessSpent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof BudgetSpentError) return undefined;
    throw error;
  }
}

/** A failed request is a gap, and so is the answer of a cache, which may be old; the name, from the listing, is kept. */
async function readOne(
  { service, signal, failures }: ExportRun,
  userId: UserId,
  listed: Verbatim<DatasetRecord>,
  failed: (dataset: string, error: unknown) => void,
): Promise<DatasetParts> {
  const datasetId = asDatasetId(listed.value.id);
  const orGap = async <T>(read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await freshAnswer(service, read, (header) => staleText(datasetId, header, 'dataset'));
    } catch (error) {
      if (error instanceof BudgetSpentError) throw error;
      if (signal.aborted || !isSkippable(error) || failures.isFatal(error)) throw error;
      failed(datasetId, error);
      return undefined;
    }
  };
  const request = { userId, datasetId, signal };
  return {
    listed,
    overview: await orGap(() => service.getDatasetOverview(request)),
    status: await orGap(() => service.getDatasetStatus(request)),
  };
}

/** The newest row of each dataset, read from the part files: datasets are not in the state. */
async function newestRows(archive: Archive): Promise<ReadonlyMap<string, string>> {
  const newest = new Map<string, Row>();
  for await (const row of rowsOfTable({ archive }, datasetsTable)) {
    const id = String(row['dataset_id']);
    const before = newest.get(id)?.['exported_at'];
    if (before == null || (row['exported_at'] ?? 0n) >= before) newest.set(id, row);
  }
  return new Map([...newest].map(([id, row]) => [id, contentOf(row)]));
}

function contentOf(row: Row): string {
  const cells = datasetsTable.columns.filter(({ name }) => !PROVENANCE.has(name));
  return JSON.stringify(cells.map(({ name }) => row[name] ?? null));
}

function datasetGap(user: UserId, dataset: string | null, error: unknown): Gap {
  const what = dataset === null ? 'the datasets' : `dataset ${dataset}`;
  const { status } = gapOf(user, null, error);
  return {
    user,
    session: null,
    ...wholeGap(status, redactText(`${what}: ${messageOf(error)}`)),
    kind: 'DATASET',
    dataset,
  };
}
