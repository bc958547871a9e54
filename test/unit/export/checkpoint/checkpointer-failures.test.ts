import { expect, it } from 'vitest';
import { CommitConflictError } from '../../../../src/archive/archive-errors.js';
import { draft, reopened, runOf, session } from '../../../support/store/archive-samples.js';
import {
  checkpointerOf,
  commitsOf,
  download,
  ledgerOf,
  lost,
  prepared,
  published,
  entryOfUser,
} from '../../../support/rigs/checkpoint-rig.js';

it('a failed checkpoint is withdrawn if another run committed its session; none follows', async () => {
  const { archive, storage } = await checkpointerOf();
  await archive.log.append(draft({ run: runOf('B'), sessions: [session('u', 's1')] }));
  const { checkpointer } = await checkpointerOf({ archive: reopened(archive) }, storage);
  const file = await download(checkpointer, storage, 'late');
  await checkpointer.addJob(ledgerOf('s1'), prepared('s1', 'j1', [file]));
  await checkpointer.addJob(ledgerOf('s2'), prepared('s2', 'j2'));
  const refused = checkpointer.commit();
  await expect(refused).rejects.toThrow(CommitConflictError);
  expect(published(storage).filter((path) => path.startsWith('tables/'))).toEqual([]);
  expect(storage.place.staged.size).toBe(0);
  const error: unknown = await refused.catch((reason: unknown) => reason);
  await expect(checkpointer.addUser(entryOfUser)).rejects.toBe(error);
  await checkpointer.discard();
  await expect(checkpointer.commit({ always: true })).rejects.toBe(error);

  await checkpointer.restart();
  await checkpointer.addJob(ledgerOf('s3'), prepared('s3', 'j3'));
  await checkpointer.commit();
  const commits = await commitsOf(archive);
  expect(commits).toHaveLength(2);
  expect(commits[1]).toMatchObject({ sessions: [{ session: 's3' }] });
  expect(commits[1]?.artifacts).toBeUndefined();
  expect(commits[1]?.files.find(({ table }) => table === 'jobs')?.rows).toBe(1);
});

it('a checkpoint that fails is withdrawn if a file cannot be published', async () => {
  const { archive, storage } = await checkpointerOf();
  const full = new Error('no space left');
  const { checkpointer, committed } = await checkpointerOf({ archive }, storage);
  const file = await download(checkpointer, storage, 'x');
  checkpointer.pool.get(file.stored?.sha256 ?? '')!.staged!.publish = () => Promise.reject(full);
  await checkpointer.addJob(ledgerOf('s1'), prepared('s1', 'j1', [file]));
  await expect(checkpointer.commit()).rejects.toBe(full);
  expect([published(storage), committed]).toEqual([[], []]);
  expect(storage.place.staged.size).toBe(0);
  expect(await commitsOf(archive)).toEqual([]);
});

it('a checkpoint that fails is dropped when it is discarded, and later jobs are committed', async () => {
  const { checkpointer, archive, storage } = await checkpointerOf();
  const file = await download(checkpointer, storage, 'x');
  await checkpointer.addJob(ledgerOf('s1'), prepared('s1', 'j1', [file]));
  expect(storage.place.staged.size).toBeGreaterThan(1);
  await checkpointer.discard();
  expect(storage.place.staged.size).toBe(0);
  expect(() => checkpointer.pool.get(file.stored?.sha256 ?? '')).toThrow(RangeError);
  await download(checkpointer, storage, 'x');
  expect(checkpointer.pool.get(file.stored?.sha256 ?? '')?.staged).toBeDefined();
  await checkpointer.discard();
  await checkpointer.commit();
  expect(await commitsOf(archive)).toEqual([]);
  await checkpointer.addJob(ledgerOf('s2'), prepared('s2', 'j2'));
  await checkpointer.commit();
  expect(await commitsOf(archive)).toMatchObject([{ sessions: [{ session: 's2' }] }]);
});

it('a checkpoint that fails leaves out a job that cannot be flattened, and no other', async () => {
  const { checkpointer, archive } = await checkpointerOf();
  await checkpointer.addJob(ledgerOf('s1'), prepared('s1', 'j1'));
  const broken = prepared('s1', 'j2', [lost]);
  const toWrite = broken.toWrite && { ...broken.toWrite, files: new Map() };
  await expect(checkpointer.addJob(ledgerOf('s1'), { ...broken, toWrite })).rejects.toThrow(
    RangeError,
  );
  await checkpointer.commit();
  const [commit] = await commitsOf(archive);
  expect(commit?.files.find(({ table }) => table === 'jobs')?.rows).toBe(1);
});

it('a checkpoint is committed where only its report fails, and the next is not begun', async () => {
  const broken = new Error('the report failed');
  const { checkpointer, archive, storage } = await checkpointerOf({
    after: { committed: () => Promise.reject(broken) },
  });
  await checkpointer.addJob(ledgerOf('s1'), prepared('s1', 'j1'));
  const waiting = await download(checkpointer, storage, 'for the next one');
  await expect(checkpointer.commit()).rejects.toBe(broken);
  expect(await commitsOf(archive)).toMatchObject([{ sessions: [{ session: 's1' }] }]);
  // what is downloaded belongs to jobs to come; whoever ends the run discards it
  expect(checkpointer.pool.get(waiting.stored?.sha256 ?? '')?.staged).toBeDefined();
  await expect(checkpointer.addUser(entryOfUser)).rejects.toBe(broken);
});
