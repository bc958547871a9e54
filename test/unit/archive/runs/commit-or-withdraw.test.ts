import { expect, it } from 'vitest';
import { LogCrowdedError } from '../../../../src/archive/archive-errors.js';
import { commitOrWithdraw, isRefused } from '../../../../src/archive/runs/commit-or-withdraw.js';
import type { CommitDraft } from '../../../../src/archive/log/commit-draft.js';
import { silentLogger } from '../../../../src/base/logger.js';
import type { Storage } from '../../../../src/storage/storage.js';
import {
  draft,
  makeArchive,
  reopened,
  runOf,
  session,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

interface Attempt {
  readonly publish?: () => Promise<CommitDraft>;
  readonly withdraw?: () => Promise<void>;
  readonly over?: Partial<Storage>;
}

async function tried({ publish, withdraw, over }: Attempt) {
  const storage = createMemoryStorage();
  const { log: others } = await makeArchive(storage);
  await others.append(draft({ sessions: [session('ann', 'a')] }));
  const archive = await makeArchive({ ...storage, ...over }, 2);
  const warnings: unknown[] = [];
  let withdrawn = 0;
  const error: unknown = await commitOrWithdraw({
    archive: {
      ...archive,
      logger: { ...silentLogger, warn: (...given: unknown[]) => void warnings.push(given) },
    },
    publish: publish ?? (() => Promise.resolve(draft({ run: runOf('B'), base: 1 }))),
    withdraw: () => {
      withdrawn++;
      return withdraw?.() ?? Promise.resolve();
    },
  }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, withdrawn, warnings, newest: (await archive.log.head())?.number };
}

const cut = new Error('the line was cut');
const conflicting = () =>
  Promise.resolve(draft({ run: runOf('B'), base: 0, sessions: [session('ann', 'a')] }));

it('withdraws nothing that is committed', async () => {
  expect(await tried({})).toEqual({ error: undefined, withdrawn: 0, warnings: [], newest: 2 });
});

it('withdraws what was published before publishing failed', async () => {
  const publish = () => Promise.reject(cut);
  expect(await tried({ publish })).toEqual({ error: cut, withdrawn: 1, warnings: [], newest: 1 });
});

it('withdraws what the log has refused', async () => {
  const { error, withdrawn, newest } = await tried({ publish: conflicting });
  expect(error).toMatchObject({ code: 'ARCHIVE_COMMIT_CONFLICT' });
  expect([withdrawn, newest]).toEqual([1, 1]);
});

// it may be in the log: what a commit names must not go
it('withdraws nothing while it is unknown whether the log has the commit', async () => {
  const over = { putIfAbsent: () => Promise.reject(cut) };
  expect(await tried({ over })).toEqual({ error: cut, withdrawn: 0, warnings: [], newest: 1 });
});

it('warns of files that cannot be withdrawn, and throws the reason why nothing was committed', async () => {
  const publish = () => Promise.reject(cut);
  const withdraw = () => Promise.reject(new Error('no route'));
  const { error, warnings } = await tried({ publish, withdraw });
  expect(error).toBe(cut);
  expect(warnings).toEqual([[{ reason: 'no route' }, 'part files could not be withdrawn']]);
});

it('knows the refusals that prove that the log has not taken a commit', async () => {
  const { error: conflict } = await tried({ publish: conflicting });
  const abandoned = async () => {
    const archive = await makeArchive(createMemoryStorage());
    await archive.log.append(draft({ abandoned: [runOf('B')] }));
    const { log } = reopened(archive);
    return log.append(draft({ run: runOf('B') })).catch((error: unknown) => error);
  };
  const refusals = [conflict, await abandoned(), new LogCrowdedError(100, 100)];
  expect(refusals.map(isRefused)).toEqual([true, true, true]);
  expect([cut, undefined].map(isRefused)).toEqual([false, false]);
});
