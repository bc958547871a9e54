import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CommitConflictError } from '../../src/archive/archive-errors.js';
import { fromSnapshot, type Archive } from '../../src/archive/archive.js';
import { stateLine } from '../../src/archive/state/state-line.js';
import { verifyArchive } from '../../src/archive/verify/verify.js';
import { asJobId, asSessionId, asUserId } from '../../src/model/ids.js';
import { anyCharacter } from '../support/base/any-character.js';
import {
  draft,
  job,
  makeArchive,
  reopened,
  runOf,
  session,
} from '../support/store/archive-samples.js';
import { createMemoryStorage } from '../support/store/memory-storage.js';
import { snapshotOf, toldOf } from '../support/store/snapshots.js';
import { fault } from '../support/base/fault.js';

/** One step of one of three runs: look at the log and plan, or commit what was planned. */
const step = fc.record({
  run: fc.nat(2),
  user: fc.constantFrom('u', 'v'),
  sessions: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
  jobs: fc.nat(4),
  doesLookFirst: fc.boolean(),
  doesSnapshot: fc.boolean(),
});

// I-25 in FORMAT.md
it(
  'never loses or doubles a version, whatever the order in which three runs plan and commit',
  fault('F-32'),
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const storage = createMemoryStorage();
        const archive = await makeArchive(storage);
        const runs = [0, 1, 2].map((i) => ({
          archive: reopened(archive, storage, i + 5),
          id: runOf('ABC'.charAt(i)),
          base: 0,
          versions: new Map<string, number>(),
        }));
        /** What should be there: how often each session was committed. */
        const model = new Map<string, number>();

        for (const { run: i, user, sessions, jobs, ...does } of steps) {
          const run = runs[i];
          if (!run) throw new Error('there are three runs');
          if (does.doesLookFirst) {
            run.base = (await run.archive.log.head())?.number ?? 0;
            run.versions = await versionsOf(run.archive);
          }
          const versions = sessions.map((id) => (run.versions.get(`${user} ${id}`) ?? 0) + 1);
          const planned = draft({
            run: run.id,
            base: run.base,
            sessions: sessions.map((id, at) => session(user, id, { version: versions[at] ?? 0 })),
            jobs: sessions.flatMap((id, at) =>
              Array.from({ length: jobs }, (_, n) =>
                job(user, id, `j${n}`, { version: versions[at] ?? 0, index: n }),
              ),
            ),
          });
          const isStale = sessions.some(
            (id) => (model.get(`${user} ${id}`) ?? 0) !== (run.versions.get(`${user} ${id}`) ?? 0),
          );
          if (isStale) {
            await expect(run.archive.log.append(planned)).rejects.toThrow(CommitConflictError);
          } else {
            await run.archive.log.append(planned);
            sessions.forEach((id, at) => {
              model.set(`${user} ${id}`, versions[at] ?? 0);
              run.versions.set(`${user} ${id}`, versions[at] ?? 0);
            });
          }
          if (does.doesSnapshot) await snapshotOf(run.archive, { run: run.id });
        }

        const fresh = reopened(archive);
        const [all, some] = [await toldOf(fresh, 'commits'), await toldOf(fresh, 'snapshot')];
        expect(some.told).toEqual(all.told);
        expect(await versionsOf(fresh)).toEqual(model);
        const report = await verifyArchive(fresh);
        expect([report.problems, report.orphans]).toEqual([[], []]);
        const reader = fromSnapshot(fresh);
        for (const user of ['u', 'v'].map(asUserId)) {
          const read = await reader.states.load(user);
          expect(stateLine(read)).toBe(stateLine(await fresh.states.load(user)));
        }
      }),
      { numRuns: 100 },
    );
  },
);

it('gives the newest line of every job, in the order of the history', async () => {
  const line = fc.record({
    session: fc.constantFrom('a', 'b'),
    id: fc.string({ unit: anyCharacter, minLength: 1, maxLength: 3 }),
    index: fc.nat(5),
    settled: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(line, { maxLength: 6 }), { maxLength: 5 }),
      async (commits) => {
        const archive = await makeArchive(createMemoryStorage());
        const model = new Map<string, { index: number; settled: boolean }>();
        for (const [base, lines] of commits.entries()) {
          const jobs = lines.map(({ session: of, id, index, settled }) => {
            model.set(JSON.stringify([of, id]), { index, settled });
            return job('u', of, id, { index, settled });
          });
          const sessions = [session('u', 'a'), session('u', 'b')];
          await archive.log.append(draft({ base, sessions, jobs }));
        }
        const state = await reopened(archive).states.load(asUserId('u'));
        let jobs = 0;
        for (const [id, { jobs: known }] of state.sessions) {
          jobs += known.size;
          const indexes = [...known.values()].map(({ index }) => index);
          expect(indexes).toEqual([...indexes].sort((a, b) => a - b));
          for (const [key, expected] of model) {
            const [of, jobId] = JSON.parse(key) as [string, string];
            if (asSessionId(of) === id) expect(known.get(asJobId(jobId))).toMatchObject(expected);
          }
        }
        expect(jobs).toBe(model.size);
      },
    ),
    { numRuns: 200 },
  );
});

async function versionsOf(archive: Archive): Promise<Map<string, number>> {
  const versions = new Map<string, number>();
  for (const user of ['u', 'v']) {
    const { sessions } = await archive.states.load(asUserId(user));
    for (const [id, { version }] of sessions) versions.set(`${user} ${id}`, version);
  }
  return versions;
}
