/** The first answer for a session is the history of another one, and every later one is right: a mis-keyed cache that expired. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { HistoryFault } from '../../../src/emulator/faults/faults.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { ask } from '../../support/rigs/query-rig.js';
import { fault } from '../../support/base/fault.js';

const usersOf = (length: number): string[] =>
  Array.from({ length }, (_, n) => `user-${String(n).padStart(2, '0')}`);
/** More than are read at a time. */
const USERS = usersOf(12);
const JOBS = 3;

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  for (const user of USERS) rig.addSession(user, `s-${user}`, { jobs: JOBS });
});
afterEach(() => rig[Symbol.asyncDispose]());

/** Whose history each session is answered with; undefined: its own. */
type Other = (at: number) => number | undefined;

function faultsOf(otherOf: Other, users = USERS): HistoryFault[] {
  return users.flatMap((user, at) => {
    const other = users[otherOf(at) ?? -1];
    const sent = { userId: other ?? '', session: `s-${other ?? ''}` };
    return other === undefined ? [] : [{ session: `s-${user}`, sent }];
  });
}

async function currentJobs(): Promise<string[]> {
  const sql = 'SELECT user_id, session_id, job_id FROM current_jobs ORDER BY ALL';
  const { rows } = await ask({ archive: await rig.rig.open(), sql });
  return rows.map((row) => row.join(' '));
}

function trueJobs(users = USERS): string[] {
  const jobs = users.flatMap((user) =>
    rig.state.jobIds(user, `s-${user}`).map((job) => `${user} s-${user} ${job}`),
  );
  return jobs.sort();
}

/** Each second user is given the history of somebody. */
const ATTACKS: readonly (readonly [string, Other])[] = [
  ['of the user before', (at) => (at % 2 === 1 ? at - 1 : undefined)],
  ['of the next user, who is read later', (at) => (at % 2 === 0 ? at + 1 : undefined)],
  ['of another one of them', (at) => (at % 2 === 1 ? (at + 2) % USERS.length : undefined)],
  ['of the first user', (at) => (at % 2 === 1 ? 0 : undefined)],
  ['of the last user, who is read last', (at) => (at % 2 === 0 ? USERS.length - 1 : undefined)],
];

// I-65 in FORMAT.md
it.each(ATTACKS)(
  'A first answer that was the history %s leaves exactly the true rows after three nights',
  fault('F-152'),
  async (_, otherOf) => {
    const expected = trueJobs();
    const faults = faultsOf(otherOf);
    const misread = faults.map(({ session }) => session);
    rig.emulator.faults.histories = faults;
    await rig.rig.export();
    rig.emulator.faults.histories = [];
    for (let night = 2; night <= 3; night++) {
      const deleted = Object.entries(outcomes(await rig.pruned()))
        .filter(([, outcome]) => outcome === 'deleted')
        .map(([session]) => session);
      expect(misread.filter((session) => deleted.includes(session))).toEqual([]);
      await rig.rig.export();
    }
    expect(await currentJobs()).toEqual(expected);
    const { status, gaps } = await rig.rig.export();
    expect({ status, gaps }).toEqual({ status: 'complete', gaps: [] });
    expect((await rig.rig.verify()).problems).toEqual([]);
  },
);

it('A first answer that was the history of one for all of 40 leaves the true rows and no doubt', async () => {
  const [users, owner] = [usersOf(40), 27];
  for (const user of users.slice(USERS.length)) rig.addSession(user, `s-${user}`, { jobs: JOBS });
  const expected = trueJobs(users);
  const otherOf: Other = (at) => (at === owner ? undefined : owner);
  rig.emulator.faults.histories = faultsOf(otherOf, users);
  await rig.rig.export();
  rig.emulator.faults.histories = [];
  for (let night = 2; night <= 4; night++) {
    expect(Object.values(outcomes(await rig.pruned()))).not.toContain('deleted');
    await rig.rig.export();
  }
  expect(await currentJobs()).toEqual(expected);
  const { status, gaps } = await rig.rig.export();
  expect({ status, gaps }).toEqual({ status: 'complete', gaps: [] });
  expect((await rig.rig.verify()).problems).toEqual([]);
});
