/** Reads Delta tables with ClickHouse (npm's `chdb`, on delta-kernel-rs): a reader that nobody here has written. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
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
require('node:readline')
  .createInterface({ input: process.stdin })
  .on('line', (line) => process.stdout.write(JSON.stringify(JSON.parse(line).map(answer)) + '\\n'));
`;

interface Answer {
  readonly lines?: string;
  readonly error?: string;
}

/** One process for all questions of a test file, since it takes a second to start; it ends with its input. */
class Reader {
  readonly #child = spawn(process.execPath, ['-e', SCRIPT, String(chdb)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  readonly #answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();

  async ask(statements: readonly string[]): Promise<readonly Answer[]> {
    this.#child.stdin.write(`${JSON.stringify(statements)}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error('ClickHouse has ended');
    return JSON.parse(value) as Answer[];
  }
}

let reader: Reader | undefined;

/** Rows of each statement as lists of texts and nulls; an error where one fails. One call at a time. */
export async function chdbRows(
  statements: readonly string[],
): Promise<readonly (readonly (readonly unknown[])[] | Error)[]> {
  reader ??= new Reader();
  return (await reader.ask(statements)).map(({ lines, error }) => {
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
