/** A drill: the archive is restored from itself, and what does not come back is named. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openArchiveIn as openRead } from '../../../src/archive/open-archive.js';
import { openArchive, UsageError } from '../../../src/index.js';
import { TABLES } from '../../../src/model/tables.js';
import { ArchivedSessions } from '../../../src/restore/archived-sessions.js';
import { compareRestored } from '../../../src/restore/compare-restored.js';
import type { DrillRecord } from '../../../src/archive/log/drill-history.js';
import type { DrillReport } from '../../../src/restore/drill.js';
import { makeTemporaryDirectory } from '../../../src/storage/local/temporary-directory.js';
import { openStorage } from '../../../src/storage/open-storage.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

vi.setConfig({ testTimeout: 120_000 });

let rig: ExportRig;
let changed: { readonly out: string; readonly user: string; readonly session: string };
beforeAll(async () => {
  rig = await ExportRig.start({ users: 2, sessions: 6, jobs: 6, odd: true, gaps: true });
  await rig.export({ withDatasets: true });
  const [user = ''] = rig.state.userIds();
  const [first = '', second = ''] = rig.state.sessionIds(user);
  rig.state.growAnswer(user, first, rig.state.jobIds(user, first)[0] ?? '', 'a later block');
  rig.state.deleteSession(user, second);
  rig.state.addJobs(user, first, 3);
  await rig.export({ full: true });
  // another archive of the same users, in which one word is another
  const [job = ''] = rig.state.jobIds(user, first);
  rig.state.growAnswer(user, first, job, 'one block more');
  changed = { out: join(rig.directory, 'changed'), user, session: first };
  await rig.export({ out: changed.out, withDatasets: true });
  await rig.emulator.close(); // nothing of it comes from the service
});
afterAll(() => rig[Symbol.asyncDispose]());

it.each([
  ['has a time now between those of its neighbours', undefined],
  ['had a time by chance, as an id that came later shows', 'k3j9x0q2w8e7r6t5y4u1i0o9p'],
])('finds the rows of a history that has grown again: a job %s', async (_what, id) => {
  await using people = await SearchRig.start();
  const before = [{ question: 'one' }, { question: 'two', id: 'no-time-1' }];
  people.talk('ada', 's-1', 'Plans', before);
  await people.rig.export();
  people.talk('ada', 's-1', 'Plans', [{ question: 'three', ...(id !== undefined && { id }) }]);
  await people.rig.export();
  await using archive = await openArchive(people.rig.out);
  expect(await archive.drill()).toMatchObject({ jobs: 3, differences: 0 });
});

it('counts what two spellings of a user list, or two users, as status does', async () => {
  await using people = await SearchRig.start();
  const lost = { id: 'j-1', table: 'lost.csv', csv: null } as const;
  people.talk('Ana', 's-1', 'Plans', [lost, { id: 'j-2' }]);
  people.talk('ben', 's-2', 'Shared', [{ id: 'j-3' }]);
  await people.rig.export({ users: ['Ana', 'ben'] });
  // the id was corrected, and the question asked before is no more
  people.talk('ana', 's-1', 'Plans', [{ id: 'j-2' }]);
  people.talk('eve', 's-2', 'Shared', [{ id: 'j-3' }]);
  await people.rig.export({ users: ['ana', 'ben', 'eve'] });
  await using archive = await openArchive(people.rig.out);
  const status = await cliJson(['status', people.rig.out]);
  expect(status).toMatchObject({ sessions: { total: 3 }, jobs: { total: 3 }, gaps: {} });
  const drilled = await archive.drill();
  expect(drilled).toMatchObject({ sessions: 3, jobs: 3, not_stored: 0, differences: 0 });
});

it('finds every row and file again, and keeps a record that status shows', async () => {
  expect((await cli(['status', rig.out])).stdout).toMatch(/last drill +never/);
  await using archive = await openArchive(rig.out);
  const report = await archive.drill();
  expect(report.differing).toEqual([]);
  const stored = (await rig.rows('artifacts')).filter(({ status }) => status === 'stored');
  expect(report).toMatchObject({ sample: 1, commit: 2, differences: 0, unrecorded: null });
  expect(report.sessions).toBe(12);
  expect(report.files).toBeGreaterThan(50);
  // those of older versions, too, and each once
  expect(report.files).toBe(new Set(stored.map(({ path }) => path)).size);
  const tables = TABLES.filter(({ name }) => name !== 'deletions');
  const counts = await Promise.all(tables.map(async ({ name }) => (await rig.rows(name)).length));
  expect(report.rows).toBe(counts.reduce((sum, one) => sum + one, 0));
  expect(report.not_stored).toBeGreaterThan(0);
  expect(await rig.files()).not.toContain('_drills.json');
  const { kind, drill } = await (await rig.open()).log.read(3);
  const { sessions, jobs, rows, files, not_stored } = report;
  const told = { commit: 2, sample: 1, sessions, jobs, rows, files, not_stored, differences: 0 };
  expect([kind, drill]).toEqual(['drill', told]);
  expect((await cli(['status', rig.out])).stdout).toMatch(/last drill .*commit 2\): all came back/);
  const verified = await archive.verify();
  expect(verified.problems).toEqual([]);
});

it('restores a part of the sessions, and says in one line for the auditor what it did', async () => {
  const { exitCode, stdout } = await cli(['drill', rig.out, '--sample', '50%']);
  expect([exitCode, stdout.trim().split('\n')]).toEqual([
    0,
    [
      expect.stringMatching(
        /^\d{4}-.*Z: .* as of commit 3 \(a sample of 50 %\) was restored from itself: \d+ conversations, .* all equal/,
      ),
    ],
  ]);
  const report = await cliJson<DrillReport>(['drill', rig.out, '--sample', '50%']);
  expect(report.sessions).toBe(6);
  const one = await cliJson<DrillReport>(['drill', rig.out, '--sample', '0.001%']);
  expect(one).toMatchObject({ sessions: 1, differences: 0 });
});

it('--list shows the drills of the log with their outcomes, and so does status --runs', async () => {
  const { drills } = await cliJson<{ drills: DrillRecord[] }>(['drill', rig.out, '--list']);
  expect(drills.length).toBeGreaterThan(1);
  expect(drills.map(({ differences }) => differences)).toEqual(drills.map(() => 0));
  const { stdout, exitCode } = await cli(['drill', rig.out, '--list']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^at +commit +sample +conversations +questions +rows +files +outcome\n/);
  expect(stdout.match(/ all equal$/gm)).toHaveLength(drills.length);
  const status = await cli(['status', rig.out, '--runs', '50']);
  expect(status.stdout).toMatch(/: drill of \d+ conversations?, all equal$/m);
  expect(status.stdout).toMatch(/: drill of \d+ conversations? \(a sample\), all equal$/m);
  const both = await cli(['drill', rig.out, '--list', '--sample', '1%']);
  expect([both.exitCode, both.stderr.split('\n')[0]]).toEqual([
    2,
    'jobvault: --list restores nothing; leave out --sample and --scratch',
  ]);
});

it('restores earlier versions of a dataset where nothing else has any', async () => {
  await using other = await ExportRig.start({ users: 1, sessions: 1, jobs: 1 });
  await other.export({ withDatasets: true });
  const [dataset] = other.state.datasets();
  if (!dataset) throw new Error('there are no datasets');
  other.state.putDataset({ ...dataset, name: 'renamed' });
  await other.export({ withDatasets: true });
  await using archive = await openArchive(other.out);
  const { rows, differing } = await archive.drill();
  const tables = TABLES.filter(({ name }) => name !== 'deletions');
  const counts = await Promise.all(tables.map(async ({ name }) => (await other.rows(name)).length));
  expect(rows).toBe(counts.reduce((sum, one) => sum + one, 0));
  expect(differing).toEqual([]);
});

it('counts a file once that several answers show', async () => {
  await using people = await SearchRig.start();
  for (const session of ['s-1', 's-2']) people.talk('ann', session, 'Sales', [{ table: 'Sales' }]);
  people.talk('ben', 's-3', 'Lost', [{ table: 'lost.csv', csv: null }]);
  await people.rig.export();
  await using archive = await openArchive(people.rig.out);
  expect(await archive.drill()).toMatchObject({ files: 1, not_stored: 1, differences: 0 });
  const { stdout } = await cli(['drill', people.rig.out]);
  expect(stdout).toMatch(/ and 1 distinct file \(.*\), all equal; 1 table or image not stored$/m);
});

it('counts as not stored what the newest answers lack: a file that came later is there', async () => {
  await using people = await SearchRig.start();
  const jobs = ['late.csv', 'lost.csv'].map((table) => ({ table, csv: null }));
  people.talk('ann', 's-1', 'Sales', jobs);
  await people.rig.export();
  people.rig.state.putFile('table-0.csv', 'name,value\nlate,1\n');
  await people.rig.export();
  await using archive = await openArchive(people.rig.out);
  expect(await archive.drill()).toMatchObject({ files: 1, not_stored: 1, differences: 0 });
});

it('leaves nothing in its scratch place', async () => {
  const scratch = await makeTemporaryDirectory();
  try {
    const words = ['drill', rig.out, '--sample', '50%', '--scratch', scratch.path];
    expect((await cli(words)).exitCode).toBe(0);
    expect(await readdir(scratch.path)).toEqual([]);
  } finally {
    await scratch.remove();
  }
});

it('names the session and the table where a restored row is another', async () => {
  const archive = await openRead(await openStorage(rig.out));
  const restored = await openRead(await openStorage(changed.out));
  const scratch = await makeTemporaryDirectory();
  const served = await ArchivedSessions.read({ archive, scratch: scratch.storage });
  try {
    const filesUrl = rig.emulator.filesUrl;
    const { differences } = await compareRestored({ archive, restored, served, filesUrl });
    const of = (session: string) =>
      differences.filter((one) => one.session === session).map(({ table }) => table);
    expect(of(changed.session)).toEqual(['blocks', 'jobs', 'raw_jobs']);
    // the session that the service has dropped is missing from the other one
    const gone = differences.filter(({ archived, restored: found }) => archived > 0 && found === 0);
    expect(new Set(gone.map(({ session }) => session)).size).toBe(1);
    expect(new Set(differences.map(({ session }) => session)).size).toBe(2);
  } finally {
    await served.discard();
    await scratch.remove();
  }
});

it.each(['a file', 'a row'])('fails where %s was altered', async (what) => {
  const [part] = await rig.parts('tables/raw_jobs');
  const row = (await rig.rows('artifacts')).find(
    ({ status, bytes, user_id: user }) =>
      status === 'stored' && Number(bytes) > 100 && user !== rig.state.userIds()[0],
  );
  const path = join(rig.out, what === 'a file' ? String(row?.['path']) : (part ?? ''));
  const before = await readFile(path);
  const altered = Buffer.from(before);
  altered[altered.length >> 1]! ^= 1;
  await writeFile(path, altered);
  try {
    const { exitCode, stdout, stderr } = await cli(['drill', rig.out]);
    expect(exitCode, stderr).toBe(4);
    if (what === 'a file') expect(stdout).toContain('was NOT restored');
    else expect(stderr).toContain(part);
  } finally {
    await writeFile(path, before);
  }
});

it('refuses an archive without a session', async () => {
  const empty = await ExportRig.start({ users: 1, sessions: 0 });
  try {
    await empty.export();
    await using archive = await openArchive(empty.out);
    await expect(archive.drill()).rejects.toThrow(UsageError);
  } finally {
    await empty[Symbol.asyncDispose]();
  }
});

it('tells in its log what it restores, and no run or commit of its scratch archive', async () => {
  const words = ['drill', rig.out, '--sample', '10%', '--log-format', 'json'];
  const { stderr, exitCode } = await cli(words);
  expect(exitCode).toBe(0);
  const lines = stderr
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as object]));
  expect(lines[0]).toMatchObject({
    level: 'info',
    sessions: 2,
    msg: 'restoring into scratch space',
  });
  expect(lines.filter((line) => 'run' in line || 'commit' in line)).toEqual([]);
});
