/** Reads Delta tables with ClickHouse (npm's `chdb`, on delta-kernel-rs): a reader that nobody here has written. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { TableSchema } from '../../../src/model/table-schema.js';
import { chdb } from '../../services/programs.js';

/** ClickHouse reads local files below its working directory alone, so it is loaded from the root. */
const SCRIPT = `
process.chdir('/');
const { query } = require(process.argv[1]);
const answer = (sql) => {
  try {
    return { lines: query(sql, 'JSONCompactEachRow') };
  } catch (error) {
    return { error: String(error.message ?? error) };
  }
};
process.stdout.write(JSON.stringify(JSON.parse(process.argv[2]).map(answer)));
`;

/** Rows of each statement as lists of texts and nulls; an error where one fails. */
export async function chdbRows(
  statements: readonly string[],
): Promise<readonly (readonly (readonly unknown[])[] | Error)[]> {
  const given = ['-e', SCRIPT, String(chdb), JSON.stringify(statements)];
  const { stdout } = await promisify(execFile)(process.execPath, given, { maxBuffer: 2 ** 28 });
  const answers = JSON.parse(stdout) as { readonly lines?: string; readonly error?: string }[];
  return answers.map(({ lines, error }) => {
    if (lines === undefined) return new Error(error);
    const texts = lines.split('\n').filter((line) => line !== '');
    return texts.map((line) => JSON.parse(line) as unknown[]);
  });
}

/** Reads a table as of a version, the newest by default: its columns in order, as texts; times in microseconds. */
export function selectDelta(directory: string, table: TableSchema, version?: number): string {
  const columns = table.columns.map(({ name, type }) =>
    type === 'ts' ? `toString(toUnixTimestamp64Micro("${name}"))` : `toString("${name}")`,
  );
  const at = version === undefined ? '' : ` SETTINGS delta_lake_snapshot_version = ${version}`;
  return `SELECT ${columns.join(', ')} FROM deltaLakeLocal('${directory}/tables/${table.name}')${at}`;
}
