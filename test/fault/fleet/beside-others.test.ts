/** Somebody holds, erases, lets expire and deletes while the workers of a fleet are at work on the same users. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStorage } from '../../../src/storage/open-storage.js';
import { openArchiveIn } from '../../../src/archive/open-archive.js';
import { verifyArchive } from '../../../src/archive/verify/verify.js';
import { redisServer } from '../../services/programs.js';
import { cli, type CliRun } from '../../support/programs/cli-in-process.js';
import { doubledKeys } from '../../support/rigs/export-rig.js';
import { FleetRig } from '../../support/rigs/fleet-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';

const HOUR = 3_600_000;
const USERS = ['ann', 'ben', 'cyd', 'dan'];

describe.skipIf(redisServer === undefined)('beside the workers of a fleet', () => {
  let rig: FleetRig;
  beforeEach(async () => {
    rig = await FleetRig.start({ users: 0 });
    for (const user of USERS) addSessions(user, ['1', '2']);
    const users = USERS.flatMap((user) => ['--user', user]);
    await cli(['export', '--out', rig.out, ...service(), ...users]);
    // now every user has something new
    for (const user of USERS) addSessions(user, ['3']);
  });
  afterEach(() => rig[Symbol.asyncDispose]());

  const service = () => ['--base-url', rig.emulator.baseUrl, '--rate', '10000'];
  const work = () => rig.work({ exitWhenIdleMs: 100 });

  function addSessions(user: string, names: readonly string[]): void {
    const { state } = rig.emulator;
    for (const name of names) {
      const jobs = [oldJob(state.newJobId(Date.now() - 48 * HOUR))];
      state.addSession(user, { id: `${user}-${name}` }, jobs);
    }
  }

  /** What is begun in the middle of the workers' run; they do not wait for it. */
  function beside(words: readonly (readonly string[])[]): Promise<CliRun[]> {
    const { stats, faults } = rig.emulator;
    stats.reset();
    return new Promise((resolve, reject) => {
      faults.beforeRequest = () => {
        if (stats.totalRequests !== 4) return;
        faults.beforeRequest = undefined;
        Promise.all(words.map((line) => cli(line))).then(resolve, reject);
      };
    });
  }

  async function expectWhole(): Promise<void> {
    const archive = await openArchiveIn(await openStorage(rig.out));
    const { problems, orphans } = await verifyArchive(archive);
    expect({ problems, orphans }).toEqual({ problems: [], orphans: [] });
    const rows = await rig.select('jobs', 'user_id, session_id, job_id, job_version');
    expect(doubledKeys('jobs', rows)).toEqual([]);
  }

  it('a hold binds whoever erases, lets expire or deletes from then on', async () => {
    const held = beside([['hold', 'add', rig.out, '--user', 'ann', '--reason', 'Matter 7']]);
    const { run } = await rig.enqueue();
    const [worker, [holding]] = await Promise.all([work(), held]);
    expect([worker.error, holding?.exitCode]).toEqual([undefined, 0]);
    expect(await rig.finished(run)).toMatchObject({ status: 'complete' });
    expect((await cli(['erase', rig.out, '--user', 'ann', '--yes'])).exitCode).toBe(7);
    const expiry = ['expire', rig.out, '--older-than', '1d', '--yes'];
    expect((await cli([...expiry, '--user', 'ann'])).exitCode).toBe(7);
    // what a rule selects and a hold keeps is kept, and refuses nothing
    expect((await cli(['prune', rig.out, '--all', '--yes', ...service()])).exitCode).toBe(0);
    const { state } = rig.emulator;
    expect(USERS.flatMap((user) => state.sessionIds(user))).toEqual(['ann-1', 'ann-2', 'ann-3']);
    await expectWhole();
  });

  it('erase, expire and prune leave whole what they leave', async () => {
    const others = beside([
      ['hold', 'add', rig.out, '--session', 'dan-1', '--reason', 'Matter 8'],
      ['erase', rig.out, '--user', 'ann', '--yes'],
      ['expire', rig.out, '--older-than', '1d', '--user', 'ben', '--yes'],
      ['prune', rig.out, '--all', '--user', 'cyd', '--yes', ...service()],
    ]);
    const { run } = await rig.enqueue();
    const [worker, ends] = await Promise.all([work(), others]);
    expect(worker.error).toBeUndefined();
    const codes = ends.map(({ exitCode }) => exitCode);
    // a session that is not archived yet, or that the service still lists, is refused
    expect(codes, ends.map(({ stderr }) => stderr).join('')).toEqual([
      0,
      0,
      expect.toBeOneOf([0, 7]),
      expect.toBeOneOf([0, 7]),
    ]);
    expect(await rig.finished(run)).toMatchObject({ status: 'complete' });
    await expectWhole();
    const archived = await rig.select('sessions', 'DISTINCT session_id');
    const ids = archived.map((row) => String(row['session_id']));
    expect(ids).toEqual(expect.arrayContaining(['cyd-1', 'cyd-2', 'dan-1', 'dan-2', 'dan-3']));
    const { state } = rig.emulator;
    for (const user of USERS.slice(2)) {
      const gone = [1, 2, 3]
        .map((n) => `${user}-${n}`)
        .filter((id) => !state.sessionIds(user).includes(id));
      expect(ids).toEqual(expect.arrayContaining(gone));
    }
  });
});
