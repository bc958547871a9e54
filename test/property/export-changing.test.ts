/** The whole pipeline while sessions and jobs come and go, in every order that a service may list them. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEmulator, type Emulator } from '../../src/emulator/emulator.js';
import { ORDERS, noFaults } from '../../src/emulator/faults/faults.js';
import { asUserId } from '../../src/model/ids.js';
import { TABLE_NAMES } from '../../src/model/tables.js';
import { doubledKeys } from '../support/rigs/export-rig.js';
import { createMemoryStorage } from '../support/store/memory-storage.js';
import {
  faultsOf,
  oldJob,
  piecedExport,
  pieceOf,
  rowsIn,
} from '../support/programs/pieced-export.js';
import { fault } from '../support/base/fault.js';

const change = fc.record({
  /** Before which request of the run. */
  request: fc.integer({ min: 1, max: 12 }),
  kind: fc.constantFrom(
    'add job',
    'delete job',
    'swap jobs',
    'add session',
    'delete session',
    'clamp',
  ),
  /** Which session, which job, which page size. */
  at: fc.nat(99),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const plan = fc.record({
  sessions: fc.array(fc.nat(18), { minLength: 1, maxLength: 4 }),
  /** Jobs that come between the first run and the next. */
  grown: fc.array(fc.nat(8), { maxLength: 4 }),
  pageSize: fc.integer({ min: 1, max: 9 }),
  orders: fc.tuple(...[0, 1, 2].map(() => fc.constantFrom(...ORDERS))),
  changes: fc.tuple(...[0, 1, 2].map(() => fc.array(change, { maxLength: 4 }))),
});

/** Each is three exports, so that CI has more of them. */
const RUNS = Number(process.env['JOBVAULT_TEST_RUNS'] ?? 20);
let emulator: Emulator;
let users = 0;
let jobs = 0;

beforeAll(async () => {
  emulator = await startEmulator({ users: 0 });
});
afterAll(() => emulator.close());

function addJob(user: string, session: string): void {
  jobs++;
  const id = emulator.state.newJobId(Date.now() - 86_400_000 - jobs);
  emulator.state.addJob(user, session, oldJob(id));
}

it(
  'archives each job that was there throughout a run once, or reports a gap',
  { ...fault('F-12', 'F-17'), timeout: 240_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ sessions, grown, pageSize, orders, changes }) => {
        const { state, faults } = emulator;
        const user = `user-${++users}`;
        const storage = createMemoryStorage();
        for (const count of sessions) {
          const session = state.addSession(user);
          for (let i = 0; i < count; i++) addJob(user, session);
        }
        /** Where a job was deleted, an unchanged total no longer proves that nothing is new. */
        const shrunk = new Set<string>();
        const there = (): Set<string> =>
          new Set(
            state
              .sessionIds(user)
              .flatMap((session) => state.jobIds(user, session).map((job) => `${session} ${job}`)),
          );

        for (const run of [0, 1, 2]) {
          const isFull = run === 2;
          if (run === 1) {
            state.sessionIds(user).forEach((session, index) => {
              for (let i = 0; i < (grown[index] ?? 0); i++) addJob(user, session);
            });
          }
          const throughout = there();
          const alwaysListed = new Set<string>(state.sessionIds(user));
          let request = 0;
          Object.assign(faults, noFaults(), { order: orders[run], clampPageSize: pageSize });
          faults.beforeRequest = () => {
            request++;
            for (const step of changes[run] ?? []) if (step.request === request) apply(step);
            const now = there();
            const listed = new Set<string>(state.sessionIds(user));
            for (const id of alwaysListed) if (!listed.has(id)) alwaysListed.delete(id);
            for (const key of throughout) if (!now.has(key)) throughout.delete(key);
          };
          const { summary, error } = await piecedExport({
            emulator,
            storage,
            users: [user],
            concurrency: 2,
            // all that is archived may go
            allowOtherConversations: true,
            settings: { full: isFull },
          });
          faults.beforeRequest = undefined;
          expect(error).toBeUndefined();

          const archive = await pieceOf(storage, emulator);
          const rows = await rowsIn(archive, 'jobs');
          const archived = new Set(rows.map((row) => `${row['session_id']} ${row['job_id']}`));
          expect(archived.size).toBe(rows.length);
          const gaps = new Set(summary.gaps.map((gap) => gap.session));
          const missing = [...throughout]
            .filter((key) => !archived.has(key))
            .filter((key) => !gaps.has(null) && !gaps.has(key.split(' ')[0] ?? ''))
            .filter((key) => isFull || run === 0 || !shrunk.has(key.split(' ')[0] ?? ''));
          expect(missing).toEqual([]);
          for (const name of TABLE_NAMES) {
            expect(doubledKeys(name, await rowsIn(archive, name))).toEqual([]);
          }
          expect(await faultsOf(archive)).toEqual([]);
          const { sessions: known } = await archive.states.load(asUserId(user));
          const goneInError = [...known]
            .filter(([id, { goneAt }]) => goneAt !== null && alwaysListed.has(id))
            .map(([id]) => id);
          expect(goneInError).toEqual([]);
        }

        function apply({ kind, at }: Change): void {
          const all = state.sessionIds(user);
          const session = all[at % all.length] ?? '';
          if (kind === 'clamp') faults.clampPageSize = 1 + (at % 9);
          if (kind === 'add session') addJob(user, state.addSession(user));
          if (session === '') return;
          if (kind === 'delete session') state.deleteSession(user, session);
          if (kind === 'delete job' || kind === 'swap jobs') {
            const ids = state.jobIds(user, session);
            const id = ids[at % ids.length];
            if (id !== undefined) state.deleteJob(user, session, id);
            shrunk.add(session);
          }
          if (kind === 'add job' || kind === 'swap jobs') addJob(user, session);
        }
      }),
      { numRuns: RUNS },
    );
  },
);
