/** `verify --within` and `--slice` on an exported archive: the record, who may not write, and what copies and status have of it. */
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import { openArchive } from '../../../src/index.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { artifactPaths, flipBitOf, verifyJson } from '../../support/rigs/verify-rig.js';
import { fault } from '../../support/base/fault.js';

vi.setConfig({ testTimeout: 60_000 });

let rig: ExportRig;
beforeEach(async () => {
  rig = await ExportRig.start({ users: 2, sessions: 3, jobs: 4, artifactsPerJob: 2 });
  await rig.archived();
});
afterEach(() => rig[Symbol.asyncDispose]());

const within = ['--within', '30d'];
const today = (): string => new Date().toISOString().slice(0, 10);
const status = (): Promise<ArchiveStatus> => cliJson<ArchiveStatus>(['status', rig.out]);

it('The first check reads all, the next one only what came since, and status tells since when', async () => {
  expect((await status()).read_back).toBeNull();
  expect((await cli(['status', rig.out])).stdout).not.toContain('read back');
  expect((await verifyJson(rig, within)).unread).toBe(0);
  expect((await status()).read_back).toMatchObject({ damaged: [] });
  const [user = ''] = rig.state.userIds();
  rig.state.addJobs(user, rig.state.sessionIds(user)[0] ?? '', 1);
  await rig.export();
  const unread = `files read back +all that commit 1 had since ${today()}`;
  expect((await cli(['status', rig.out])).stdout).toMatch(new RegExp(unread));
  const { files, run } = await (await rig.open()).log.read(2);
  const rows = await rig.rows('artifacts');
  const stored = rows.filter(({ run_id: of, path }) => of === run && path !== null);
  const added = [...files, ...stored].map(({ path }) => String(path));
  for (const path of added) await flipBitOf(rig, path);
  const { problems, unread: notRead } = await verifyJson(rig, within, 4);
  expect(problems.map(({ path }) => path).sort()).toEqual(added.sort());
  expect(notRead).toBeGreaterThan(20);
  const { stdout } = await cli(['status', rig.out]);
  expect(stdout).toMatch(
    new RegExp(`files read back +all since ${today()}; damaged when last read: \\d+ slices? of 30`),
  );
  // nothing is due, and the damage is found again
  expect((await verifyJson(rig, within, 4)).problems).toHaveLength(added.length);
});

it(
  'damage that a check by hand found stays known until the file is whole',
  fault('F-131'),
  async () => {
    await verifyJson(rig, within);
    const [path = ''] = await artifactPaths(rig);
    await flipBitOf(rig, path);
    // nothing is due
    expect((await verifyJson(rig, within)).problems).toEqual([]);
    expect((await verifyJson(rig, [], 4)).problems).toMatchObject([{ path }]);
    const slices = Array.from({ length: 30 }, (_, at) => ['--slice', `${at + 1}/30`]);
    for (const part of [within, ['--sample', '0.1%'], ...slices.slice(0, 2)]) {
      expect((await verifyJson(rig, part, 4)).problems).toMatchObject([{ path }]);
    }
    expect((await status()).read_back?.damaged).toHaveLength(1);
    await flipBitOf(rig, path);
    for (const part of [['--sample', '0.1%'], within]) {
      expect((await verifyJson(rig, part)).problems).toEqual([]);
    }
    expect((await status()).read_back?.damaged).toEqual([]);
    // one of the slices finds it, and the next one knows
    await flipBitOf(rig, path);
    const codes: number[] = [];
    for (const half of ['1/2', '2/2', '1/2', '2/2']) {
      codes.push((await cli(['verify', rig.out, '--slice', half])).exitCode);
    }
    expect(codes.slice(1)).toEqual([4, 4, 4]);
    expect((await status()).read_back?.damaged).toHaveLength(1);
  },
);

it('A check by hand notes nothing of an archive that nobody checks in slices', async () => {
  const [path = ''] = await artifactPaths(rig);
  await flipBitOf(rig, path);
  const before = await rig.files('');
  await verifyJson(rig, [], 4);
  expect(await rig.files('')).toEqual(before);
});

it('The record names nobody, is no foreign file, and stays behind when the archive is copied', async () => {
  await verifyJson(rig, within);
  const text = await readFile(join(rig.out, '_slices.json'), 'utf8');
  for (const id of rig.state.userIds()) {
    expect(text).not.toContain(id);
    for (const session of rig.state.sessionIds(id)) expect(text).not.toContain(session);
  }
  const { foreign, orphans } = await rig.verify();
  expect([foreign, orphans]).toEqual([[], []]);
  const copied = join(rig.directory, 'copied');
  expect((await cli(['copy', rig.out, copied])).exitCode).toBe(0);
  expect(await rig.files()).toContain('_slices.json');
  await expect(readFile(join(copied, '_slices.json'))).rejects.toThrow('ENOENT');
  const [user = ''] = rig.state.userIds();
  expect((await cli(['erase', rig.out, '--user', user, '--yes'])).exitCode).toBe(0);
  expect((await verifyJson(rig, within)).status).toBe('intact');
});

it('A caller who may only read is told that nothing is noted, and names a part instead', async () => {
  await using archive = await openArchive(rig.out);
  await archive.verifyWithin(30 * 86_400_000);
  const [path = ''] = await artifactPaths(rig);
  await flipBitOf(rig, path);
  let found = 0;
  // the next checks find it, too: what is damaged is noted and read again
  for (let nth = 1; nth <= 5 && found === 0; nth++) {
    const { problems } = await archive.verify({ slice: { nth, of: 5 } });
    if (problems.length > 0) found = nth;
  }
  expect(found).toBeGreaterThan(0);
  const part = await cli(['verify', rig.out, '--slice', `${found}/5`]);
  expect(part).toMatchObject({ exitCode: 4 });
  await flipBitOf(rig, path);
  if (process.getuid?.() === 0) return; // root may write everywhere
  await chmod(rig.out, 0o555);
  const end = await cli(['verify', rig.out, ...within]);
  await chmod(rig.out, 0o755);
  expect(end.exitCode).toBe(9);
  expect(end.stderr).toContain('names a part with --slice');
});

it.each([
  [['--slice', '0/30'], 'a part such as 7/30'],
  [['--slice', '31/30'], 'a part such as 7/30'],
  [['--slice', '1/1001'], 'a part such as 7/30'],
  [['--within', '1m'], 'a duration'],
  [['--within', '30d', '--slice', '1/30'], '--slice and --within exclude each other'],
  [['--within', '30d', '--sample', '5%'], '--sample and --within exclude each other'],
  [['--within', '30d', '--repair'], '--within cannot be given with --repair'],
])('%j is refused', async (words, why) => {
  const { exitCode, stderr } = await cli(['verify', rig.out, ...words]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(why)]);
});
