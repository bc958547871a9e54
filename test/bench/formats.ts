/** Peak memory of each format, in a process of its own, against that with a quarter of the rows: it must be flat. Tells speed, too. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { createReadStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ByteSink, ByteSource, RowFormat } from '../../src/formats/format.js';
import { createJsonlFormat } from '../../src/formats/jsonl/jsonl-format.js';
import { createParquetFormat } from '../../src/formats/parquet/parquet-format.js';
import { writeXlsx } from '../../src/formats/xlsx/workbook.js';
import { sheetSource } from '../../src/formats/xlsx/sheet-source.js';
import type { Row } from '../../src/model/table-schema.js';
import { blocksTable } from '../../src/model/tables.js';
import { benchFlags, printRow, type Run } from './measurement.js';

const PAGE_ROWS = 200;
const WORDS =
  'revenue by region quarter the answer of sales 2024 chart λ 数据 SELECT FROM growth é 🙂'.split(
    ' ',
  );

let seed = 1;
function random(below: number): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % below;
}

const PAGE_BYTES = 500_000;
const BODY = Buffer.from(
  Array.from(
    { length: 600_000 },
    () => `${WORDS[random(WORDS.length)] ?? ''}${random(9999)} `,
  ).join(''),
);

/** Rows whose texts are slices of a page of about 400,000 characters each, as they are in an export. */
function* pages(rows: number): Generator<readonly Row[]> {
  for (let start = 0; start < rows; start += PAGE_ROWS) {
    const offset = random(BODY.byteLength - PAGE_BYTES);
    const page = BODY.toString('utf8', offset, offset + PAGE_BYTES);
    yield Array.from({ length: PAGE_ROWS }, (_, at): Row => {
      const id = start + at;
      const from = at * 2000;
      return {
        user_id: 'user-1',
        session_id: `session-${Math.floor(id / 500)}`,
        job_id: `job-${Math.floor(id / 9)}`,
        job_version: 1,
        role: 'answer',
        block_index: id % 9,
        type: 'MESSAGE',
        type_raw: 'MESSAGE',
        stage: 'Analyze',
        group_id: null,
        group_name: null,
        content_json: null,
        code_language: null,
        content_text: page.slice(from, from + 100 + random(900)),
        char_count: 500,
        artifact_sha256: null,
        run_id: '01K0000000000000000000000',
        exported_at: BigInt(id),
      };
    });
  }
}

async function* asyncPages(rows: number): AsyncGenerator<readonly Row[]> {
  for (const page of pages(rows)) {
    yield page;
    await Promise.resolve();
  }
}

async function write(format: RowFormat, sink: ByteSink, rows: number, writers = 1): Promise<void> {
  const open = Array.from({ length: writers }, () => format.openWriter(blocksTable, sink));
  // With several writers each sees a few rows of every page: the worst for texts that are slices.
  for (const page of pages(rows)) {
    const share = Math.ceil(page.length / writers);
    for (const [at, writer] of open.entries()) {
      await writer.write(page.slice(at * share, (at + 1) * share));
    }
  }
  for (const writer of open) await writer.finish();
}

async function read(format: RowFormat, path: string): Promise<void> {
  const source: ByteSource = {
    bytes: statSync(path).size,
    read: (range) =>
      createReadStream(path, range ? { start: range.start, end: range.end - 1 } : {}),
  };
  let rows = 0;
  for await (const batch of format.readRows(blocksTable, source)) rows += batch.length;
  if (rows !== (await format.countRows(source))) throw new Error('rows are missing');
}

const formats: Readonly<Record<string, RowFormat>> = {
  'parquet zstd': createParquetFormat(),
  'parquet snappy': createParquetFormat({ codec: 'snappy' }),
  'parquet gzip': createParquetFormat({ codec: 'gzip' }),
  jsonl: createJsonlFormat(),
};

async function runCase(action: string, name: string, rows: number, path: string): Promise<void> {
  const format = formats[name];
  const started = performance.now();
  if (action === 'read' && format) await read(format, path);
  else {
    const file = openSync(path, 'w');
    const sink = { write: (chunk: Uint8Array) => Promise.resolve(void writeSync(file, chunk)) };
    if (format) await write(format, sink, rows, action === 'nine' ? 9 : 1);
    else await writeXlsx([sheetSource(blocksTable, () => asyncPages(rows))], sink);
    closeSync(file);
  }
  const seconds = (performance.now() - started) / 1000;
  const { maxRSS } = process.resourceUsage();
  process.stdout.write(JSON.stringify({ seconds, peakMB: (maxRSS * 1024) / 1e6 }));
}

function measured(action: string, name: string, rows: number, path: string): Used {
  const self = fileURLToPath(import.meta.url);
  const words = [self, CHILD, action, name, String(rows), path];
  const { stdout, stderr } = spawnSync(process.execPath, words);
  if (stdout.length === 0) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString()) as Used;
}

interface Used {
  readonly seconds: number;
  readonly peakMB: number;
}

/** Row, action, format, and the larger number of rows. */
const CASES: readonly (readonly [string, string, string, number])[] = [
  ['xlsx', 'write', 'xlsx', 800_000],
  ['parquet-write', 'write', 'parquet zstd', 200_000],
  ['parquet-read', 'read', 'parquet zstd', 200_000],
  ['parquet-write-nine', 'nine', 'parquet zstd', 200_000],
  ['parquet-snappy', 'write', 'parquet snappy', 200_000],
  ['parquet-gzip', 'write', 'parquet gzip', 200_000],
  ['jsonl-write', 'write', 'jsonl', 200_000],
  ['jsonl-read', 'read', 'jsonl', 200_000],
];

function measureAll(): void {
  const { rounds, isQuick, wants } = benchFlags();
  const directory = mkdtempSync(join(tmpdir(), 'jobvault-bench-'));
  const path = join(directory, 'file');
  for (const [row, action, format, most] of CASES.filter(([name]) => wants(name))) {
    const rows = isQuick ? most / 50 : most;
    const runs: Run[] = [];
    for (let round = 0; round < rounds; round++) {
      const [small, large] = [rows / 4, rows].map((count) => {
        if (action === 'read') measured('write', format, count, path);
        return measured(action, format, count, path);
      });
      if (!small || !large) continue;
      const mb = (statSync(path).size / 1e6).toFixed(1);
      process.stderr.write(`${row}: ${rows} rows in ${large.seconds.toFixed(1)} s, ${mb} MB\n`);
      runs.push({ ours: large.peakMB, peer: small.peakMB });
    }
    printRow(row, 'MB', runs);
  }
  rmSync(directory, { recursive: true });
}

const CHILD = 'case';
const [role, action = '', name = '', rows = '', path = ''] = process.argv.slice(2);
if (role === CHILD) await runCase(action, name, Number(rows), path);
else measureAll();
