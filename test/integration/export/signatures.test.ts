/** Live URL signatures: where a record that is full of them leaves any. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, type CliRun } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { CANARY, signedEverywhere } from '../../support/http/signed-everywhere.js';
import { foundSheets } from '../../support/tables/workbook-cells.js';
import { fault } from '../../support/base/fault.js';

/** Columns that are the service's own record, verbatim. */
const VERBATIM: Readonly<Record<string, string>> = { raw_jobs: 'record', blocks: 'content_json' };

describe('live URL signatures in every field of a record', () => {
  let rig: ExportRig;
  let run: CliRun;

  beforeAll(async () => {
    rig = await ExportRig.start();
    rig.state.importJson(signedEverywhere(rig.emulator.filesUrl));
    const place = ['--base-url', rig.emulator.baseUrl, '--out', rig.out, '--user', 'ada'];
    const more = ['--with-datasets', '--format', 'parquet,xlsx', '--log-level', 'debug'];
    run = await cli(['export', ...place, ...more, '--rate', '1000']);
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const service = () => ['--base-url', rig.emulator.baseUrl, '--user', 'ada'];

  it('stand in no output and no line of the log of an export', fault('F-38'), () => {
    expect(run.stderr).toContain('checkpoint committed');
    expect([0, 3], run.stderr).toContain(run.exitCode);
    expect(seen(run)).toEqual([]);
  });

  it.each(['sessions', 'jobs', 'blocks', 'sources', 'proposed_questions', 'artifacts'])(
    'stand in no column of %s but the verbatim one',
    fault('F-83'),
    async (table) => {
      const rows = await rig.rows(table);
      expect(rows.length).toBeGreaterThan(0);
      expect(columnsWith(rows, CANARY)).toEqual(table === 'blocks' ? ['content_json'] : []);
    },
  );

  it('stand in raw_jobs, in its record alone', async () => {
    expect(columnsWith(await rig.rows('raw_jobs'), CANARY)).toEqual(['record']);
  });

  it('stand in no column of datasets', async () => {
    const rows = await rig.rows('datasets');
    expect(rows).toHaveLength(1);
    expect(rows[0]?.['keywords']).toContain('a.csv');
    expect(columnsWith(rows, CANARY)).toEqual([]);
  });

  it('stand in no sheet of the workbook but the verbatim columns', async () => {
    const [path = ''] = (await rig.files('workbooks')).filter((one) => one.endsWith('.xlsx'));
    const sheets = await foundSheets(await readFile(join(rig.out, path)));
    expect(sheets.map(({ name }) => name)).toContain('proposed_questions');
    for (const { name, rows } of sheets) {
      const [header = [], ...others] = rows;
      const cells = others.flatMap((row) => row.map((cell, at) => [header[at], cell] as const));
      const columns = cells.filter(([, cell]) => String(cell).includes(CANARY));
      const allowed = name === 'long_text' ? 'text' : VERBATIM[name];
      expect(new Set(columns.map(([column]) => column)), name).toEqual(
        new Set(allowed === undefined ? [] : [allowed]),
      );
    }
  });

  it('stand in no other object of the archive', fault('F-38'), async () => {
    const paths = (await rig.files()).filter((path) => !/^(tables|workbooks)\//.test(path));
    expect(paths.length).toBeGreaterThan(3);
    for (const path of paths) {
      const bytes = await readFile(join(rig.out, path));
      const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
      expect(text.includes(CANARY), path).toBe(false);
    }
  });

  it('stand in no file of a report', fault('F-83'), async () => {
    const report = join(rig.directory, 'report');
    const end = await cli(['report', rig.out, '--out', report]);
    expect([0, 3], end.stderr).toContain(end.exitCode);
    expect(seen(end)).toEqual([]);
    expect(await filesWith(report)).toEqual([]);
  });

  it('stand in no file of an evidence pack but the records and the log', async () => {
    const pack = join(rig.directory, 'pack');
    const end = await cli(['evidence', rig.out, '--user', 'ada', '--out', pack]);
    expect([0, 3], end.stderr).toContain(end.exitCode);
    expect(seen(end)).toEqual([]);
    const found = await filesWith(pack);
    expect(found.filter((path) => !path.startsWith('data/records/'))).toEqual([]);
    expect(found).not.toEqual([]); // else this test would look for the wrong thing
  });

  it.each([
    ['show of all sessions', () => ['show', rig.out]],
    ['show of all sessions --json', () => ['show', rig.out, '--json']],
    ['show', () => ['show', rig.out, 'session-1']],
    ['show --json', () => ['show', rig.out, 'session-1', '--json']],
    ['status', () => ['status', rig.out, '--user', 'ada']],
    ['status --json', () => ['status', rig.out, '--user', 'ada', '--json']],
    ['search', () => ['search', rig.out, 'see OR curl']],
    ['search --json', () => ['search', rig.out, 'see OR curl', '--json']],
    ['expire', () => ['expire', rig.out, '--older-than', '1s', '--dry-run']],
    ['prune', () => ['prune', rig.out, '--dry-run', '--json']],
    ['sessions list', () => ['sessions', 'list', ...service()]],
    ['sessions list --json', () => ['sessions', 'list', ...service(), '--json']],
    ['sessions get', () => ['sessions', 'get', 'session-1', ...service()]],
    ['sessions get --json', () => ['sessions', 'get', 'session-1', ...service(), '--json']],
    ['sessions history', () => ['sessions', 'history', 'session-1', ...service()]],
    ['sessions history --json', () => ['sessions', 'history', 'session-1', ...service(), '--json']],
    ['datasets list', () => ['datasets', 'list', ...service()]],
    ['datasets list --json', () => ['datasets', 'list', ...service(), '--json']],
    ['datasets overview', () => ['datasets', 'overview', 'dataset-1', ...service()]],
    [
      'datasets overview --json',
      () => ['datasets', 'overview', 'dataset-1', ...service(), '--json'],
    ],
    [
      'query',
      () => ['query', rig.out, 'SELECT * EXCLUDE (content_json) FROM current_blocks', '--json'],
    ],
    [
      'query',
      () => ['query', rig.out, 'SELECT * FROM current_sources, current_proposed_questions'],
    ],
  ])('stand in nothing that %s prints', fault('F-83'), async (command, words) => {
    const end = await cli(words());
    const isOfGaps = /^(search|show)/.test(command);
    expect(end.exitCode, end.stderr).toBe(isOfGaps ? 3 : 0); // a file of the record is a gap
    expect(end.stdout.length).toBeGreaterThan(20);
    expect(seen(end)).toEqual([]);
  });

  it('stand in no gap or log line that quotes the service', fault('F-38'), async () => {
    const message = signedEverywhere('https://h.example');
    const answer = { kind: 'error', status: 200, code: 300002, message } as const;
    rig.emulator.faults.api = [{ operations: ['getHistory'], answer }];
    const place = ['--base-url', rig.emulator.baseUrl, '--out', rig.out, '--user', 'ada'];
    const end = await cli(['export', ...place, '--full', '--log-level', 'debug', '--json']);
    rig.emulator.faults.api = [];
    expect(end.exitCode, end.stderr).not.toBe(0);
    expect(seen(end)).toEqual([]);
  });
});

function seen({ stdout, stderr }: CliRun): string[] {
  const told = `${stdout}\n${stderr}`;
  return [...told.matchAll(new RegExp(`.{0,80}${CANARY}.{0,20}`, 'g'))].map(([hit]) => hit);
}

function columnsWith(rows: readonly Readonly<Record<string, unknown>>[], text: string): string[] {
  const columns = rows.flatMap((row) =>
    Object.entries(row).flatMap(([name, cell]) => (String(cell).includes(text) ? [name] : [])),
  );
  return [...new Set(columns)];
}

async function filesWith(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    if ((await readFile(path, 'latin1')).includes(CANARY))
      found.push(path.slice(folder.length + 1));
  }
  return found;
}
