import { expect, it } from 'vitest';
import { UsageError } from '../../../src/base/error.js';
import type { Archive } from '../../../src/archive/archive.js';
import { openArchiveIn } from '../../../src/archive/open-archive.js';
import { verifyArchive } from '../../../src/archive/verify/verify.js';
import { asUserId } from '../../../src/model/ids.js';
import { createLocalStorage } from '../../../src/storage/local/local-storage.js';
import type { Storage } from '../../../src/storage/storage.js';
import {
  artifactFor,
  draft,
  job,
  knowing,
  lineFormat,
  makeArchive,
  partFor,
  runOf,
  seededRandom,
  session,
} from '../../support/store/archive-samples.js';
import { ForgetfulDisk } from '../../support/store/forgetful-disk.js';
import { fault } from '../../support/base/fault.js';

const LINES = knowing(lineFormat);

const SEED = Number(process.env['JOBVAULT_TEST_SEED'] ?? 28);
const CHECKPOINTS = 3;

/** As an export does it: stage, publish, commit, save the state. Tells which commits were acknowledged. */
async function run(storage: Storage, acknowledged: number[]): Promise<void> {
  const archive = await makeArchive(storage);
  await checkpoints(archive, 'A', acknowledged);
  await storage.close();
}

async function checkpoints(
  archive: Archive,
  letter: string,
  acknowledged: number[],
): Promise<void> {
  const { storage, log, states } = archive;
  const user = asUserId('u');
  for (let n = 1; n <= CHECKPOINTS; n++) {
    const part = partFor({ run: runOf(letter), n, rows: 3 });
    const artifact = artifactFor(`${letter}${n}`);
    for (const { path, content } of [part, artifact]) {
      const staged = await storage.stage();
      await staged.write(content.subarray(0, 10));
      await staged.write(content.subarray(10));
      await staged.close();
      await staged.publish(path);
    }
    const { through: base } = await states.load(user);
    const id = `${letter}${n}`;
    const commit = await log.append(
      draft({
        base,
        run: runOf(letter),
        checkpoint: n,
        files: [part.entry],
        sessions: [session('u', id)],
        jobs: [job('u', id, 'j')],
      }),
    );
    acknowledged.push(commit.number);
  }
}

async function stepsOfARun(): Promise<number> {
  const disk = new ForgetfulDisk();
  await run(createLocalStorage({ directory: '/mnt/archive', fileSystem: disk.fileSystem }), []);
  return disk.steps;
}

// I-4, I-15 in FORMAT.md
it(
  `keeps acknowledged commits and names no absent file after power loss (seed ${SEED})`,
  fault('F-29'),
  async () => {
    const steps = await stepsOfARun();
    expect(steps).toBeGreaterThan(120);
    const random = seededRandom(SEED);
    let survived = 0;
    for (let step = 0; step < steps; step++) {
      const disk = new ForgetfulDisk();
      const open = () =>
        createLocalStorage({ directory: '/mnt/archive', fileSystem: disk.fileSystem });
      const acknowledged: number[] = [];
      disk.stepsLeft = step;
      await run(open(), acknowledged).catch((error: unknown) => {
        expect(error).toMatchObject({ failure: 'storage' });
      });
      disk.losePower(() => random.fraction());

      const archive = await openArchiveIn(open(), LINES).catch((error: unknown) => {
        expect(error).toBeInstanceOf(UsageError);
        return undefined;
      });
      if (!archive) {
        expect(acknowledged).toEqual([]);
        continue;
      }
      const report = await verifyArchive(archive);
      expect(report.problems).toEqual([]);
      expect(report.commits).toBeGreaterThanOrEqual(acknowledged.length);
      survived += report.commits;

      await checkpoints(await openArchiveIn(open()), 'B', []);
      const after = await verifyArchive(await openArchiveIn(open(), LINES));
      expect(after.problems).toEqual([]);
      expect(after.commits).toBe(report.commits + CHECKPOINTS);
    }
    expect(survived).toBeGreaterThan(steps / 2);
  },
);

it(
  'keeps an archive whose directory was made by a run that was killed before it could sync it',
  fault('F-29'),
  async () => {
    const disk = new ForgetfulDisk();
    await disk.fileSystem.mkdir('/mnt');
    await disk.fileSystem.mkdir('/mnt/archive');
    const open = () =>
      createLocalStorage({ directory: '/mnt/archive', fileSystem: disk.fileSystem });
    const acknowledged: number[] = [];
    await run(open(), acknowledged);
    disk.losePower(() => 0.99);
    const report = await verifyArchive(await openArchiveIn(open(), LINES));
    expect(report.problems).toEqual([]);
    expect(report.commits).toBe(acknowledged.length);
  },
);
