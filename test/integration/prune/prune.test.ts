/** Deleting what is archived, and only that: against the emulator, over real sockets. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.js';
import { plainHolds } from '../../support/store/plain-holds.js';
import { archiveStatus } from '../../../src/completeness/archive-status.js';
import { LIMITS } from '../../../src/model/records.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { fault } from '../../support/base/fault.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
});
afterEach(() => rig[Symbol.asyncDispose]());

/** Flips a bit of the stored file that the row of this session in `artifacts` names. */
async function damageArtifact(session: string): Promise<string> {
  const rows = await rig.rig.rows('artifacts');
  const path = String(rows.find((row) => row['session_id'] === session)?.['path']);
  const { place } = rig.rig;
  const bytes = await place.read(path);
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  await place.write(path, bytes);
  return path;
}

describe('pruning ten sessions', () => {
  const others = ['s05', 's06', 's07', 's08', 's09', 's10'];
  let damaged: string;

  beforeEach(async () => {
    const { state, emulator } = rig;
    for (const key of ['expired.csv', 'broken.csv', 'good.csv']) state.putFile(key, `a\n${key}\n`);
    rig.addSession('ann', 's01');
    rig.addSession('ann', 's02', { files: ['expired.csv'] });
    rig.addSession('ann', 's03');
    rig.addSession('ann', 's04', { files: ['broken.csv'] });
    rig.addSession('ann', 's05', { files: ['good.csv'], jobs: 5 });
    rig.addSessions('ann', others.slice(1));
    emulator.faults.files = [{ key: 'expired.csv', answer: { kind: 'status', status: 403 } }];
    expect(await rig.rig.archived()).toMatchObject({ status: 'gaps', artifacts: { forbidden: 1 } });
    rig.grow('ann', 's01');
    damaged = await damageArtifact('s04');
  });

  it(
    'deletes exactly those that nothing speaks against, explains the rest, finishes later',
    fault('F-19', 'F-34', 'F-35'),
    async () => {
      const holds = plainHolds(['s03']);
      const summary = await rig.pruned({ rules: { all: true, holds } });

      expect(rig.left().sort()).toEqual(['s01', 's02', 's03', 's04']);
      expect(rig.deletesSent).toBe(6);
      expect(summary).toMatchObject({
        status: 'refused',
        deletions: { deleted: 6, refused: 3, held: 1 },
      });
      expect(outcomes(summary)).toEqual({
        s01: 'grown',
        s02: 'gap',
        s03: 'hold',
        s04: 'damaged',
        ...Object.fromEntries(others.map((id) => [id, 'deleted'])),
      });
      const told = Object.fromEntries(summary.sessions.map((of) => [of.session, of.detail]));
      expect(told['s01']).toBe('1 new job since: to be archived by the next export');
      expect(told['s02']).toMatch(/^1 gap in the archive: forbidden/);
      expect(told['s03']).toBe('the session is on hold');
      expect(told['s04']).toBe(`${damaged} is damaged: its SHA-256 differs`);
      expect(await rig.recorded()).toEqual(others.map((id) => `${id} confirmed`));
      expect(await rig.intents()).toEqual([]);

      rig.emulator.faults.files = [];
      expect(await rig.rig.export()).toMatchObject({
        status: 'complete',
        jobs: { archived: 2 },
        sessions: { listed: 4, new: 0 },
      });
      const second = await rig.pruned({ rules: { all: true, holds } });
      expect(outcomes(second)).toEqual({
        s01: 'deleted',
        s02: 'deleted',
        s03: 'hold',
        s04: 'damaged',
      });
      expect(rig.left()).toEqual(['s03', 's04']);

      // the archive still has everything
      const jobs = await rig.rig.rows('raw_jobs');
      expect(new Set(jobs.map((row) => row['session_id'])).size).toBe(10);
    },
  );

  it('tells the same in a plan, as far as the archive alone can tell, and sends nothing', async () => {
    const before = rig.emulator.stats.totalRequests;
    const { summary } = await rig.plan({ rules: { holds: plainHolds(['ann']) } });
    expect(new Set(Object.values(outcomes(summary)))).toEqual(new Set(['hold']));

    const { summary: free } = await rig.plan();
    expect(free).toMatchObject({ status: 'planned', planned: 9, deletions: { refused: 1 } });
    expect(rig.emulator.stats.totalRequests).toBe(before);
    expect(rig.left()).toHaveLength(10);
  });
});

describe('a DELETE', () => {
  beforeEach(async () => {
    rig.addSessions('ann', ['a1', 'a2', 'a3']);
    await rig.rig.archived();
  });

  it(
    'that answers 500 after deleting is confirmed by a look; again there is nothing to do',
    fault('F-36'),
    async () => {
      rig.emulator.faults.deleteAnswers500AfterDeleting = true;
      const first = await rig.pruned();
      expect(first).toMatchObject({ status: 'complete', deletions: { deleted: 3, refused: 0 } });
      expect(await rig.recorded()).toEqual(['a1 confirmed', 'a2 confirmed', 'a3 confirmed']);

      const requests = rig.emulator.stats.totalRequests;
      const second = await rig.pruned();
      expect(second).toMatchObject({ status: 'complete', commits: [], sessions: [] });
      expect(rig.emulator.stats.totalRequests).toBe(requests);
    },
  );

  it("is followed by a snapshot, where due, which the run names: its last commit is status'", async () => {
    for (const user of ['bob', 'cyd']) {
      rig.addSessions(user, [`${user}-1`]);
      await rig.rig.export();
    }
    const { commits } = await rig.pruned();
    const { index } = await rig.rig.open();
    await index.refresh();
    const { head, commits: all } = index;
    expect([...all].slice(-2).map(({ kind }) => kind)).toEqual(['prune', 'snapshot']);
    expect(commits).toEqual([(head?.number ?? 0) - 1, head?.number]);
  });

  it(
    'that fails for good is a refusal, and the next run does only the rest',
    fault('F-35'),
    async () => {
      rig.emulator.faults.api = [
        {
          operations: ['deleteSession'],
          pathId: 'a2',
          answer: { kind: 'error', status: 200, code: 300002, message: 'not yours' },
        },
      ];
      const first = await rig.pruned();
      expect(outcomes(first)).toEqual({ a1: 'deleted', a2: 'still-there', a3: 'deleted' });
      expect(await rig.intents()).toEqual([]);

      rig.emulator.faults.api = [];
      expect(outcomes(await rig.pruned())).toEqual({ a2: 'deleted' });
      expect(await rig.recorded()).toEqual(['a1 confirmed', 'a2 confirmed', 'a3 confirmed']);
    },
  );

  it.each([
    ['cannot be read', '--max-delete', 503, 'unconfirmed'],
    ['cannot be read', '--free-slots', 503, 'unconfirmed'],
    ['a lagging replica does not show yet', '--max-delete', 200, 'still-there'],
    ['a lagging replica does not show yet', '--free-slots', 200, 'still-there'],
  ])(
    'whose end %s counts for %s: no other session goes in its place',
    fault('F-102'),
    async (_what, rule, status, reason) => {
      const { emulator, state } = rig;
      const headers = { 'x-pd-api-key': 'demo-key' };
      const url = `${emulator.baseUrl}/v2/team/sessions/a1?user_id=ann`;
      const body = await (await fetch(url, { headers })).text();
      emulator.faults.beforeRequest = ({ operation, pathId }) => {
        if (operation !== 'deleteSession' || pathId !== 'a1') return;
        emulator.faults.api = [
          { operations: ['getSession'], pathId: 'a1', answer: { kind: 'body', status, body } },
        ];
      };
      const one = LIMITS.sessionsPerUser + 1 - state.sessionIds('ann').length;
      const chosen = rule === '--free-slots' ? { freeSlots: one } : { all: true, maxDelete: 1 };
      const summary = await rig.pruned({ rules: { ...chosen, users: ['ann'] } });
      expect(outcomes(summary)).toMatchObject({ a1: reason });
      expect([rig.deletesSent, rig.left()]).toEqual([1, ['a2', 'a3']]);
    },
  );

  it('whose end cannot be read is found out by the next run', async () => {
    rig.emulator.faults.api = [
      {
        operations: ['getSession'],
        pathId: 'a1',
        after: 1,
        answer: { kind: 'error', status: 500, code: 9999 },
      },
    ];
    const { summary, failures } = await rig.prune();
    expect(outcomes(summary)).toEqual({ a1: 'unconfirmed', a2: 'deleted', a3: 'deleted' });
    expect([...failures]).toEqual(['unreachable']);
    expect(await rig.recorded()).toEqual(['a2 confirmed', 'a3 confirmed']);
    expect(await rig.intents()).toHaveLength(1);

    rig.emulator.faults.api = [];
    expect(await rig.pruned()).toMatchObject({ status: 'complete', deletions: { deleted: 1 } });
    expect(await rig.recorded()).toContain('a1 confirmed-later');
    expect(await rig.intents()).toEqual([]);
  });

  it('that comes too late is recorded as what it is: already gone', async () => {
    rig.emulator.faults.beforeRequest = ({ operation, pathId }) => {
      if (operation === 'deleteSession' && pathId === 'a2') rig.state.deleteSession('ann', 'a2');
    };
    expect(outcomes(await rig.pruned())).toEqual({ a1: 'deleted', a2: 'gone', a3: 'deleted' });
    expect(await rig.recorded()).toContain('a2 already-gone');
  });
});

describe('a session that is gone', () => {
  beforeEach(async () => {
    rig.addSessions('ann', ['a1', 'a2', 'a3']);
    await rig.rig.archived();
    rig.state.deleteSession('ann', 'a2');
  });

  it('before our DELETE is recorded as already gone, never as deleted by us', async () => {
    const summary = await rig.pruned();
    expect(summary).toMatchObject({ status: 'complete', deletions: { deleted: 2 }, gone: 1 });
    expect(await rig.recorded()).toEqual(['a1 confirmed', 'a2 already-gone', 'a3 confirmed']);
    expect(rig.deletesSent).toBe(2);
    const status = await archiveStatus(await rig.rig.open(), {});
    expect(status.sessions).toMatchObject({ gone: 1, deleted: 2 });
    expect(status.runs[0]).toMatchObject({ kind: 'prune', deletions: 2 });
    expect(status.status).toBe('complete');
    expect(status.caveats.map(({ headline }) => headline)).toEqual([
      '3 conversations are no longer at the service, 2 of them deleted from it by jobvault prune',
    ]);
  });

  it('and recorded is no gap for the next export, and is told once where it comes back', async () => {
    const told: string[] = [];
    const warn = (_fields: object, message: string) => void told.push(message);
    const logger = { ...silentLogger, warn };
    const jobs = rig.state.jobIds('ann', 'a1').map((job) => rig.state.jobText('ann', 'a1', job));
    await rig.pruned();
    const nothing = { status: 'complete', jobs: { archived: 0 }, gaps: [] };
    expect(await rig.rig.export({ users: ['ann'] })).toMatchObject(nothing);

    rig.state.addSession('ann', { id: 'a1' }, jobs);
    expect(await rig.rig.export({ logger })).toMatchObject(nothing);
    expect(await rig.rig.export({ logger })).toMatchObject(nothing);
    expect(told).toEqual([
      'the service lists sessions again that were deleted from it; they are archived as before, and prune can delete them again (this is told once)',
    ]);
    expect(outcomes(await rig.pruned())).toEqual({ a1: 'deleted' });
    expect((await rig.rig.verify()).problems).toEqual([]);
  });
});
