/** What `verify --repair` mends, and what it leaves alone. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { filesOfTable } from '../../../src/archive/archive.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import {
  artifactPaths,
  flipBitOf,
  makeOld,
  verifyJson,
  type VerifyJson,
} from '../../support/rigs/verify-rig.js';

let rig: ExportRig;

beforeEach(async () => {
  rig = await ExportRig.start({ users: 2, sessions: 3, jobs: 4 });
  await rig.archived();
});
afterEach(() => rig[Symbol.asyncDispose]());

it('verify --repair fetches damaged and missing artifacts again, and the archive is whole', async () => {
  const paths = await artifactPaths(rig);
  const [damaged = '', gone = ''] = paths;
  await flipBitOf(rig, damaged);
  await rm(join(rig.out, gone));
  const { repair, status } = await verifyJson(rig, ['--repair']);
  expect(status).toBe('intact');
  expect(repair).toMatchObject({
    artifacts_mended: [damaged, gone].sort(),
    artifacts_lost: [],
    held: null,
  });
  expect(await artifactPaths(rig)).toEqual(paths);
  expect((await verifyJson(rig)).problems).toEqual([]);
});

it('verify --repair says what it could not bring back, and why: another file, no file, no key', async () => {
  const keys = rig.state
    .userIds()
    .flatMap((user) =>
      rig.state
        .sessionIds(user)
        .flatMap((session) =>
          rig.state.jobIds(user, session).flatMap((job) => rig.state.fileKeys(user, session, job)),
        ),
    );
  const tables = (await artifactPaths(rig)).filter((path) => path.endsWith('.csv'));
  const [changed = '', removed = ''] = tables;
  for (const path of [changed, removed]) await flipBitOf(rig, path);
  const without = await cliJson<VerifyJson>(['verify', rig.out, '--repair'], 4, {});
  expect(without.repair.artifacts_lost.map(({ reason }) => reason)).toEqual(
    Array(2).fill('not in the quarantine, and no service was given'),
  );
  for (const key of keys) rig.state.putFile(key, 'a,b\nother,bytes\n');
  const other = await verifyJson(rig, ['--repair'], 4);
  expect(new Set(other.repair.artifacts_lost.map(({ path }) => path))).toEqual(
    new Set([changed, removed]),
  );
  for (const { reason } of other.repair.artifacts_lost) {
    expect(reason).toBe('the service has another file there now');
  }
  for (const key of keys) rig.state.removeFile(key);
  const gone = await verifyJson(rig, ['--repair'], 4);
  for (const { reason } of gone.repair.artifacts_lost) expect(reason).toMatch(/^missing: /);
  expect(gone.problems.map(({ path }) => path)).toEqual([changed, removed]);
});

it('verify --repair that the service did not answer says to run it again first', async () => {
  const [damaged = ''] = await artifactPaths(rig);
  await flipBitOf(rig, damaged);
  const { faults } = rig.emulator;
  faults.beforeRequest = () => {
    throw new Error('down');
  };
  const { exitCode, stdout } = await cli(['verify', rig.out, '--repair']);
  expect([exitCode, stdout.split('\n').at(-2)]).toEqual([
    4,
    expect.stringContaining(
      `Next: run jobvault verify ${rig.out} --repair again when the service answers: it, or the host of a file, did not answer now. What it then does not bring back, restore from a copy of the archive,`,
    ),
  ]);
  faults.beforeRequest = undefined;
  expect((await verifyJson(rig, ['--repair'])).repair.artifacts_mended).toEqual([damaged]);
}, 60_000);

// I-35 in FORMAT.md
it('verify --repair moves only orphans unwritten and unnamed for a week, and keeps their bytes', async () => {
  const run = '01ARZ3NDEKTSV4RRFFQ69G5FAV'; // made in 2016
  const old = `tables/jobs/dt=2016-07-30/${run}-0001.parquet`;
  const young = `tables/jobs/dt=2016-07-30/${run}-0002.parquet`;
  const storage = (await rig.open()).storage;
  for (const path of [old, young]) await storage.put(path, Buffer.from(path));
  await makeOld(rig, old, 8);
  await makeOld(rig, young, 6);
  expect((await verifyJson(rig)).orphans).toEqual([old, young]);
  const { repair, orphans, status } = await verifyJson(rig, ['--repair']);
  expect([repair.moved, orphans, status]).toEqual([[old], [young], 'intact']);
  const kept = await readFile(join(rig.out, repair.quarantine ?? '', old), 'utf8');
  expect(kept).toBe(old);
  const again = await verifyJson(rig, ['--repair', '--orphan-age', '5d']);
  expect([again.repair.moved, again.orphans]).toEqual([[young], []]);
  expect((await verifyJson(rig, ['--repair'])).repair.quarantine).toBeNull();
});

it('verify --repair brings an artifact back from the quarantine, without asking the service', async () => {
  const [path = ''] = await artifactPaths(rig);
  const storage = (await rig.open()).storage;
  const bytes = await storage.get(path);
  await storage.put(`_quarantine/01ARZ3NDEKTSV4RRFFQ69G5FAV/${path}`, bytes);
  await storage.delete(path);
  const before = rig.emulator.stats.requests;
  const { repair } = await cliJson<VerifyJson>(['verify', rig.out, '--repair'], 0, {});
  expect(repair.artifacts_mended).toEqual([path]);
  expect(rig.emulator.stats.requests).toBe(before);
  expect(Buffer.from(await storage.get(path))).toEqual(Buffer.from(bytes));
});

// I-35 in FORMAT.md
it('verify --repair does not touch orphans while the log is not whole: they may be witnesses', async () => {
  const user = rig.state.userIds()[0] ?? '';
  rig.state.addJobs(user, rig.state.sessionIds(user)[0] ?? '', 1);
  await rig.export();
  const named = (await filesOfTable(await rig.open(), 'jobs')).map(({ path }) => path);
  for (const path of named) await makeOld(rig, path, 30);
  await rm(join(rig.out, '_commits/000000000002.json'));
  const { repair, status } = await verifyJson(rig, ['--repair', '--orphan-age', '1h'], 4);
  expect([status, repair.moved, repair.snapshots_removed]).toEqual(['damaged', [], []]);
  expect(repair.held).toContain('_commits/000000000002.json is missing from the log');
  for (const path of named) expect(await rig.files()).toContain(path);
});

it('A newest commit that is gone is noticed by verify, and the next export stops', async () => {
  const user = rig.state.userIds()[0] ?? '';
  rig.state.addJobs(user, rig.state.sessionIds(user)[0] ?? '', 1);
  await rig.export({ noDelta: true });
  await rm(join(rig.out, '_commits/000000000002.json'));
  const { problems } = await verifyJson(rig, [], 4);
  const detail = expect.stringMatching(
    /is missing from the log: _laps\/all\.json was made after it; this log may have been cut/,
  ) as unknown;
  expect(problems).toContainEqual({
    path: '_commits/000000000002.json',
    problem: 'missing',
    detail,
  });
  // the run ends at the cleaning up, which would put another commit in its place
  await expect(rig.run()).rejects.toThrow('is missing from the log');
  const again = await verifyJson(rig, [], 4);
  expect(again.problems.map(({ detail: told }) => told).join('\n')).toContain('may have been cut');
});
