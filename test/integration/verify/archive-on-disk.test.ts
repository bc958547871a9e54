import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CommitConflictError } from '../../../src/archive/archive-errors.js';
import { fromSnapshot } from '../../../src/archive/archive.js';
import { stateLine } from '../../../src/archive/state/state-line.js';
import { verifyArchive } from '../../../src/archive/verify/verify.js';
import { asSessionId, asUserId } from '../../../src/model/ids.js';
import { createLocalStorage } from '../../../src/storage/local/local-storage.js';
import {
  draft,
  job,
  makeArchive,
  putPart,
  reopened,
  runOf,
  session,
} from '../../support/store/archive-samples.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { snapshotOf } from '../../support/store/snapshots.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jobvault-archive-'));
});
afterEach(() => rm(directory, { recursive: true }));

const open = () => createLocalStorage({ directory });

// I-9 in FORMAT.md
it('keeps what eight runs append at the same time, in one chain', async () => {
  const archive = await makeArchive(open());
  await Promise.all(
    Array.from('ABCDEFGH', async (letter, i) => {
      const own = reopened(archive, open(), i + 10);
      const run = runOf(letter);
      for (let n = 1; n <= 6; n++) {
        const file = await putPart(own.storage, { run, n, rows: n });
        const jobs = [job(`user ${letter}`, `s${n}`, 'j')];
        const sessions = [session(`user ${letter}`, `s${n}`)];
        await own.log.append(draft({ run, checkpoint: n, files: [file], sessions, jobs }));
      }
      await own.storage.close();
    }),
  );
  const report = await verifyArchive(reopened(archive, open()));
  expect(report).toMatchObject({
    commits: 48,
    files: 48,
    tableRows: { jobs: 8 * 21 },
    snapshots: 0,
    problems: [],
    orphans: [],
  });
  expect(await readdir(directory)).not.toContain('_staging');
});

// I-31 in FORMAT.md
it('lets one of several runs on the same session win each round, and the others plan again', async () => {
  const archive = await makeArchive(open());
  const rounds = 5;
  await Promise.all(
    Array.from('ABCDE', async (letter, i) => {
      const own = reopened(archive, open(), i + 20);
      for (let done = 0; done < rounds;) {
        const state = await own.states.load(asUserId('u'));
        const version = (state.sessions.get(asSessionId('s'))?.version ?? 0) + 1;
        try {
          await own.log.append(
            draft({
              run: runOf(letter),
              checkpoint: done + 1,
              base: state.through,
              sessions: [session('u', 's', { version })],
              jobs: [job('u', 's', `${letter}${done}`, { index: version })],
            }),
          );
          done++;
        } catch (error) {
          expect(error).toBeInstanceOf(CommitConflictError);
        }
      }
    }),
  );
  const state = await reopened(archive, open()).states.load(asUserId('u'));
  const known = state.sessions.get(asSessionId('s'));
  expect(known?.version).toBe(5 * rounds);
  expect([...(known?.jobs.values() ?? [])].map(({ index }) => index)).toEqual(
    Array.from({ length: 5 * rounds }, (_, i) => i + 1),
  );
});

it('gives the same state from a snapshot and from the log, and verifies both', async () => {
  const archive = await makeArchive(open());
  for (let n = 0; n < 10; n++) {
    const jobs = Array.from({ length: 50 }, (_, i) =>
      job('u', `s${n % 3}`, `j${(n * 7 + i) % 60}`, { index: (n * 7 + i) % 60, version: n + 1 }),
    );
    await archive.index.refresh();
    const base = archive.index.through;
    await archive.log.append(draft({ base, sessions: [session('u', `s${n % 3}`)], jobs }));
    if (n % 2 === 0) await snapshotOf(archive);
    const reader = fromSnapshot(reopened(archive, open()));
    const read = await reader.states.load(asUserId('u'));
    expect(reader.index.snapshot?.users.get(asUserId('u'))?.places.state).toBeDefined();
    const replayed = await reopened(archive, open()).states.load(asUserId('u'));
    expect(stateLine(read)).toBe(stateLine(replayed));
  }
  const report = await verifyArchive(archive);
  expect(report.problems).toEqual([]);
});

it('an archive without a commit is told to be intact, and that nothing is archived yet', async () => {
  await makeArchive(open());
  const { exitCode, stdout } = await cli(['verify', directory]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`Intact, and nothing is archived yet: ${directory}\n`);
});
