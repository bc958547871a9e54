/** A person is erased: nothing is left of them, everybody else has what they had, and the log still proves it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ed25519Verifier } from '../../../src/archive/log/commit-verifier.js';
import { leaveUsers } from '../../../src/archive/runs/queued-runs.js';
import { verifyArchive } from '../../../src/archive/verify/verify.js';
import type { Row } from '../../../src/model/table-schema.js';
import { TABLE_NAMES } from '../../../src/model/tables.js';
import { createLocalStorage } from '../../../src/storage/local/local-storage.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { EraseRig } from '../../support/rigs/erase-rig.js';
import type { ExportRig } from '../../support/rigs/export-rig.js';
import { grepArchive } from '../../support/store/grep-archive.js';
import { ed25519Pair, startingSigner } from '../../support/base/signing-keys.js';
import { foundSheets } from '../../support/tables/workbook-cells.js';
import { compactArchive, eraseFromArchive } from '../../support/http/one-call.js';

/** Of a lap: numbers and times, and the newest commit. */
const LAP_KEYS = ['format', 'head', 'lap', 'began_at', 'last_began_at', 'place'];

let people: EraseRig;
let rig: ExportRig;
beforeEach(async () => {
  people = await EraseRig.start();
  rig = people.rig;
});
afterEach(() => people[Symbol.asyncDispose]());

/** Every table's rows of everybody else, sorted. */
async function rowsOfOthers(user: string): Promise<Record<string, string[]>> {
  const tables: Record<string, string[]> = {};
  for (const name of TABLE_NAMES) {
    const rows = await rig.rows(name);
    const told = (row: Row) =>
      JSON.stringify(row, (_, v: unknown) => (typeof v === 'bigint' ? String(v) : v));
    tables[name] = rows
      .filter((row) => row['user_id'] !== user)
      .map(told)
      .sort();
  }
  return tables;
}

/** Rows of everybody else in all workbooks, whatever their place. */
async function sheetRowsOfOthers(user: string): Promise<string[]> {
  const books = await rig.files('workbooks');
  const sheets = await Promise.all(
    books.map(async (path) => foundSheets(await readFile(join(rig.out, path)))),
  );
  const rows = sheets
    .flat()
    .flatMap(({ name, rows }) => rows.slice(1).map((row) => ({ name, row })));
  return rows
    .map((row) => JSON.stringify(row))
    .filter((row) => !row.includes(`"${user}"`))
    .sort();
}

// I-41 in FORMAT.md
it('leaves no byte of one of three users, and everything of the others', async () => {
  const traces = await people.archived(['parquet', 'jsonl', 'xlsx']);
  const queued = await leaveUsers(createLocalStorage({ directory: rig.out }), 'R'.repeat(26), {
    ...{
      run: 'night',
      queue: 'q',
      enqueued_at: '2026-11-05T12:00:00.000Z',
      expected: false,
      since: 0,
      doubtful_list: false,
    },
    users: ['ann', 'ben'],
  });
  expect(await grepArchive(rig.out, ['ann'])).toContain(`${queued}: ann`);
  expect((await grepArchive(rig.out, traces['ann']!)).length).toBeGreaterThan(50);
  const others = await rowsOfOthers('ann');
  const sheets = await sheetRowsOfOthers('ann');
  const head = await headOf();

  const summary = await cliJson<{
    status: string;
    erased: unknown;
    receipt: string;
    commits: number[];
  }>([
    'erase',
    rig.out,
    '--user',
    'ann',
    '--reason',
    'Art. 17, case 114',
    '--by',
    'Grace',
    '--yes',
  ]);
  expect(summary).toMatchObject({
    status: 'erased',
    erased: { sessions: 2, jobs: 3, artifacts: 1, rows: { jobs: 3, sessions: 3 } },
  });
  expect(await grepArchive(rig.out, traces['ann']!)).toEqual([]);
  expect(await rowsOfOthers('nobody')).toEqual(others);
  expect(await sheetRowsOfOthers('nobody')).toEqual(sheets);
  expect(await grepArchive(rig.out, ['for-two'])).not.toEqual([]);

  const verified = await cli(['verify', rig.out, '--expect-head', head, '--json']);
  expect(verified.exitCode, verified.stdout).toBe(0);
  expect(JSON.parse(verified.stdout)).toMatchObject({ problems: [], orphans: [] });
  const { erasures } = JSON.parse(verified.stdout) as { erasures: Record<string, unknown>[] };
  const [commit, finished] = summary.commits;
  expect(erasures).toEqual([
    {
      commit,
      finished_by: finished,
      receipt: summary.receipt,
      erased: summary.erased,
      reason: 'Art. 17, case 114',
      by: 'Grace',
      at: expect.any(String) as string,
    },
  ]);
  const receipt = (await rig.files('_commits')).filter((path) => path.endsWith('.json')).sort();
  const texts = await Promise.all(receipt.map((path) => readFile(join(rig.out, path), 'utf8')));
  expect(texts.filter((text) => text.includes('Art. 17, case 114'))).toHaveLength(1);
  expect((await rig.files('')).filter((path) => /^_(erasures|leases)/.test(path))).toEqual([]);
});

async function headOf(): Promise<string> {
  const { head } = await cliJson<{ head: { number: number; digest: string } }>(['status', rig.out]);
  return `${head.number}:${head.digest}`;
}

it('erases what was compacted, kept for readers or quarantined, and a second person later', async () => {
  const traces = await people.archived(['parquet', 'xlsx']);
  await compactArchive({ archive: rig.out });
  const orphan = 'tables/jobs/dt=2020-01-01/01E00000000000000000000000-0001.parquet';
  const archive = await rig.open();
  await archive.storage.put(
    `_quarantine/01E00000000000000000000000/${orphan}`,
    Buffer.from('ann-first'),
  );
  const others = await rowsOfOthers('ann');
  const sheets = await sheetRowsOfOthers('ann');
  await eraseFromArchive({ archive: rig.out, users: ['ann'] });
  expect(await grepArchive(rig.out, traces['ann']!)).toEqual([]);
  expect(await rowsOfOthers('nobody')).toEqual(others);
  expect(await sheetRowsOfOthers('nobody')).toEqual(sheets);
  const sheetsLeft = await sheetRowsOfOthers('ben');
  await eraseFromArchive({ archive: rig.out, users: ['ben'] });
  expect(await sheetRowsOfOthers('nobody')).toEqual(sheetsLeft);
  expect(await grepArchive(rig.out, [...traces['ann']!, ...traces['ben']!, 'for-two'])).toEqual([]);
  expect(await rig.verify()).toMatchObject({ problems: [], orphans: [] });
  const { stdout } = await cli(['verify', rig.out]);
  expect(stdout).toContain('  rewritten  2 erasures, 1 compaction\n');
  const day = new Date().toISOString().slice(0, 10);
  expect(stdout).toContain(`    erased on ${day}: 2 conversations, 3 questions, `);
  expect(stdout).not.toContain('not finished');
  expect((await rig.rows('jobs')).map((row) => row['user_id'])).toEqual(['cyd', 'cyd', 'cyd']);
});

// I-37 in FORMAT.md
it('erases at once what a compaction has replaced and keeps for its readers', async () => {
  const traces = await people.archived(['jsonl']);
  const { replaced } = await compactArchive({ archive: rig.out });
  expect(replaced.kept).toBeGreaterThan(5);
  expect((await rig.verify()).replaced.files).toBe(replaced.kept);
  await eraseFromArchive({ archive: rig.out, users: ['ann'] });
  expect(await grepArchive(rig.out, traces['ann']!)).toEqual([]);
  const nothing = { files: 0, bytes: 0 };
  expect(await rig.verify()).toMatchObject({ problems: [], orphans: [], replaced: nothing });
});

it('erases one session of a person, whose others stay, and leaves the lap, which names nobody', async () => {
  const traces = await people.archived(['parquet']);
  const lap = await readFile(join(rig.out, '_laps/all.json'), 'utf8');
  const summary = await eraseFromArchive({ archive: rig.out, sessions: ['ann-first'] });
  expect(summary.erased).toMatchObject({ sessions: 1, jobs: 1, artifacts: 1 });
  const gone = ['ann-first', 'ann-only-file', traces['ann']![0]!];
  expect(await grepArchive(rig.out, gone)).toEqual([]);
  expect((await grepArchive(rig.out, ['ann-second'])).length).toBeGreaterThan(5);
  expect(await rig.verify()).toMatchObject({ problems: [] });
  expect(await readFile(join(rig.out, '_laps/all.json'), 'utf8')).toBe(lap);
  expect(Object.keys(JSON.parse(lap) as object)).toEqual(LAP_KEYS);
});

it('lets export, prune, status and show go on; the person returns where an export asks', async () => {
  await people.archived(['parquet']);
  await eraseFromArchive({ archive: rig.out, users: ['ann'] });
  const status = await cliJson<{ users: { total: number } }>(['status', rig.out]);
  expect(status.users.total).toBe(2);
  people.talk('ben', 'ben-second');
  const exported = await rig.export({ users: ['ben', 'cyd'] });
  expect(exported).toMatchObject({ status: 'complete', jobs: { archived: 1 } });
  expect((await cli(['show', rig.out, 'ben-first'])).stdout).toContain('ben-has-asked');
  expect((await cli(['show', rig.out, 'ann-first'])).exitCode).toBe(2);
  const pruned = await cli([
    'prune',
    rig.out,
    '--yes',
    '--all',
    '--base-url',
    rig.emulator.baseUrl,
    '--rate',
    '1000',
  ]);
  expect(pruned.exitCode, pruned.stderr).toBe(0);
  expect(rig.state.sessionIds('ann')).toEqual(['ann-first', 'ann-second']);
  expect((await rig.export()).jobs.archived).toBe(3);
  expect(await rig.verify()).toMatchObject({ problems: [], orphans: [] });
  const pack = join(rig.directory, 'pack');
  expect((await cli(['evidence', rig.out, '--out', pack, '--user', 'ben'])).exitCode).toBe(0);
});

// I-40 in FORMAT.md
it('keeps a signed log provable, and asks for the key', async () => {
  const { privateKey, publicKey } = ed25519Pair();
  const signer = startingSigner(privateKey);
  people.talk('ann', 'ann-first');
  people.talk('ben', 'ben-first');
  await rig.export({ signer });
  await expect(eraseFromArchive({ archive: rig.out, users: ['ann'] })).rejects.toThrow(
    '--signing-key',
  );
  await eraseFromArchive({ archive: rig.out, users: ['ann'], signer });
  const publicKeys = [ed25519Verifier(publicKey)];
  const archive = await rig.open();
  const look = () => verifyArchive(archive, { publicKeys });
  expect((await look()).problems).toEqual([]);
  // whoever changes what is left of a commit cannot have a receipt for it
  const path = '_commits/000000000001.json';
  const text = Buffer.from(await archive.storage.get(path)).toString();
  await archive.storage.put(path, Buffer.from(text.replace('"ben-first"', '"ben-FIRST"')));
  expect((await look()).problems).toMatchObject([{ path, problem: 'digest' }]);
});

it('is refused by name, changes nothing in a dry run, and does not ask where nobody can answer', async () => {
  await people.archived(['parquet']);
  const before = await rig.files();
  const place = ['erase', rig.out];
  expect((await cli([...place, '--user', 'ann'])).stderr).toContain('pass --yes');
  expect((await cli([...place, '--user', 'amy', '--yes'])).stderr).toContain('has no user "amy"');
  const unknown = await cli([...place, '--user', 'annn', '--dry-run']);
  expect(unknown.exitCode).toBe(2);
  expect(unknown.stderr).toContain('has no user "annn"; did you mean "ann"?');
  expect((await cli([...place, '--session', 'nope', '--yes'])).stderr).toMatch(
    /has no session "nope"; sessions in it: ann-/,
  );
  expect((await cli([...place, '--yes'])).stderr).toContain('nothing to erase; give a user');
  const named = await cli([...place, '--user', 'ann', '--reason', 'ann asked', '--yes']);
  expect(named.stderr).toContain(
    'the reason has “ann”, which names what is to be erased, and the receipt stays for good; give a reason without it',
  );
  expect(named.stderr).not.toContain('ann asked');
  const planned = await cliJson([...place, '--user', 'ann', '--dry-run']);
  expect(planned).toMatchObject({ status: 'planned', receipt: null, erased: { sessions: 2 } });
  expect(await rig.files()).toEqual(before);
});
