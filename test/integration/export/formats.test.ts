/** One export in three formats, read back by DuckDB, parquetjs-lite, JSON.parse and exceljs: equal cell by cell. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesOfTable } from '../../../src/archive/archive.js';
import type { Row, TableSchema } from '../../../src/model/table-schema.js';
import { SEARCH_COLUMNS, TABLES, tableNamed } from '../../../src/model/tables.js';
import { formatTimestamp } from '../../../src/model/times/timestamp.js';
import { duckDbColumns, DUCKDB_TYPES, sqlText } from '../../support/tables/duckdb-rows.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { foundSheets, shownValue, type FoundSheet } from '../../support/tables/workbook-cells.js';

const CONTINUED = '… [the whole text is in the sheet long_text]';

const AWKWARD = [
  '=1+1',
  '+49 30 1234',
  '-1',
  '@SUM(A1)',
  '\t=cmd|calc',
  '\r=1',
  '{"formula":"1+1"}',
  '_x0041_ _x005F_x0041_',
  'NaN',
  'null',
  '',
  ' leading and trailing ',
  'a\r\nb\rc\nd',
  'bell \u0007 NUL \u0000 U+FFFE \ufffe U+FFFF \uffff delete \u007f',
  '👩‍👩‍👧‍👦 🙂 e\u0301 \u202eright to left\u202c',
  `${'x'.repeat(32_766)}🙂${'y'.repeat(7300)}`,
  '🙂'.repeat(20_000),
  "'quoted'",
];

interface ParquetJs {
  ParquetReader: {
    openBuffer(bytes: Buffer): Promise<{
      getCursor(): { next(): Promise<Record<string, unknown> | null> };
      close(): Promise<void>;
    }>;
  };
}
const parquetJs = createRequire(import.meta.url)('parquetjs-lite') as ParquetJs;

describe('one export as parquet, jsonl and xlsx', () => {
  let rig: ExportRig;
  let sheets: FoundSheet[];
  const rows = new Map<string, readonly Row[]>();
  const longTexts = new Map<string, string>();

  beforeAll(async () => {
    // the first two users have every oddity of the seed between them
    rig = await ExportRig.start({ users: 2, sessions: 4, jobs: 12, exactJobs: true });
    const [user = ''] = rig.state.userIds();
    const session = rig.state.addSession(user, { name: '=HYPERLINK("x")', note: '@1' });
    for (const [index, content] of AWKWARD.entries()) {
      const block = { type: 'MESSAGE', content, stage: 'Respond', group_id: '-1', group_name: '' };
      const code = { ...block, type: 'CODE', group_id: `=g${index}`, group_name: content };
      rig.state.addJob(user, session, {
        job_id: `=job-${index}`,
        question: { blocks: [{ type: 'MESSAGE', content }] },
        answer: { blocks: [block, code, { type: 'QUESTIONS', content: [content] }] },
      });
    }
    const formats = ['parquet', 'jsonl', 'xlsx'] as const;
    const summary = await rig.export({ formats, parquetCodec: 'snappy' });
    expect(summary.status).toBe('complete');
    for (const { name } of TABLES) rows.set(name, await rig.rows(name));
    const [workbook = ''] = await rig.files('workbooks');
    sheets = await foundSheets(await readFile(join(rig.out, workbook)));
    const long = sheets.find(({ name }) => name === 'long_text')?.rows.slice(1) ?? [];
    for (const [table, key, , text] of long) {
      const id = `${String(table)} ${String(key)}`;
      longTexts.set(id, (longTexts.get(id) ?? '') + String(text));
    }
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const tables = TABLES.filter(({ name }) => name !== 'datasets' && name !== 'deletions');
  const each = tables.map((table) => [table.name, table] as const);

  async function bytesOf(table: string, extension: string): Promise<Buffer> {
    const files = await filesOfTable(await rig.open(), table);
    const paths = files.map(({ path }) => path).filter((path) => path.endsWith(extension));
    expect(paths).toHaveLength(1);
    return readFile(join(rig.out, paths[0] ?? ''));
  }

  it('holds every text that was sent, as it was sent', () => {
    const jobs = (rows.get('jobs') ?? []).filter(({ job_id }) => String(job_id).startsWith('='));
    expect(new Set(jobs.map((job) => job['question_text']))).toEqual(new Set(AWKWARD));
    const questions = rows
      .get('proposed_questions')
      ?.filter(({ job_id }) => String(job_id)[0] === '=');
    expect(new Set(questions?.map((row) => row['question']))).toEqual(new Set(AWKWARD));
  });

  it.each(each)('gives DuckDB the columns of %s with their types', async (name, table) => {
    const glob = sqlText(`${rig.out}/tables/${name}/dt=*/*.parquet`);
    expect(await duckDbColumns(`read_parquet(${glob}, hive_partitioning = false)`)).toEqual(
      table.columns.map((column) => [column.name, DUCKDB_TYPES[column.type]]),
    );
  });

  // I-27 in FORMAT.md
  it.each(each)(
    'gives JSON.parse the rows of %s that DuckDB finds in Parquet',
    async (name, table) => {
      const text = gunzipSync(await bytesOf(name, '.jsonl.gz')).toString('utf8');
      const found = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      const wanted = (rows.get(name) ?? []).map((row) => plainRow(table, row));
      expect(found.length).toBe(wanted.length);
      found.forEach((row, index) => expect(row).toEqual(wanted[index]));
    },
  );

  it.each(each)('gives parquetjs-lite the rows of %s that DuckDB finds', async (name, table) => {
    const reader = await parquetJs.ParquetReader.openBuffer(await bytesOf(name, '.parquet'));
    const cursor = reader.getCursor();
    for (const row of rows.get(name) ?? []) {
      expect(await cursor.next()).toEqual(seenByParquetJs(table, row));
    }
    expect(await cursor.next()).toBeNull();
    await reader.close();
  });

  it.each(each)('gives exceljs the cells of %s that DuckDB finds in Parquet', (name, table) => {
    const sheet = sheets.find((candidate) => candidate.name === name);
    const wanted = rows.get(name) ?? [];
    const columns = table.columns.filter((column) => !SEARCH_COLUMNS.includes(column.name));
    expect(sheet?.rows[0]).toEqual(columns.map((column) => column.name));
    expect(sheet?.rows.length).toBe(wanted.length + 1);
    wanted.forEach((row, index) => {
      const cells = columns.map((column, place) => {
        const cell = sheet?.rows[index + 1]?.[place] ?? null;
        if (typeof cell !== 'string' || !cell.endsWith(CONTINUED)) return cell;
        return longTexts.get(`${name} ${longTextKey(table, row, column.name)}`) ?? null;
      });
      expect(cells).toEqual(columns.map((column) => shownValue(table, row, column.name)));
    });
  });
});

/** Timestamps as ISO text; 64-bit integers here are all small enough for a double. */
function plainRow(table: TableSchema, row: Row): Record<string, unknown> {
  return Object.fromEntries(
    table.columns.map(({ name, type }) => {
      const value = row[name] ?? null;
      if (typeof value !== 'bigint') return [name, value];
      return [name, type === 'ts' ? formatTimestamp(value) : Number(value)];
    }),
  );
}

/** It knows milliseconds only, and leaves nulls out. */
function seenByParquetJs(table: TableSchema, row: Row): Record<string, unknown> {
  return Object.fromEntries(
    table.columns.flatMap(({ name, type }) => {
      const value = row[name] ?? null;
      if (value === null) return [];
      return [[name, type === 'ts' ? new Date(Number(BigInt(value) / 1000n)) : value]];
    }),
  );
}

function longTextKey(table: TableSchema, row: Row, column: string): string {
  const keys = tableNamed(table.name)?.columns.filter(({ isKey }) => isKey) ?? [];
  return JSON.stringify({
    ...Object.fromEntries(keys.map(({ name }) => [name, row[name]])),
    column,
  });
}
