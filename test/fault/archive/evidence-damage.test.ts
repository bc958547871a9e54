/** A damaged archive gives no pack; an interrupted or failing pack leaves nothing behind. */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { commitPath } from '../../../src/archive/paths.js';
import { runCli } from '../../../src/cli/run-cli.js';
import { writeDirectoryAtomically } from '../../../src/storage/local/whole-directory.js';
import { StorageError } from '../../../src/storage/storage-errors.js';
import { besideArchive, handOver } from '../../support/rigs/evidence-rig.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { failureOf } from '../../support/http/test-client.js';
import { snapshotOf } from '../../support/store/snapshots.js';
import { testTerminal } from '../../support/programs/test-terminal.js';

let rig: ExportRig;
let intact: string;

beforeAll(async () => {
  rig = await ExportRig.start({ users: 2, sessions: 2, jobs: 3 });
  await rig.archived();
  await rig.export();
  intact = join(rig.directory, 'intact');
  await cp(rig.out, intact, { recursive: true });
});
afterAll(() => rig[Symbol.asyncDispose]());
beforeEach(async () => {
  await rm(rig.out, { recursive: true });
  await cp(intact, rig.out, { recursive: true });
});

async function firstFile(pattern: RegExp): Promise<string> {
  const path = (await rig.files()).toSorted().find((one) => pattern.test(one));
  if (path === undefined) throw new Error(`no file matches ${String(pattern)}`);
  return path;
}

const READ = [
  ['an artifact', /^artifacts\//],
  ['rows of sessions', /^tables\/sessions\/dt=/],
  ['rows of jobs', /^tables\/jobs\/dt=/],
  ['rows of artifacts', /^tables\/artifacts\/dt=/],
  ['records', /^tables\/raw_jobs\/dt=/],
  ['the first commit', /^_commits\/0*1\.json$/],
  ['the newest commit', /^_commits\/0*2\.json$/],
  ['a list of jobs', /^_commits\/.*\.jobs\.jsonl\.gz$/],
] as const;

it.each(READ)(
  'evidence ends with exit code 4 and names the file: one flipped bit in %s',
  async (_, file) => {
    const path = await firstFile(file);
    const bytes = await readFile(join(rig.out, path));
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    await writeFile(join(rig.out, path), bytes);
    await expectRefused(path);
  },
);

it.each(READ.filter(([what]) => what !== 'the newest commit'))(
  'evidence of a damaged archive ends with exit code 4 and names the file: %s lost',
  async (_, file) => {
    const path = await firstFile(file);
    await rm(join(rig.out, path));
    await expectRefused(path);
  },
);

it.each(READ.slice(0, 5))(
  'evidence of a damaged archive ends with exit code 4 and names the file: %s cut short',
  async (_, file) => {
    const path = await firstFile(file);
    const bytes = await readFile(join(rig.out, path));
    await writeFile(join(rig.out, path), bytes.subarray(0, -1));
    await expectRefused(path);
  },
);

it('evidence ends with exit code 4 where the newest commit is gone and a snapshot has seen it', async () => {
  await snapshotOf(await rig.open());
  for (const number of [2, 3]) await rm(join(rig.out, commitPath(number)));
  await expectRefused(commitPath(2));
});

it('evidence of a damaged archive ends with exit code 4 where the identity is no such thing', async () => {
  await writeFile(join(rig.out, 'jobvault.json'), '{}');
  await expectRefused('jobvault.json');
});

it('evidence of a damaged archive does not need the times of checks', async () => {
  const sound = await handOver(rig);
  for (const path of await rig.files('_laps')) await writeFile(join(rig.out, path), 'rubbish');
  const { exitCode, summary, pack } = await handOver(rig);
  expect(exitCode).toBe(0);
  // the pack tells when it was made
  const { bytes, digest } = summary();
  expect(summary()).toEqual({ ...sound.summary(), out: pack.directory, bytes, digest });
  await rm(sound.pack.directory, { recursive: true });
  await rm(pack.directory, { recursive: true });
});

async function expectRefused(path: string): Promise<void> {
  const { exitCode, stderr } = await handOver(rig);
  expect(stderr).toContain(path);
  expect(stderr).toMatch(/^[^\n]+\nNext: [^\n]+\.\n$/);
  expect(exitCode).toBe(4);
  expect(await besideArchive(rig)).toEqual(['intact']);
}

it('a pack leaves nothing behind when it is interrupted, and ends with 130', async () => {
  const terminal = testTerminal({
    arguments: ['evidence', rig.out, '--out', join(rig.directory, 'pack')],
  });
  const signal = AbortSignal.abort(new Error('stopped by SIGINT'));
  expect(await runCli({ ...terminal, interruption: { signal, exitCode: 130 } })).toBe(130);
  expect(await besideArchive(rig)).toEqual(['intact']);
});

it('a pack leaves nothing behind when writing fails, and gives an empty directory back', async () => {
  const place = join(rig.directory, 'failing');
  await mkdir(place);
  const failure = new StorageError('no space is left on the device');
  const filling = writeDirectoryAtomically(place, async (storage) => {
    await storage.put('data/half.txt', Buffer.from('half'));
    throw failure;
  });
  expect(await failureOf(filling)).toBe(failure);
  expect(await besideArchive(rig)).toEqual(['failing', 'intact']);
  expect(await readdir(place)).toEqual([]);
  await rm(place, { recursive: true });
});
