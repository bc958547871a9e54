/** Everything that writes an archive and everything that reads it, at once: nothing is lost, doubled, damaged or back again. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openArchiveIn } from '../../../src/archive/open-archive.js';
import { verifyArchive } from '../../../src/archive/verify/verify.js';
import type { Random } from '../../../src/base/runtime.js';
import { exportToArchive } from '../../../src/export/export-to-archive.js';
import { failureOf } from '../../../src/base/error.js';
import { queryArchive } from '../../../src/query/query-archive.js';
import { openStorage } from '../../../src/storage/open-storage.js';
import { seededRandom } from '../../support/store/archive-samples.js';
import { CliRig } from '../../support/rigs/cli-rig.js';
import {
  compactArchive,
  copyArchive,
  eraseFromArchive,
  pruneArchive,
} from '../../support/http/one-call.js';

const SEED = Number(process.env['JOBVAULT_TEST_SEED'] ?? Date.now() % 1_000_000);
const SECONDS = Number(process.env['JOBVAULT_TEST_SECONDS'] ?? 3);
/** Within that time everybody comes to each of the others. */
const LONGEST_PAUSE_MS = SECONDS * 500;

/** What must be 0 at every moment: rows that are there twice, or whose job or record is not. */
const WRONG = `
  SELECT (SELECT count(*) FROM jobs) - (SELECT count(*) FROM raw_jobs)
       + (SELECT count(*) - count(DISTINCT (session_id, job_id, job_version)) FROM jobs)
       + (SELECT count(*) - count(DISTINCT (session_id, job_id, job_version, role, block_index)) FROM blocks)
       + (SELECT count(*) FROM blocks ANTI JOIN jobs USING (session_id, job_id, job_version)) AS wrong`;

let rig: CliRig;
let random: Random;
/** Jobs that the service had at some time, by session. */
const seen = new Map<string, Set<string>>();
const erased = new Set<string>();
/** Sessions whose erasure has not ended yet, or gave way to another run. */
const leftToErase = new Set<string>();
/** When a job was asked for, when a session was deleted, and the longest moment before a deletion: in ms. */
const askedAt = new Map<string, number>();
const deletedAt = new Map<string, number>();
let longestMomentMs = 0;
/** The moment is measured until the DELETE is sent; so long may it be under way on a busy machine. */
const DELETE_MS = 1000;

beforeEach(async () => {
  random = seededRandom(SEED);
  rig = await CliRig.start({ users: 3, sessions: 3, jobs: 2, rateLimit: 0 });
  rig.emulator.faults.beforeRequest = ({ operation, pathId }) => {
    if (operation === 'deleteSession') deletedAt.set(pathId ?? '', performance.now());
  };
});
afterEach(() => rig[Symbol.asyncDispose]());

const below = (count: number) => Math.floor(random.fraction() * count);
const anyOf = <T>(items: readonly T[]): T => items[below(items.length)]!;
const service = () => ({ baseUrl: rig.emulator.baseUrl, apiKey: 'demo-key', rate: 1000 });

/** Some are stopped half way, as by SIGTERM. */
function sometimesStopped(): AbortSignal | undefined {
  return random.fraction() < 0.3 ? AbortSignal.timeout(1 + below(600)) : undefined;
}

async function exportAll(signal?: AbortSignal): Promise<void> {
  const { error } = await exportToArchive({
    ...service(),
    users: rig.state.userIds(),
    out: rig.out,
    signal,
    formats: ['parquet'],
    allowPrivateNetwork: true,
    settleTimeMs: 1,
    full: random.fraction() < 0.3,
    checkpointBytes: random.fraction() < 0.5 ? 1 : undefined,
  });
  if (error !== undefined) throw error as Error;
}

/** What people go on doing meanwhile. */
function ask(): void {
  const { state } = rig;
  const user = anyOf(state.userIds());
  const sessions = state.sessionIds(user);
  const isNew = sessions.length < 2 || (sessions.length < 6 && random.fraction() < 0.3);
  const session = isNew ? state.addSession(user) : anyOf(sessions);
  for (const job of state.addJobs(user, session, 1)) askedAt.set(job, performance.now());
}

/** In the moment between the final check and the DELETE: then it is in no archive (config/guide/deleting.md). */
function isAskedTooLate(session: string, job: string): boolean {
  const [asked, deleted] = [askedAt.get(job), deletedAt.get(session)];
  return (
    asked !== undefined && deleted !== undefined && asked >= deleted - longestMomentMs - DELETE_MS
  );
}

function look(): void {
  const { state } = rig;
  for (const user of state.userIds()) {
    for (const session of state.sessionIds(user)) {
      const jobs = seen.get(session) ?? new Set();
      for (const job of state.jobIds(user, session)) jobs.add(job);
      seen.set(session, jobs);
    }
  }
}

async function eraseOne(): Promise<void> {
  const user = anyOf(rig.state.userIds());
  const session = anyOf(rig.state.sessionIds(user));
  erased.add(session);
  leftToErase.add(session);
  await exportAll(); // so that there is something to erase
  await eraseEverywhere(session);
}

/** In the service, if nobody has pruned it, and in the archive. */
async function eraseEverywhere(session: string): Promise<void> {
  const { state } = rig;
  for (const user of state.userIds()) {
    if (state.sessionIds(user).includes(session)) state.deleteSession(user, session);
  }
  await eraseFromArchive({ archive: rig.out, sessions: [session] });
  leftToErase.delete(session);
}

async function prune(signal?: AbortSignal): Promise<void> {
  const rules = { all: true, maxDelete: 1 };
  const { summary, error } = await pruneArchive({ ...service(), archive: rig.out, rules, signal });
  longestMomentMs = Math.max(longestMomentMs, summary.longest_check_to_delete_ms ?? 0);
  if (error !== undefined) throw error as Error;
}

async function expectIntact(place: string): Promise<void> {
  const archive = await openArchiveIn(await openStorage(place));
  const { problems } = await verifyArchive(archive);
  expect(problems).toEqual([]);
}

async function rowsOf(sql: string): Promise<readonly (readonly (string | null)[])[]> {
  const archive = await openArchiveIn(await openStorage(rig.out));
  return queryArchive({ archive, sql }, async (result) => {
    const rows = [];
    for await (const batch of result.rows()) rows.push(...batch);
    return rows;
  });
}

it(
  `keeps everything whole for ${SECONDS} s (seed ${SEED})`,
  async () => {
    await exportAll();
    const deadline = performance.now() + SECONDS * 1000;
    const done: Record<string, number> = {};
    const again = async (name: string, pauseMs: number, work: (stop?: AbortSignal) => unknown) => {
      while (performance.now() < deadline) {
        await pause(below(Math.min(pauseMs, LONGEST_PAUSE_MS)));
        const stop = sometimesStopped();
        try {
          await work(stop);
        } catch (error) {
          // it was stopped, or gave way to another; nothing else is forgiven, least of all what is found missing
          if (error !== stop?.reason && failureOf(error) !== 'locked') throw error;
        }
        done[name] = (done[name] ?? 0) + 1;
      }
    };
    const copy = `${rig.out}-copy`;
    const archive = rig.out;
    await Promise.all([
      again('looked', 100, look),
      again('asked', 1000, ask),
      again('exported', 300, exportAll),
      again('exported, too', 300, exportAll),
      again('compacted', 600, (signal) =>
        compactArchive({ archive, graceMs: anyOf([0, 0, 86_400_000]), signal }),
      ),
      again('erased', 500, eraseOne),
      again('pruned', 1500, prune),
      again('verified', 1500, () => expectIntact(archive)),
      again('asked in SQL', 1500, async () => {
        expect(await rowsOf(WRONG)).toEqual([['0']]);
      }),
      again('copied', 3000, async (signal) => {
        await copyArchive({ archive, target: copy, signal });
        await expectIntact(copy);
      }),
    ]);
    look();
    await exportAll();
    for (const session of leftToErase) await eraseEverywhere(session);
    await expectIntact(archive);
    const held = new Set((await rowsOf('SELECT DISTINCT job_id FROM jobs')).map(([job]) => job));
    for (const [session, jobs] of seen) {
      const isErased = erased.has(session);
      const due = [...jobs].filter((job) => isErased || !isAskedTooLate(session, job));
      const wrong = due.filter((job) => held.has(job) === isErased);
      expect(wrong, `of ${session}, ${isErased ? 'erased' : 'archived'}`).toEqual([]);
    }
    expect(Object.keys(done)).toHaveLength(10);
  },
  60_000 + SECONDS * 3000,
);
