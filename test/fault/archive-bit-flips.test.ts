import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openArchive } from '../../src/archive/open-archive.js';
import { verifyArchive } from '../../src/archive/verify.js';
import { createLocalStorage } from '../../src/storage/local-storage.js';
import { lineFormat, seededRandom } from '../support/archive-samples.js';
import { makeSampleArchive } from '../support/sample-archive.js';

const FLIPS = 500;
const SEED = Number(process.env['JOBVAULT_TEST_SEED'] ?? 20_261_105);

it(`names the file of each of ${FLIPS} single flipped bits (seed ${SEED})`, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'jobvault-flips-'));
  try {
    await makeSampleArchive(createLocalStorage({ directory }));
    const storage = createLocalStorage({ directory });
    const paths: string[] = [];
    for (const prefix of ['tables/', 'artifacts/', '_commits/']) {
      for await (const { path, bytes } of storage.list(prefix)) if (bytes > 0) paths.push(path);
    }
    expect(paths).toHaveLength(12); // 5 commits, 2 lists of jobs, 4 part files and workbooks, 1 artifact
    const random = seededRandom(SEED);
    const pick = (below: number): number => Math.floor(random.fraction() * below);
    for (let flip = 0; flip < FLIPS; flip++) {
      const path = paths[flip % paths.length] ?? '';
      const file = join(directory, path);
      const sound = await readFile(file);
      const damaged = Buffer.from(sound);
      const at = pick(damaged.length);
      damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << pick(8)), at);
      await writeFile(file, damaged);
      const { problems } = await verifyArchive(await openArchive(storage), {
        formats: [lineFormat],
      });
      expect(problems.map((problem) => problem.path)).toContain(path);
      await writeFile(file, sound);
    }
    const report = await verifyArchive(await openArchive(storage), { formats: [lineFormat] });
    expect(report.problems).toEqual([]);
  } finally {
    await rm(directory, { recursive: true });
  }
}, 120_000);
