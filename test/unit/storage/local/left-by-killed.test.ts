/** What a killed process leaves beside a target, or in scratch space, has texts of people: the next run there removes it. */
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createOrOpenArchive } from '../../../../src/archive/open-archive.js';
import { silentLogger } from '../../../../src/base/logger.js';
import { systemProcesses } from '../../../../src/base/process-identity.js';
import { writeWholeFile } from '../../../../src/cli/output/write-whole-file.js';
import { createLocalStorage } from '../../../../src/storage/local/local-storage.js';
import { stagingPrefix } from '../../../../src/storage/local/staging-directory.js';
import { makeTemporaryDirectory } from '../../../../src/storage/local/temporary-directory.js';
import { StorageError } from '../../../../src/storage/storage-errors.js';
import { writeWorkbook } from '../../../../src/workbook/write-workbook.js';
import { archiveSettings } from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { commitJobs } from '../../../support/store/written-jobs.js';
import { fault } from '../../../support/base/fault.js';

const { self } = systemProcesses;
/** No process has so large a number. */
const GONE = { ...self, pid: 2 ** 22 + 1, started: '1' };
const dead = `${stagingPrefix(GONE, '0123456789abcdef')}-0`;
const elsewhere = `${stagingPrefix({ ...GONE, host: 'another' }, '0123456789abcdef')}-0`;
const alive = `${stagingPrefix(self, '0123456789abcdef')}-0`;

let place: string;

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'left-by-killed-'));
});
afterEach(() => rm(place, { recursive: true }));

it(
  'a shared place is freed of what a killed writer has staged, and of nothing else',
  fault('F-148'),
  async () => {
    const staging = join(place, '_staging');
    await mkdir(staging);
    const old = new Date(Date.now() - 100 * 3_600_000);
    for (const name of [dead, alive, 'letters.docx']) {
      await writeFile(join(staging, name), 'texts');
      await utimes(join(staging, name), old, old);
    }
    const storage = createLocalStorage({ directory: place });
    expect(await storage.sweep({ isShared: true })).toBe(1);
    expect((await readdir(staging)).sort()).toEqual([alive, 'letters.docx'].sort());
  },
);

it(
  'a temporary directory is made where those of killed processes are removed first',
  fault('F-148'),
  async () => {
    for (const name of [dead, alive, elsewhere, 'notes']) {
      await mkdir(join(place, `jobvault-${name}`, 'restored'), { recursive: true });
      await writeFile(join(place, `jobvault-${name}`, 'restored', 'x'), 'texts');
    }
    const left = [alive, elsewhere, 'notes'].map((name) => `jobvault-${name}`).sort();
    const made = await makeTemporaryDirectory(place);
    await made.remove();
    expect((await readdir(place)).sort()).toEqual(left);
  },
);

it(
  'a file that is written whole takes away what killed writers of it have left beside it',
  fault('F-148'),
  async () => {
    await writeFile(join(place, `.answers.csv.${dead}.partial`), 'texts');
    await writeFile(join(place, `.answers.csv.${alive}.partial`), 'texts');
    await writeFile(join(place, '.answers.csv.mine.partial'), 'mine');
    // eslint-disable-next-line @typescript-eslint/require-await -- chunks come asynchronously, wherever they are from
    const chunks = async function* () {
      yield 'a,b\n';
    };
    await writeWholeFile(join(place, 'answers.csv'), chunks());
    expect((await readdir(place)).sort()).toEqual(
      [`.answers.csv.${alive}.partial`, '.answers.csv.mine.partial', 'answers.csv'].sort(),
    );
  },
);

it(
  'a workbook is made where nothing may be removed, and a warning says what may be left',
  fault('F-148'),
  async () => {
    const warned: unknown[] = [];
    const logger = { ...silentLogger, warn: (...line: unknown[]) => void warned.push(line) };
    const settings = archiveSettings({ formats: ['jsonl'], logger });
    const archive = await createOrOpenArchive(createMemoryStorage(), settings);
    await commitJobs(archive, [{ user: 'ada', session: 's', job: 'j' }]);
    await archive.index.refresh();
    const refused = () => Promise.reject(new StorageError('permission is denied'));
    const target = Object.assign(createMemoryStorage(), { sweep: refused });
    const made = { archive, target, users: ['ada'], name: 'ada.xlsx' };
    expect(await writeWorkbook(made)).toMatchObject({ jobs: 1 });
    expect(warned).toEqual([
      [
        { reason: 'permission is denied' },
        'files that interrupted runs have staged there may be left',
      ],
    ]);
  },
);
