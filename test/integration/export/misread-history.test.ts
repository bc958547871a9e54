/** A session that the service answers with the history of another one: a mis-keyed cache. Over real sockets. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fault } from '../../support/base/fault.js';
import { acceptGaps } from '../../../src/archive/gaps.js';
import { usersNotFinished, type ExportSummary } from '../../../src/export/export-summary.js';
import { ArchiveRun } from '../../../src/archive/runs/archive-run.js';
import type { Lease } from '../../../src/archive/runs/lease.js';
import { systemRandom } from '../../../src/base/runtime.js';
import { ulid } from '../../../src/base/ulid.js';
import { asRunId, asSessionId, asUserId } from '../../../src/model/ids.js';
import { impatient } from '../../support/rigs/export-rig.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
});
afterEach(() => rig[Symbol.asyncDispose]());

/** From now on the service answers the session with the history of the other one. */
function misread(user: string, session: string, otherUser: string, other: string): void {
  const jobs = rig.state.jobIds(otherUser, other);
  const texts = jobs.map((job) => rig.state.jobText(otherUser, other, job));
  rig.state.addSession(user, { id: session }, texts);
}

/** From now on the service answers the session with a history of its own. */
function answerRightly(user: string, session: string): void {
  rig.state.addSession(user, { id: session }, [oldJob(rig.oldJobId())]);
}

function doubts({ gaps }: ExportSummary): string[] {
  return gaps.map(({ user, session, job, status, shared_with: other }) =>
    [user, session, job, status, other].join(' '),
  );
}

/** A run about one user tells of nobody else. */
const only = (user: string) => ({ users: [user], scope: { named: true } as const });

describe('an export whose service answers a session with the history of another one', () => {
  it.each([1, 2])('doubts both sessions of a user, and says so (%i jobs)', async (jobs) => {
    rig.addSession('ann', 'a1', { jobs });
    misread('ann', 'b1', 'ann', 'a1');
    const { status, users, gaps, ...summary } = await rig.rig.export();
    expect({ status, users }).toEqual({
      status: 'gaps',
      users: { ...usersNotFinished(0), total: 1, with_gaps: 1 },
    });
    expect(doubts({ ...summary, status, users, gaps }).sort()).toEqual([
      'ann a1  doubtful b1',
      'ann b1  doubtful a1',
    ]);
    expect(gaps.map(({ reason }) => reason).join('\n')).toMatch(
      /its history has jobs of session (a1|b1): one of the two was answered/,
    );
    expect((await rig.rig.verify()).problems).toEqual([]);
  });

  it(
    'doubts both sessions of two users, also where the first is committed already',
    fault('F-76'),
    async () => {
      rig.addSession('ann', 'a1');
      misread('ben', 'b1', 'ann', 'a1');
      const summary = await rig.rig.export({ concurrency: 1, checkpointBytes: 1 });
      expect(doubts(summary).sort()).toEqual(['ann a1  doubtful b1', 'ben b1  doubtful a1']);
      expect(summary.users).toEqual({ ...usersNotFinished(0), total: 2, with_gaps: 2 });
    },
  );

  it('counts a user once whom its budget has left, and who is doubted at its end', async () => {
    rig.addSessions('ann', ['s1', 's2', 's3', 's4', 's5', 's6']);
    await rig.rig.export();
    rig.addSession('ann', 'a1');
    misread('ann', 'b1', 'ann', 'a1');
    const { users, budget } = await rig.rig.export({ maxRequests: 7, concurrency: 1 });
    expect(budget?.left.sessions).toBeGreaterThan(0);
    expect(users).toEqual({ ...usersNotFinished(0), total: 1, partly: 1 });
  });

  it('counts what it compares again as unchanged: each job that it has read is in one count', async () => {
    rig.addSession('ann', 'a1', { jobs: 2 });
    misread('ann', 'b1', 'ann', 'a1');
    const first = await rig.rig.export();
    const { jobs } = await rig.rig.export();
    expect(jobs).toEqual({ archived: 0, unchanged: first.jobs.archived });
  });

  it('doubts both also while another run has the lease of one', fault('F-76'), async () => {
    rig.addSession('ann', 'a1');
    misread('ben', 'b1', 'ann', 'a1');
    rig.addSessions('cem', ['c1', 'c2', 'c3', 'c4']);
    let lease: Lease | undefined;
    rig.emulator.faults.beforeRequest = async ({ operation, userId }) => {
      if (operation !== 'getHistory' || userId !== 'cem' || lease) return;
      // ann is committed by now, or at the next question
      const archive = await rig.rig.open().catch(() => undefined);
      if (!archive) return;
      const run = asRunId(ulid(archive.clock, systemRandom));
      const other = new ArchiveRun({ archive, run });
      lease = await other.leaseUser(asUserId('ann'), { wait: 'none' }).catch(() => undefined);
    };
    const summary = await rig.rig.export({ concurrency: 1, checkpointBytes: 1 });
    expect(doubts(summary).sort()).toEqual(['ann a1  doubtful b1', 'ben b1  doubtful a1']);
    expect(lease).toBeDefined();
    await lease?.release();
  });

  it('tells a doubt as new in the first night only, also where the first user was committed', async () => {
    rig.addSession('ann', 'a1');
    misread('ben', 'b1', 'ann', 'a1');
    const options = { concurrency: 1, checkpointBytes: 1 };
    const nights = [await rig.rig.export(options), await rig.rig.export(options)];
    expect(nights.map(({ gaps }) => gaps.map(({ known }) => known === true))).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  it('deletes neither of them, nor is anything else kept', fault('F-76'), async () => {
    rig.addSessions('ann', ['a1', 'c1']);
    misread('ben', 'b1', 'ann', 'a1');
    await rig.rig.export();
    expect(outcomes(await rig.pruned())).toEqual({
      a1: 'incomplete',
      b1: 'incomplete',
      c1: 'deleted',
    });
    expect(rig.left().sort()).toEqual(['a1', 'b1']);
  });

  it('doubts two histories that are equal in ids and contents, though their ids count', async () => {
    const jobs = [oldJob('1'), oldJob('2')];
    rig.state.addSession('ann', { id: 'a1' }, jobs);
    rig.state.addSession('ben', { id: 'b1' }, jobs);
    expect(doubts(await rig.rig.export()).sort()).toEqual([
      'ann a1  doubtful b1',
      'ben b1  doubtful a1',
    ]);
  });

  it('doubts nothing where ids that count are equal, and contents are not', async () => {
    for (const user of ['ann', 'ben']) {
      const jobs = ['1', '2'].map((id) => oldJob(id).replace('Well?', `Well, ${user}?`));
      rig.state.addSession(user, { id: `${user}1` }, jobs);
    }
    expect((await rig.rig.export()).status).toBe('complete');
  });

  it('doubts both, and archives the jobs, where the first one read shows others from nowhere', async () => {
    misreadFirst();
    let asked = 0;
    rig.emulator.faults.beforeRequest = ({ operation, pathId }) => {
      // after the history and the page behind it
      if (operation === 'getHistory' && pathId === 'b1' && ++asked === 3)
        answerRightly('ann', 'b1');
    };
    const summary = await rig.rig.export({ concurrency: 1, checkpointBytes: 1 });
    const [own] = rig.state.jobIds('ann', 'b1');
    expect(doubts(summary).sort()).toEqual(['ann b1  doubtful a1', 'ben a1  doubtful b1']);
    const rows = await rig.rig.rows('jobs');
    expect(rows.filter((row) => row['session_id'] === 'b1').map((row) => row['job_id'])).toContain(
      own,
    );
  });

  function misreadFirst(): void {
    rig.state.addSession('ann', { id: 'b1' }, []);
    rig.addSession('ben', 'a1');
    misread('ann', 'b1', 'ben', 'a1');
  }

  it('clears both once the histories differ, and archives what was missing', async () => {
    rig.addSession('ann', 'a1');
    misread('ben', 'b1', 'ann', 'a1');
    await rig.rig.export();
    answerRightly('ben', 'b1');
    const summary = await rig.rig.export({ retryGaps: true });
    // one is new, and two are withdrawn
    expect(summary).toMatchObject({ status: 'complete', gaps: [], jobs: { archived: 3 } });
    expect((await rig.rig.export()).status).toBe('complete');
    expect(await rig.rig.rows('jobs')).toContainEqual(
      expect.objectContaining({ session_id: 'b1', job_version: 2, is_withdrawn: true }),
    );
    // what was in doubt once is never deleted
    expect(outcomes(await rig.pruned())).toEqual({ a1: 'doubtful', b1: 'doubtful' });
  });

  it(
    'keeps the doubt of a session that is read alone and has not changed',
    fault('F-76'),
    async () => {
      rig.addSession('ann', 'a1');
      misread('ben', 'b1', 'ann', 'a1');
      await rig.rig.export();
      expect(doubts(await rig.rig.export(only('ben')))).toEqual(['ben b1  doubtful a1']);
      expect(doubts(await rig.rig.export(only('ann')))).toEqual(['ann a1  doubtful b1']);
      answerRightly('ben', 'b1');
      expect(doubts(await rig.rig.export(only('ann')))).toEqual([]);
      expect(doubts(await rig.rig.export(only('ben')))).toEqual([]);
    },
  );

  it(
    'keeps the doubt of one whose other is gone, says so, and lets it be accepted',
    fault('F-76'),
    async () => {
      rig.addSession('ann', 'a1');
      misread('ben', 'b1', 'ann', 'a1');
      await rig.rig.export();
      rig.state.deleteSession('ann', 'a1');
      const nights = [await rig.rig.export(only('ben')), await rig.rig.export()];
      const both = ['ben b1  doubtful a1', 'ann a1  doubtful b1'];
      for (const [n, night] of nights.entries()) {
        expect(doubts(night)).toEqual(both.slice(0, n + 1));
        expect(night.gaps[0]?.reason).toBe(
          'its history has jobs of session a1: one of the two was answered with the history of the other. Both are read again until they differ',
        );
        expect(night.gaps[0]?.known).toBe(true);
      }
      const archived = await (await rig.rig.open()).states.load(asUserId('ben'));
      expect(archived.sessions.get(asSessionId('b1'))?.gaps).toHaveLength(1);
      const { clock } = rig.rig;
      const given = {
        sessions: ['a1', 'b1'],
        reason: 'compared',
        by: 'Grace',
        clock,
        random: impatient,
      };
      await acceptGaps(await rig.rig.open(), given);
      expect(await rig.rig.export()).toMatchObject({
        status: 'incomplete-by-decision',
        gaps: [{ accepted: true }, { accepted: true, user: 'ann', is_elsewhere: true }],
      });
      expect(outcomes(await rig.pruned())).toMatchObject({ b1: 'incomplete' });
    },
  );

  it(
    'keeps the doubt where the other one is answered with nothing: no history of its own',
    fault('F-76'),
    async () => {
      rig.addSession('ann', 'a1');
      misread('ben', 'b1', 'ann', 'a1');
      await rig.rig.export();
      rig.state.addSession('ann', { id: 'a1' }, []);
      expect(doubts(await rig.rig.export(only('ben')))).toEqual(['ben b1  doubtful a1']);
      expect(doubts(await rig.rig.export()).sort()).toEqual([
        'ann a1  doubtful ',
        'ann a1  doubtful b1',
        'ben b1  doubtful a1',
      ]);
    },
  );

  it('notices it in a later run, too, which reads only the ends of histories', async () => {
    rig.addSession('ann', 'a1', { jobs: 30 });
    rig.addSession('ben', 'b1', { jobs: 1 });
    await rig.rig.export({ pageSize: 10 });
    rig.grow('ann', 'a1');
    misread('ben', 'b1', 'ann', 'a1');
    expect(doubts(await rig.rig.export({ pageSize: 10 })).sort()).toEqual([
      'ann a1  doubtful b1',
      'ben b1  doubtful ',
      'ben b1  doubtful a1',
    ]);
  });

  it('doubts what its requests no longer suffice to read again', fault('F-76'), async () => {
    rig.addSession('ann', 'a1');
    misread('ben', 'b1', 'ann', 'a1');
    const free = await rig.rig.export();
    for (let maxRequests = 4; maxRequests < free.requests.api; maxRequests++) {
      await using other = await PruneRig.start();
      other.addSession('ann', 'a1');
      const texts = other.state.jobIds('ann', 'a1').map((job) => oldJob(job));
      other.state.addSession('ben', { id: 'b1' }, texts);
      await other.rig.export({ maxRequests, concurrency: 1 });
      expect((await other.rig.verify()).problems).toEqual([]);
      await other.pruned();
      expect(other.left(), `with ${maxRequests} requests`).toContain('b1');
    }
  });

  it.each([{}, { full: true }])(
    'doubts both again when it recurs, though the archive has jobs of each in both (%j)',
    async (options) => {
      rig.addSession('ann', 'a1', { jobs: 2 });
      rig.addSession('ben', 'b1', { jobs: 2 });
      const swap = (): void => {
        const [a, b] = [
          ['ann', 'a1'],
          ['ben', 'b1'],
        ].map(([user = '', id = '']) =>
          rig.state.jobIds(user, id).map((job) => rig.state.jobText(user, id, job)),
        );
        rig.state.addSession('ann', { id: 'a1' }, b ?? []);
        rig.state.addSession('ben', { id: 'b1' }, a ?? []);
      };
      const night = async (): Promise<string[]> => {
        const summary = await rig.rig.export(options);
        const told = summary.gaps.map(({ session, status }) => `${session ?? ''} ${status}`);
        return [...new Set(told)].sort();
      };
      expect(await night()).toEqual([]);
      for (let round = 0; round < 3; round++) {
        swap();
        expect(await night()).toEqual(['a1 doubtful', 'b1 doubtful']);
        swap();
        await night();
        expect(await night()).toEqual([]);
        rig.grow('ann', 'a1');
        rig.grow('ben', 'b1');
        if (round === 1) expect(await night()).toEqual([]);
      }
      expect((await rig.rig.verify()).problems).toEqual([]);
      await rig.pruned();
      expect(rig.left().sort()).toEqual(['a1', 'b1']);
    },
  );

  it(
    'doubts both where both histories come at the same moment, and looking them up takes time',
    fault('F-91'),
    async () => {
      rig.addSession('ann', 'a1', { jobs: 2 });
      await rig.rig.export();
      misread('ANN', 'a1', 'ann', 'a1');
      misread('ANN', 'b1', 'ann', 'a1');
      let release = (): void => undefined;
      const both = new Promise<void>((resolve) => (release = resolve));
      let asked = 0;
      rig.emulator.faults.beforeRequest = ({ operation }) => {
        if (operation !== 'getHistory') return;
        if (++asked === 2) release();
        return both;
      };
      expect(doubts(await rig.rig.export({ users: ['ANN'] })).sort()).toEqual([
        'ANN a1  doubtful b1',
        'ANN b1  doubtful a1',
      ]);
    },
  );

  describe('while another run archives the same sessions for another user', () => {
    let other: ExportSummary | undefined;
    beforeEach(() => {
      rig.addSessions('ana', ['s1', 's2']);
      other = undefined;
      let hasBegun = false;
      rig.emulator.faults.beforeRequest = async ({ operation }) => {
        if (operation !== 'getHistory' || hasBegun) return;
        hasBegun = true;
        other = await rig.rig.export({ users: ['ana'] });
      };
    });

    it.each(['Ana', 'ben'])(
      'the next run doubts those that have other jobs there (%s)',
      fault('F-91'),
      async (user) => {
        misread(user, 's1', 'ana', 's2');
        misread(user, 's2', 'ana', 's1');
        await rig.rig.export({ users: [user] });
        expect(other?.status).toBe('complete');
        // each run compares what it has exported itself
        const summary = await rig.rig.export({ users: ['ana', user] });
        const both = ['ana', user].flatMap((one) => [
          `${one} s1  doubtful s2`,
          `${one} s2  doubtful s1`,
        ]);
        // a session of two spellings is told once, under one of them
        const once = new Set(both.map((doubt) => doubt.toLowerCase()));
        expect(
          doubts(summary)
            .map((doubt) => doubt.toLowerCase())
            .sort(),
        ).toEqual([...once].sort());
        expect(outcomes(await rig.pruned())).toMatchObject({ s1: 'incomplete', s2: 'incomplete' });
        expect((await rig.rig.verify()).problems).toEqual([]);
      },
    );

    it.each(['Ana', 'ben'])('doubts nothing where the jobs are the same (%s)', async (user) => {
      for (const session of ['s1', 's2']) misread(user, session, 'ana', session);
      expect((await rig.rig.export({ users: [user] })).status).toBe('complete');
      expect(other?.status).toBe('complete');
    });
  });

  it('doubts nothing where two spellings of a user list the same session', async () => {
    rig.addSession('ana', 's1');
    misread('Ana', 's1', 'ana', 's1');
    expect((await rig.rig.export()).status).toBe('complete');
  });
});
