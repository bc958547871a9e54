import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openArchiveIn } from '../../../src/archive/open-archive.js';
import { commitPath } from '../../../src/archive/paths.js';
import { verifyArchive } from '../../../src/archive/verify/verify.js';
import type { RowFormat } from '../../../src/formats/format.js';
import { createLocalStorage } from '../../../src/storage/local/local-storage.js';
import { knowing, lineFormat, seededRandom } from '../../support/store/archive-samples.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { makeSampleArchive } from '../../support/store/sample-archive.js';
import { allFormats } from '../../support/base/memory-bytes.js';
import { fault } from '../../support/base/fault.js';

const FLIPS = 120;
const FEW_FLIPS = 60;
const SEED = Number(process.env['JOBVAULT_TEST_SEED'] ?? 20_261_105);

it(
  `verify names the file of each of ${FEW_FLIPS} bits flipped in every kind (seed ${SEED})`,
  fault('F-30'),
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'jobvault-flips-'));
    try {
      await makeSampleArchive(createLocalStorage({ directory }));
      const paths = await pathsOf(directory);
      expect(paths).toHaveLength(13); // 5 commits, 2 lists of jobs, 5 part files, 1 artifact
      await flipBits(FEW_FLIPS, directory, paths, [lineFormat]);
    } finally {
      await rm(directory, { recursive: true });
    }
  },
);

it(
  `verify names the file of each of ${FLIPS} flipped bits after three exports (seed ${SEED})`,
  { ...fault('F-30'), timeout: 300_000 },
  async () => {
    await using rig = await exportedThrice();
    const paths = await pathsOf(rig.out);
    expect(paths).toContain(commitPath(3));
    expect(paths.filter((path) => path.startsWith('artifacts/')).length).toBeGreaterThan(0);
    await flipBits(FLIPS, rig.out, paths, allFormats);
  },
);

it('names a commit of three exports that was removed, added, or changed places with another', async () => {
  await using rig = await exportedThrice();
  const file = (number: number): string => join(rig.out, commitPath(number));
  for (const number of [1, 2, 3]) {
    await rename(file(number), `${file(number)}.away`);
    expect(await problemPaths(rig.out, allFormats)).toContain(commitPath(number));
    await rename(`${file(number)}.away`, file(number));
  }
  for (const number of [1, 2, 3]) {
    await writeFile(file(4), await readFile(file(number)));
    expect(await problemPaths(rig.out, allFormats)).toContain(commitPath(4));
    await rm(file(4));
  }
  for (const [one, other] of [
    [1, 2],
    [2, 3],
    [1, 3],
  ] as const) {
    await swap(file(one), file(other));
    const found = await problemPaths(rig.out, allFormats);
    expect(found).toEqual(expect.arrayContaining([commitPath(one), commitPath(other)]));
    await swap(file(one), file(other));
  }
  expect(await problemPaths(rig.out, allFormats)).toEqual([]);
});

async function exportedThrice(): Promise<ExportRig> {
  const rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 2, artifactsPerJob: 1 });
  const [user = ''] = rig.state.userIds();
  for (let run = 0; run < 3; run++) {
    rig.state.addJobs(user, rig.state.sessionIds(user)[0] ?? '', 1);
    await rig.export();
  }
  return rig;
}

/** What a flipped bit must show in. */
async function pathsOf(directory: string): Promise<string[]> {
  const storage = createLocalStorage({ directory });
  const paths: string[] = [];
  for (const prefix of ['tables/', 'artifacts/', '_commits/']) {
    for await (const { path, bytes } of storage.list(prefix)) if (bytes > 0) paths.push(path);
  }
  return paths;
}

/** A commit, or its list of jobs. */
const isLog = (path: string): boolean => path.startsWith('_commits/');

/**
 * Flips one bit in one file after another. A part file or an artifact says nothing of another file: many of
 * them are damaged at the same time, and one verify names exactly these. A file of the log is damaged alone.
 */
async function flipBits(
  flips: number,
  directory: string,
  paths: readonly string[],
  formats: readonly RowFormat[],
): Promise<void> {
  const random = seededRandom(SEED);
  const pick = (below: number): number => Math.floor(random.fraction() * below);
  let damaged = new Map<string, Buffer>();
  const flipBit = async (path: string): Promise<void> => {
    const file = join(directory, path);
    const sound = await readFile(file);
    const bytes = Buffer.from(sound);
    const at = pick(bytes.length);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << pick(8)), at);
    await writeFile(file, bytes);
    damaged.set(path, sound);
  };
  const expectNamed = async (): Promise<void> => {
    if (damaged.size === 0) return;
    const found = await problemPaths(directory, formats);
    expect(found).toEqual(expect.arrayContaining([...damaged.keys()]));
    if (![...damaged.keys()].some(isLog)) expect(new Set(found)).toEqual(new Set(damaged.keys()));
    for (const [path, sound] of damaged) await writeFile(join(directory, path), sound);
    damaged = new Map();
  };
  for (let flip = 0; flip < flips; flip++) {
    const path = paths[flip % paths.length] ?? '';
    if (isLog(path) || damaged.has(path)) await expectNamed();
    await flipBit(path);
    if (isLog(path)) await expectNamed();
  }
  await expectNamed();
  expect(await problemPaths(directory, formats)).toEqual([]);
}

async function problemPaths(directory: string, formats: readonly RowFormat[]): Promise<string[]> {
  const archive = await openArchiveIn(createLocalStorage({ directory }), knowing(...formats));
  return (await verifyArchive(archive)).problems.map(({ path }) => path);
}

async function swap(one: string, other: string): Promise<void> {
  await rename(one, `${one}.away`);
  await rename(other, one);
  await rename(`${one}.away`, other);
}
