/** What a stranger does with a pack and an archive: the command lines that stand in the documents, run as they stand there. */
import { DuckDBInstance } from '@duckdb/node-api';
import { execFile } from 'node:child_process';
import { appendFile, copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { TABLES } from '../../../src/model/tables.js';
import { chdb, rclone, openssl } from '../../services/programs.js';
import { StampAuthority } from '../../support/http/stamp-authority.js';
import { chdbRows } from '../../support/programs/chdb.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let rig: ExportRig;
/** Undefined without openssl: nothing is stamped. */
let authority: StampAuthority | undefined;
let pack: string;
beforeAll(async () => {
  rig = await ExportRig.start({ users: 2, sessions: 2, jobs: 2 });
  if (openssl !== undefined) authority = await StampAuthority.start(join(rig.directory, 'tsa'));
  pack = join(rig.directory, 'pack');
  await rig.export({ timestampUrls: authority ? [new URL(authority.url)] : [] });
  const [user = ''] = rig.state.userIds();
  const stamped = authority ? ['--timestamp-url', authority.url] : [];
  const words = ['--user', user, ...stamped];
  const { exitCode, stderr } = await cli(['evidence', rig.out, '--out', pack, ...words]);
  expect(exitCode, stderr).toBe(0);
});
afterAll(async () => {
  await authority?.[Symbol.asyncDispose]();
  await rig[Symbol.asyncDispose]();
});

const documentOf = (path: string): Promise<string> =>
  readFile(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8');

/** As typed into a shell; its output, also that of a failure. */
async function typed(line: string, cwd: string) {
  return promisify(execFile)('/bin/sh', ['-c', line], { cwd }).then(
    ({ stdout, stderr }) => ({ exitCode: 0, text: stdout + stderr }),
    (error: unknown) => {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { exitCode: code, text: stdout + stderr };
    },
  );
}

/** The lines of a program that the pack's README shows. */
async function packLines(program: string): Promise<string[]> {
  const text = await readFile(join(pack, 'data/README.txt'), 'utf8');
  return [...text.matchAll(/^ {2}((?:sha256sum|openssl) .*)$/gm)].flatMap(([, line = '']) =>
    line.startsWith(program) ? [line] : [],
  );
}

it('a stranger checks a pack with sha256sum, and sees one changed byte', async () => {
  const lines = await packLines('sha256sum');
  expect(lines).toEqual([
    'sha256sum -c --quiet --strict manifest-sha256.txt tagmanifest-sha256.txt',
    'sha256sum tagmanifest-sha256.txt',
  ]);
  expect(await typed(lines[0]!, pack)).toEqual({ exitCode: 0, text: '' });
  const copied = join(rig.directory, 'changed');
  await typed(`cp -r '${pack}' '${copied}'`, rig.directory);
  await appendFile(join(copied, 'data/items.csv'), ' ');
  expect(await typed(lines[0]!, copied)).toEqual({
    exitCode: 1,
    text: expect.stringContaining('data/items.csv: FAILED') as string,
  });
});

it.skipIf(openssl === undefined)('a stranger checks the time of a pack with openssl', async () => {
  await copyFile(authority!.ca, join(pack, 'ca.pem'));
  const [verify = '', show = '', ...others] = await packLines('openssl ts');
  expect(others).toEqual([]);
  expect(await typed(verify, pack)).toEqual({
    exitCode: 0,
    text: expect.stringContaining('Verification: OK') as string,
  });
  expect((await typed(show, pack)).text).toMatch(/^Time stamp: \w{3} .* GMT$/m);
});

it.skipIf(openssl === undefined)(
  'a stranger checks the time of a commit with openssl, by the line of the format',
  async () => {
    const text = await documentOf('src/archive/FORMAT.md');
    const [, line = ''] = /`(openssl ts -verify [^`]*)`/.exec(text) ?? [];
    const [token = ''] = await rig.files('_timestamps');
    const [, number = ''] = /_timestamps\/0*(\d+)\./.exec(token) ?? [];
    const { digest } = await (await rig.open()).log.read(Number(number));
    const filled = line
      .replace('DIGEST', digest)
      .replace('FILE.tsr', token)
      .replace('ca.pem', authority!.ca);
    expect(await typed(filled, rig.out)).toEqual({
      exitCode: 0,
      text: expect.stringContaining('Verification: OK') as string,
    });
  },
);

it('a stranger checks every object of an archive with sha256sum, by the line of the guide', async () => {
  const text = await documentOf('config/guide/guarantees.md');
  const [, line = ''] = /`(sha256sum --check [^`]*)`/.exec(text) ?? [];
  const { stdout } = await cli(['files', rig.out, '--checksums']);
  await writeFile(join(rig.out, '../archive.sha256'), stdout);
  expect(await typed(line, rig.out)).toEqual({ exitCode: 0, text: '' });
  expect(stdout.split('\n').length).toBeGreaterThan(10);
});

it.skipIf(rclone === undefined)(
  'a stranger checks them with rclone, by the line for a bucket',
  async () => {
    const text = await documentOf('config/guide/guarantees.md');
    const [, line = ''] = /`rclone (checksum [^`]*)`/.exec(text) ?? [];
    expect(line).toContain('s3:company-archive/assistant');
    const { stdout } = await cli(['files', rig.out, '--checksums']);
    await writeFile(join(rig.directory, 'archive.sha256'), stdout);
    const check = async (archive: string) => {
      const words = line.replace('s3:company-archive/assistant', archive);
      return typed(`'${String(rclone)}' ${words}`, rig.directory);
    };
    expect(await check(rig.out)).toMatchObject({ exitCode: 0 });
    const copied = join(rig.directory, 'changed-archive');
    await typed(`cp -r '${rig.out}' '${copied}'`, rig.directory);
    const [artifact = ''] = await rig.files('artifacts');
    await appendFile(join(copied, artifact), ' ');
    const { exitCode, text: said } = await check(copied);
    expect(exitCode).toBe(1);
    expect(said).toContain(artifact);
  },
);

/** How many rows there are in the tables, by the command that has no part in what is tested. */
const counts = async (): Promise<Map<string, number>> => {
  const found = new Map<string, number>();
  for (const { name } of TABLES) {
    const sql = `SELECT count(*) AS n FROM ${name}`;
    const { rows } = await cliJson<{ rows: { n: number }[] }>(['query', rig.out, sql]);
    if (rows[0] && rows[0].n > 0) found.set(name, rows[0].n);
  }
  return found;
};

/** The line of a program in the README of warehouses, for each table. */
const lineOf = async (pattern: RegExp) => {
  const [, line = ''] = pattern.exec(await documentOf('config/warehouse/README.md')) ?? [];
  expect(line).not.toBe('');
  return (table: string) =>
    line
      .replace(/s3:\/\/BUCKET\/PREFIX|\/path\/to\/archive/, rig.out)
      .replace('/jobs', `/${table}`);
};

it.skipIf(chdb === undefined)('a stranger reads every table with ClickHouse', async () => {
  const line = await lineOf(/`(SELECT \* FROM deltaLakeLocal\([^`]*)`/);
  const wanted = await counts();
  const answers = await chdbRows([...wanted.keys()].map(line));
  expect(answers.map((rows) => (rows instanceof Error ? rows.message : rows.length))).toEqual([
    ...wanted.values(),
  ]);
});

it('a stranger reads every table with DuckDB, where its extension for Delta Lake is installed', async ({
  skip,
}) => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const isThere = await connection.run('LOAD delta').then(
    () => true,
    () => false,
  );
  skip(!isThere);
  const line = await lineOf(/`(FROM delta_scan\([^`]*)`/);
  for (const [table, count] of await counts()) {
    const reader = await connection.runAndReadAll(`SELECT count(*) ${line(table)}`);
    expect(reader.getRowsJson()).toEqual([[String(count)]]);
  }
});
