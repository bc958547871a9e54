/** When nothing may be deleted: wrong keys, wrong places, changed sessions. */
import { systemClock } from '../../../src/base/runtime.js';
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireLease } from '../../../src/archive/runs/lease.js';
import { userLeasePath } from '../../../src/archive/paths.js';
import { silentLogger } from '../../../src/base/logger.js';
import { DEFAULT_TERMS } from '../../../src/base/terms.js';
import { asUserId } from '../../../src/model/ids.js';
import { systemProcesses } from '../../../src/base/process-identity.js';
import { runOf } from '../../support/store/archive-samples.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { eraseFromArchive } from '../../support/http/one-call.js';
import { fault } from '../../support/base/fault.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
});
afterEach(() => rig[Symbol.asyncDispose]());

describe('nothing is deleted', () => {
  beforeEach(async () => {
    rig.addSessions('ann', ['a1', 'a2']);
    rig.addSession('bob', 'b1');
    await rig.rig.archived();
  });

  it('with the key of another project', async () => {
    rig.emulator.state.keys.setProject('other-key', 'another project');
    const summary = await rig.pruned({ apiKey: 'other-key' });
    expect(summary).toMatchObject({ status: 'refused', deletions: { deleted: 0, refused: 3 } });
    expect(summary.sessions.find(({ session }) => session === 'a1')?.detail).toBe(
      'the archive holds 2 sessions of this user and the service lists no session: nothing is deleted, for the API key may be that of another project',
    );
    expect([rig.deletesSent, rig.left().length]).toEqual([0, 3]);
  });

  it(
    'with the key of another project in which the users have sessions, too',
    fault('F-37'),
    async () => {
      rig.emulator.state.keys.setProject('other-key', 'other');
      for (const user of ['ann', 'bob']) {
        rig.state.inProject('other').addSession(user, { id: `other of ${user}` });
      }
      const summary = await rig.pruned({ apiKey: 'other-key' });
      expect(Object.values(outcomes(summary))).toEqual(['not-listed', 'not-listed', 'not-listed']);
      expect(summary.sessions[0]?.detail).toContain('lists none of these sessions');
      expect([rig.deletesSent, summary.gone]).toEqual([0, 0]);
    },
  );

  it('at another base URL, or under another project label', fault('F-37'), async () => {
    const baseUrl = 'http://127.0.0.1:9/elsewhere';
    await expect(rig.prune({ baseUrl })).rejects.toThrow(
      /is the archive of http:\/\/127\.0\.0\.1:\d+, not of http:\/\/127\.0\.0\.1:9\/elsewhere/,
    );
    await expect(rig.plan({ baseUrl })).rejects.toThrow('or begin a new archive');
    expect(rig.deletesSent).toBe(0);
  });

  it(
    'of a user who suddenly lists nothing, while the others are pruned',
    fault('F-37'),
    async () => {
      rig.state.deleteSession('bob', 'b1');
      const summary = await rig.pruned();
      expect(outcomes(summary)).toEqual({ a1: 'deleted', a2: 'deleted', b1: 'not-listed' });
      expect(await rig.recorded()).toEqual(['a1 confirmed', 'a2 confirmed']);
    },
  );

  it('of a user whom the service refuses', async () => {
    rig.emulator.faults.refusedUsers = { bob: 1003 };
    expect(outcomes(await rig.pruned())).toMatchObject({ a1: 'deleted', b1: 'service' });
  });

  it('with an expired key', async () => {
    rig.emulator.state.keys.expire('demo-key');
    const { summary, error } = await rig.prune();
    expect(error).toMatchObject({ failure: 'authentication' });
    expect(summary.status).toBe('failed');
  });

  it('where the service answers nothing but errors, soon', async () => {
    rig.emulator.faults.api = [{ answer: { kind: 'error', status: 500, code: 9999 } }];
    const { summary, failures } = await rig.prune();
    expect(Object.values(outcomes(summary))).toEqual(['service', 'service', 'service']);
    expect([...failures]).toEqual(['unreachable']);
  });

  it(
    'of a session that changed, lost a job, or whose history cannot be proven whole',
    fault('F-34'),
    async () => {
      const [job = ''] = rig.state.jobIds('ann', 'a1');
      rig.state.growAnswer('ann', 'a1', job, 'and more');
      rig.state.deleteJob('ann', 'a2', rig.state.jobIds('ann', 'a2')[0] ?? '');
      expect(outcomes(await rig.pruned())).toMatchObject({ a1: 'changed', a2: 'vanished' });

      rig.emulator.faults.totalItems = 'growing';
      expect(outcomes(await rig.pruned())).toMatchObject({ a1: 'unproven' });
    },
  );

  it(
    'of a session that was renamed, until the next export has its new name',
    fault('F-51'),
    async () => {
      const jobs = rig.state.jobIds('bob', 'b1').map((job) => rig.state.jobText('bob', 'b1', job));
      rig.state.addSession('bob', { id: 'b1', name: 'Another name' }, jobs);
      expect(outcomes(await rig.pruned())).toMatchObject({ b1: 'changed' });
      await rig.rig.export();
      expect(outcomes(await rig.pruned())).toEqual({ b1: 'deleted' });
      const names = (await rig.rig.rows('sessions')).map((row) => row['name']);
      expect(names).toContain('Another name');
    },
  );

  it('of a session that changes between the listing and the last look', async () => {
    rig.emulator.faults.beforeRequest = ({ operation, pathId, nth }) => {
      if (operation === 'getHistory' && pathId === 'b1' && nth > 1) rig.grow('bob', 'b1');
    };
    expect(outcomes(await rig.pruned())).toMatchObject({ a1: 'deleted', b1: 'grown' });
  });

  it('of a user on whom another run is at work, where that is not to be waited for', async () => {
    const { storage } = await rig.rig.open();
    const lease = await acquireLease({
      storage,
      path: userLeasePath(asUserId('ann')),
      run: runOf('A'),
      subject: 'ann',
      processes: systemProcesses,
      clock: systemClock,
      logger: silentLogger,
      terms: DEFAULT_TERMS,
      wait: 'none',
    });
    const rules = { all: true, users: ['ann'] };
    const { error } = await rig.prune({ rules, noWait: true });
    expect(error).toMatchObject({ failure: 'locked' });
    expect(rig.deletesSent).toBe(0);
    await lease.release();
    expect(await rig.pruned({ rules, noWait: true })).toMatchObject({ deletions: { deleted: 2 } });
    expect(await rig.rig.files('_leases')).toEqual([]);
  });

  it('that is erased from the archive between our look into the log and the DELETE', async () => {
    rig.emulator.faults.beforeRequest = async ({ operation, pathId }) => {
      if (operation !== 'getSession' || pathId !== 'a1') return;
      rig.emulator.faults.beforeRequest = undefined;
      // a lease is a courtesy, and may be lost
      await rm(rig.path('archive/_leases'), { recursive: true });
      await eraseFromArchive({ archive: rig.out, sessions: ['a1'] });
    };
    const rules = { all: true, sessions: ['a1'] };
    expect(outcomes(await rig.pruned({ rules }))).toEqual({ a1: 'conflict' });
    expect(rig.deletesSent).toBe(0);
  });

  it('that another run archives between our look into the log and the DELETE', async () => {
    let exported: Promise<unknown> | undefined;
    rig.emulator.faults.beforeRequest = async ({ operation, pathId }) => {
      if (operation !== 'getSession' || pathId !== 'a1' || exported) return;
      rig.emulator.faults.beforeRequest = undefined;
      // a lease is a courtesy, and may be lost
      await rm(rig.path('archive/_leases'), { recursive: true });
      const [job = ''] = rig.state.jobIds('ann', 'a1');
      rig.state.growAnswer('ann', 'a1', job, 'and more');
      exported = rig.rig.export({ users: ['ann'], full: true });
      await exported;
      // as our own look is to find it as it was
      rig.state.changeJob('ann', 'a1', job, (record) => {
        const answer = record['answer'] as { blocks: object[] };
        return { ...record, answer: { ...answer, blocks: answer.blocks.slice(0, -1) } };
      });
    };
    expect(outcomes(await rig.pruned())).toMatchObject({ a1: 'conflict', a2: 'deleted' });
    expect(rig.left()).toEqual(['a1']);
  });
});
