import { describe, expect, it } from 'vitest';
import { CommitConflictError, IntegrityError } from '../../../../src/archive/archive-errors.js';
import { MAX_CONFLICTS, planAgain } from '../../../../src/archive/runs/plan-again.js';
import { silentLogger } from '../../../../src/base/logger.js';
import { ObjectNotFoundError } from '../../../../src/storage/storage-errors.js';
import {
  draft,
  makeArchive,
  partFor,
  putPart,
  reopened,
  runOf,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

/** Of an archive in which another run can replace the one file. */
async function planning(attempt: (nth: number) => unknown, signal?: AbortSignal) {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  const part = await putPart(storage, { run: runOf('A'), n: 1, rows: 1 });
  await archive.log.append(draft({ files: [part] }));
  const told: unknown[] = [];
  const logger = { ...silentLogger, info: (...given: unknown[]) => void told.push(given) };
  const commits: number[] = [];
  let attempts = 0;
  const replace = async () => {
    const { path } = partFor({ run: runOf('A'), n: 1, rows: 1 });
    const merged = await putPart(storage, { run: runOf('B'), n: 1, rows: 1 });
    const { log } = reopened(archive);
    await log.append(draft({ run: runOf('B'), base: 1, files: [merged], removed: [path] }));
  };
  const planned = planAgain({ archive: { ...archive, logger }, commits, signal }, async () =>
    Promise.resolve(attempt(++attempts)),
  );
  return { planned, told, commits, replace, attempts: () => attempts };
}

const failing = (error: Error) => Promise.reject(error);
const conflict = new CommitConflictError([], 9);

it('planning gives what the first attempt gives', async () => {
  const { planned, told, attempts } = await planning((nth) => nth);
  expect([await planned, attempts(), told]).toEqual([1, 1, []]);
});

it('planning is repeated after a conflict, which is logged', async () => {
  const { planned, told } = await planning((nth) => (nth < 3 ? failing(conflict) : nth));
  expect(await planned).toBe(3);
  const line = [{ newest: 1 }, 'another run has committed meanwhile; planning again'];
  expect(told).toEqual([line, line]);
});

it('planning passes other errors on at once', async () => {
  const error = new Error('disk full');
  const { planned, attempts } = await planning(() => failing(error));
  await expect(planned).rejects.toBe(error);
  expect(attempts()).toBe(1);
});

it('planning gives up after fifty conflicts in a row, and names the newest commit', async () => {
  const { planned, attempts } = await planning(() => failing(conflict));
  await expect(planned).rejects.toMatchObject({ sessions: [], newest: 1 });
  expect([MAX_CONFLICTS, attempts()]).toEqual([50, 51]);
});

it('planning counts conflicts from its own last commit on', async () => {
  const rig = await planning((nth) => {
    if (nth === 50) rig.commits.push(7);
    return failing(conflict);
  });
  await expect(rig.planned).rejects.toMatchObject({ newest: 1 });
  expect(rig.attempts()).toBe(100);
});

it('planning ends with the signal between two attempts', async () => {
  const stop = new AbortController();
  const { planned, told, attempts } = await planning(() => {
    stop.abort(new Error('enough'));
    return failing(conflict);
  }, stop.signal);
  await expect(planned).rejects.toThrow('enough');
  expect([attempts(), told]).toEqual([1, []]);
});

describe.each([
  ['a file that is not there', new ObjectNotFoundError('tables/x')],
  ['a file that is damaged', new IntegrityError('tables/x', 'size', 'is too short')],
])('%s', (_, error) => {
  it('what is missing or damaged is a fault where no file has left the archive', async () => {
    const { planned, attempts } = await planning(() => failing(error));
    await expect(planned).rejects.toBe(error);
    expect(attempts()).toBe(1);
  });

  it('planning begins again where another run has replaced files meanwhile', async () => {
    const rig = await planning(async (nth) => {
      if (nth > 1) return nth;
      await rig.replace();
      return failing(error);
    });
    expect(await rig.planned).toBe(2);
    expect(rig.told).toMatchObject([[{ newest: 2 }, expect.any(String)]]);
  });
});

it('planning does not take another error for a conflict where files were replaced', async () => {
  const error = new Error('disk full');
  const rig = await planning(async () => {
    await rig.replace();
    return failing(error);
  });
  await expect(rig.planned).rejects.toBe(error);
  expect(rig.attempts()).toBe(1);
});
