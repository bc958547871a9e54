/** Chooses the format of a query's rows and writes them. */
import { extname } from 'node:path';
import { UsageError } from '../../base/error.js';
import type { TextKind } from '../../formats/xlsx/text-sheet.js';
import type { ValuesOf } from '../../config/resolve-settings.js';
import type { querySettings } from '../../config/search-settings.js';
import type { ResultColumn } from '../../query/result-columns.js';
import type { CommitOf, QueryResult, ResultRow } from '../../query/query-result.js';
import { csvText, isTime, jsonArray, jsonLines } from '../../query/result-text.js';
import type { TextOutput } from './terminal.js';
import type { CaveatsToldByArchive } from './tell-caveats.js';
import { resultTable } from './result-table.js';

type Settings = Pick<
  ValuesOf<typeof querySettings>,
  'output' | 'to' | 'maxRows' | 'excel' | 'csvSeparator'
> & {
  readonly json: boolean;
};
export type Output = NonNullable<Settings['output']>;

const BY_ENDING: Readonly<Record<string, Output>> = {
  '.txt': 'table',
  '.csv': 'csv',
  '.json': 'json',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.parquet': 'parquet',
  '.xlsx': 'xlsx',
};

/** @throws {UsageError} the flags contradict each other */
export function chosenOutput(settings: Settings, stdout: TextOutput): Output {
  const chosen = formatOf(settings, stdout);
  const isLine = settings.json && settings.to === undefined;
  const ofCsv = flagOfCsv(settings);
  if (ofCsv !== undefined && (chosen !== 'csv' || isLine)) {
    const what = isLine ? '--json' : chosen;
    throw new UsageError(`${ofCsv} is for CSV, not for ${what}; a workbook is --to FILE.xlsx`);
  }
  return chosen;
}

function flagOfCsv({ excel, csvSeparator }: Settings): string | undefined {
  if (excel) return '--excel';
  return csvSeparator === undefined ? undefined : '--csv-separator';
}

function formatOf({ output, to, json }: Settings, stdout: TextOutput): Output {
  if (to !== undefined) {
    const ofEnding = BY_ENDING[extname(to).toLowerCase()];
    if (output !== undefined && ofEnding !== undefined && output !== ofEnding) {
      throw new UsageError(
        `--to ${to} is the name of a file of ${ofEnding}, not of ${output}; leave out --output, or give the file another ending`,
      );
    }
    const chosen = output ?? ofEnding;
    if (chosen) return chosen;
    throw new UsageError(
      `--to ${to} has no known ending; allowed is a name that ends in ${Object.keys(BY_ENDING).join(', ')}, or --output`,
    );
  }
  if (json && output !== undefined) {
    throw new UsageError(`--json and --output ${output} exclude each other without --to FILE`);
  }
  if ((output === 'parquet' || output === 'xlsx') && stdout.isTTY === true) {
    throw new UsageError(`--output ${output} is not for a terminal; give --to FILE, or pipe it`);
  }
  return output ?? (stdout.isTTY === true ? 'table' : 'csv');
}

/** @param width the columns of the terminal, for a table */
export async function* written(
  result: QueryResult,
  output: Output,
  {
    maxRows,
    excel,
    csvSeparator,
    width,
  }: Pick<Settings, 'maxRows' | 'excel' | 'csvSeparator'> & {
    readonly width?: number | undefined;
  },
): AsyncGenerator<string | Uint8Array> {
  const { columns, rowCount } = result;
  switch (output) {
    case 'table': {
      const rows: ResultRow[] = [];
      for await (const some of result.rows(maxRows === 0 ? undefined : maxRows)) rows.push(...some);
      yield resultTable({ columns, rows, rowCount, width });
      return;
    }
    case 'csv':
      if (excel) yield '\uFEFF';
      yield* csvText(columns, result.rows(), {
        separator: csvSeparator === 'tab' ? '\t' : csvSeparator,
        hasDecimalComma: excel && csvSeparator === ';',
        hasPlainTimes: excel,
        hasPlainKeys: !excel,
      });
      return;
    case 'json':
      yield* jsonArray(columns, result.rows(), ',\n');
      yield '\n';
      return;
    case 'jsonl':
      yield* jsonLines(columns, result.rows());
      return;
    case 'parquet':
      yield* result.parquet();
      return;
    case 'xlsx':
      yield* workbookOf(result);
  }
}

async function* workbookOf(result: QueryResult): AsyncGenerator<Uint8Array> {
  const { writeTextWorkbook } = await import('../../formats/xlsx/text-sheet.js');
  const { SHEET_LIMITS } = await import('../../formats/xlsx/workbook.js');
  const pipe = new TransformStream<Uint8Array, Uint8Array>();
  const writer = pipe.writable.getWriter();
  const columns = result.columns.map(({ name, type, form }) => ({
    name,
    kind: kindOf(type, form),
  }));
  const rows = () => result.rows();
  const made = writeTextWorkbook(writer, { name: 'result', columns, rows, limits: SHEET_LIMITS })
    .then(() => writer.close())
    // the reader gets the error
    .catch((error: unknown) => writer.abort(error));
  yield* pipe.readable;
  await made;
}

function kindOf(type: string, form: ResultColumn['form']): TextKind {
  if (form === 'number' || form === 'boolean') return form;
  if (type === 'DATE') return 'date';
  return isTime(type) ? 'time' : 'text';
}

/** The line of `--json`: archives with their commits and caveats, columns, rows. */
export async function* resultLine(
  result: QueryResult,
  caveats: CaveatsToldByArchive,
): AsyncGenerator<string> {
  yield `${JSON.stringify(resultHead(result, caveats)).slice(0, -1)},"rows":`;
  yield* jsonArray(result.columns, result.rows());
  yield '}\n';
}

/** `{"archive":…,"commit":…}`, or of several `{"archives":[…]}` with the same of each. */
export function headOf(commits: readonly CommitOf[]): object {
  return commits.length === 1 ? { ...commits[0] } : { archives: commits };
}

export function resultHead(result: QueryResult, caveats: CaveatsToldByArchive) {
  const { commits, unverifiedBytes, columns, rowCount } = result;
  const several = commits.length === 1 ? {} : { users_in_several: result.usersInSeveral };
  return {
    ...headOf(commits.map((commit) => ({ ...commit, caveats: caveats.get(commit.archive) ?? [] }))),
    ...several,
    unverified_bytes: unverifiedBytes,
    columns: columns.map(({ name, type }) => ({ name, type })),
    row_count: rowCount,
  };
}
