/** Deleting what is archived, and only that: against the emulator, over real sockets. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { outcomes, PruneRig } from '../support/prune-rig.js';

const DAY = 86_400_000;

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
});
afterEach(() => rig[Symbol.asyncDispose]());

/** Flips a bit of the stored file that the row of this session in `artifacts` names. */
async function damageArtifact(session: string): Promise<string> {
  const rows = await rig.rig.rows('artifacts');
  const path = String(rows.find((row) => row['session_id'] === session)?.['path']);
  const bytes = await readFile(join(rig.out, path));
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  await writeFile(join(rig.out, path), bytes);
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
    expect(await rig.rig.export()).toMatchObject({ status: 'gaps', artifacts: { expired: 1 } });
    rig.grow('ann', 's01');
    damaged = await damageArtifact('s04');
  });

  it('deletes exactly those that nothing speaks against, says why not the rest, and finishes later what it can', async () => {
    const holds = new Set(['s03']);
    const summary = await rig.pruned({ rules: { all: true, holds } });

    expect(rig.left().sort()).toEqual(['s01', 's02', 's03', 's04']);
    expect(rig.deletesSent).toBe(6);
    expect(summary).toMatchObject({ status: 'refused', deletions: { deleted: 6, refused: 4 } });
    expect(outcomes(summary)).toEqual({
      ...{ s01: 'grown', s02: 'gap', s03: 'hold', s04: 'damaged' },
      ...Object.fromEntries(others.map((id) => [id, 'deleted'])),
    });
    const told = Object.fromEntries(summary.sessions.map((of) => [of.session, of.detail]));
    expect(told['s01']).toBe('1 new job since: to be archived by the next export');
    expect(told['s02']).toMatch(/^1 gap in the archive: expired/);
    expect(told['s03']).toBe('the session is on hold');
    expect(told['s04']).toBe(`${damaged} is damaged: its SHA-256 has changed`);
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
      ...{ s01: 'deleted', s02: 'deleted', s03: 'hold', s04: 'damaged' },
    });
    expect(rig.left()).toEqual(['s03', 's04']);

    // the archive still has everything
    const jobs = await rig.rig.rows('raw_jobs');
    expect(new Set(jobs.map((row) => row['session_id'])).size).toBe(10);
  });

  it('tells the same in a plan, as far as the archive alone can tell, and sends nothing', async () => {
    const before = rig.emulator.stats.totalRequests;
    const { summary } = await rig.plan({ rules: { holds: new Set(['ann']) } });
    expect(new Set(Object.values(outcomes(summary)))).toEqual(new Set(['gap', 'hold']));

    const { summary: free } = await rig.plan();
    expect(free).toMatchObject({ status: 'planned', planned: 9, deletions: { refused: 1 } });
    expect(rig.emulator.stats.totalRequests).toBe(before);
    expect(rig.left()).toHaveLength(10);
  });
});

describe('a DELETE', () => {
  beforeEach(async () => {
    rig.addSessions('ann', ['a1', 'a2', 'a3']);
    await rig.rig.export();
  });

  it('that answers 500 after deleting is confirmed by a look; again there is nothing to do', async () => {
    rig.emulator.faults.deleteAnswers500AfterDeleting = true;
    const first = await rig.pruned();
    expect(first).toMatchObject({ status: 'complete', deletions: { deleted: 3, refused: 0 } });
    expect(await rig.recorded()).toEqual(['a1 confirmed', 'a2 confirmed', 'a3 confirmed']);

    const requests = rig.emulator.stats.totalRequests;
    const second = await rig.pruned();
    expect(second).toMatchObject({ status: 'complete', commits: [], sessions: [] });
    expect(rig.emulator.stats.totalRequests).toBe(requests);
  });

  it('that fails for good is a refusal, and the next run does only the rest', async () => {
    rig.emulator.faults.api = [
      {
        ...{ operations: ['deleteSession'], pathId: 'a2' },
        answer: { kind: 'error', status: 200, code: 300002, message: 'not yours' },
      },
    ];
    const first = await rig.pruned();
    expect(outcomes(first)).toEqual({ a1: 'deleted', a2: 'still-there', a3: 'deleted' });
    expect(await rig.intents()).toEqual([]);

    rig.emulator.faults.api = [];
    expect(outcomes(await rig.pruned())).toEqual({ a2: 'deleted' });
    expect(await rig.recorded()).toEqual(['a1 confirmed', 'a2 confirmed', 'a3 confirmed']);
  });

  it('whose end cannot be read is found out by the next run', async () => {
    rig.emulator.faults.api = [
      {
        operations: ['getSession'],
        pathId: 'a1',
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

  it('that comes too late is recorded as what it is: gone by another hand', async () => {
    rig.emulator.faults.beforeRequest = ({ operation, pathId }) => {
      if (operation === 'deleteSession' && pathId === 'a2') rig.state.deleteSession('ann', 'a2');
    };
    expect(outcomes(await rig.pruned())).toEqual({ a1: 'deleted', a2: 'gone', a3: 'deleted' });
    expect(await rig.recorded()).toContain('a2 gone-by-another-hand');
  });
});

describe('an intent that a killed run has left', () => {
  beforeEach(async () => {
    rig.addSessions('ann', ['a1', 'a2']);
    await rig.rig.export();
    await rig.beginDeletion('ann', 'a1');
  });

  it('is confirmed where the session is gone', async () => {
    rig.state.deleteSession('ann', 'a1');
    const summary = await rig.pruned({ rules: { all: true, sessions: ['a1'] } });
    expect(outcomes(summary)).toEqual({ a1: 'deleted' });
    expect(await rig.recorded()).toEqual(['a1 confirmed-later']);
    expect(await rig.intents()).toEqual([]);
    expect(rig.deletesSent).toBe(0);
  });

  it('is dropped where the session is still there, which is planned like any other', async () => {
    const summary = await rig.pruned({ rules: { all: true, holds: new Set(['a1']) } });
    expect(outcomes(summary)).toEqual({ a1: 'hold', a2: 'deleted' });
    expect(await rig.intents()).toEqual([]);
    expect(outcomes(await rig.pruned())).toEqual({ a1: 'deleted' });
  });

  it('is told by a plan, which leaves it alone', async () => {
    expect((await rig.plan()).summary).toMatchObject({ unfinished: 1, planned: 2 });
    expect(await rig.intents()).toHaveLength(1);
  });

  it('stays where nothing shows that the key sees this archive', async () => {
    rig.emulator.state.keys.setProject('other-key', 'another project');
    const summary = await rig.pruned({ apiKey: 'other-key' });
    expect(outcomes(summary)).toEqual({ a1: 'unproven', a2: 'not-listed' });
    expect(summary).toMatchObject({ unfinished: 1, deletions: { deleted: 0, refused: 2 } });
    expect(await rig.intents()).toHaveLength(1);
    expect(await rig.rig.files('tables/deletions')).toEqual([]);
  });

  it('is confirmed, too, where no session is left that the service could list', async () => {
    await rig.pruned({ rules: { all: true, sessions: ['a2'], holds: new Set(['a1']) } });
    await rig.beginDeletion('ann', 'a1');
    rig.state.deleteSession('ann', 'a1');
    expect(outcomes(await rig.pruned())).toEqual({ a1: 'deleted' });
    expect(await rig.recorded()).toEqual(['a1 confirmed-later', 'a2 confirmed']);
  });

  it('is an error where it cannot be read, for a deletion could be forgotten', async () => {
    const [path = ''] = await rig.intents();
    await writeFile(join(rig.out, path), '{"format":1}\n');
    const { error } = await rig.prune();
    expect(error).toMatchObject({ name: 'IntegrityError', path });
    expect(rig.left()).toHaveLength(2);
  });
});

describe('nothing is deleted', () => {
  beforeEach(async () => {
    rig.addSessions('ann', ['a1', 'a2']);
    rig.addSession('bob', 'b1');
    await rig.rig.export();
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

  it('with the key of another project in which the users have sessions, too', async () => {
    rig.emulator.state.keys.setProject('other-key', 'other');
    for (const user of ['ann', 'bob']) {
      rig.state.addSession(user, { id: `other of ${user}` }, [], 'other');
    }
    const summary = await rig.pruned({ apiKey: 'other-key' });
    expect(Object.values(outcomes(summary))).toEqual(['not-listed', 'not-listed', 'not-listed']);
    expect(summary.sessions[0]?.detail).toContain('lists none of these sessions');
    expect([rig.deletesSent, summary.gone]).toEqual([0, 0]);
  });

  it('at another base URL, or under another project label', async () => {
    const baseUrl = 'http://127.0.0.1:9/elsewhere';
    await expect(rig.prune({ baseUrl })).rejects.toThrow(
      /is the archive of http:\/\/127\.0\.0\.1:\d+, not of http:\/\/127\.0\.0\.1:9\/elsewhere/,
    );
    await expect(rig.plan({ baseUrl })).rejects.toThrow('choose another place');
    expect(rig.deletesSent).toBe(0);
  });

  it('of a user who suddenly lists nothing, while the others are pruned', async () => {
    rig.state.deleteSession('bob', 'b1');
    const summary = await rig.pruned();
    expect(outcomes(summary)).toEqual({ a1: 'deleted', a2: 'deleted', b1: 'not-listed' });
    expect(await rig.recorded()).toEqual(['a1 confirmed', 'a2 confirmed']);
  });

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

  it('of a session that changed, lost a job, or whose history cannot be proven whole', async () => {
    const [job = ''] = rig.state.jobIds('ann', 'a1');
    rig.state.growAnswer('ann', 'a1', job, 'and more');
    rig.state.deleteJob('ann', 'a2', rig.state.jobIds('ann', 'a2')[0] ?? '');
    expect(outcomes(await rig.pruned())).toMatchObject({ a1: 'changed', a2: 'vanished' });

    rig.emulator.faults.totalItems = 'growing';
    expect(outcomes(await rig.pruned())).toMatchObject({ a1: 'unproven' });
  });

  it('of a session that changes between the listing and the last look', async () => {
    rig.emulator.faults.beforeRequest = ({ operation, pathId, nth }) => {
      if (operation === 'getHistory' && pathId === 'b1' && nth > 1) rig.grow('bob', 'b1');
    };
    expect(outcomes(await rig.pruned())).toMatchObject({ a1: 'deleted', b1: 'grown' });
  });

  it('that another run archives between our look into the log and the DELETE', async () => {
    let exported: Promise<unknown> | undefined;
    rig.emulator.faults.beforeRequest = async ({ operation, pathId }) => {
      if (operation !== 'getHistory' || pathId !== 'a1' || exported) return;
      rig.emulator.faults.beforeRequest = undefined;
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

describe('a session that is gone', () => {
  beforeEach(async () => {
    rig.addSessions('ann', ['a1', 'a2', 'a3']);
    await rig.rig.export();
    rig.state.deleteSession('ann', 'a2');
  });

  it('before our DELETE is recorded as gone by another hand, never as deleted by us', async () => {
    const summary = await rig.pruned();
    expect(summary).toMatchObject({ status: 'complete', deletions: { deleted: 2 }, gone: 1 });
    expect(await rig.recorded()).toEqual([
      'a1 confirmed',
      'a2 gone-by-another-hand',
      'a3 confirmed',
    ]);
    expect(rig.deletesSent).toBe(2);
  });

  it('and recorded is no gap for the next export, and is found again where it comes back', async () => {
    const jobs = rig.state.jobIds('ann', 'a1').map((job) => rig.state.jobText('ann', 'a1', job));
    await rig.pruned();
    const nothing = { status: 'complete', jobs: { archived: 0 }, gaps: [] };
    expect(await rig.rig.export({ users: ['ann'] })).toMatchObject(nothing);

    rig.state.addSession('ann', { id: 'a1' }, jobs);
    expect(await rig.rig.export()).toMatchObject(nothing);
    expect(outcomes(await rig.pruned())).toEqual({ a1: 'deleted' });
    expect((await rig.rig.verify()).problems).toEqual([]);
  });
});

describe('rules', () => {
  beforeEach(async () => {
    rig.addSessions('ann', ['a1', 'a2']);
    rig.addSession('bob', 'b1');
    await rig.rig.export();
    rig.rig.clock.ahead += 20 * DAY;
    rig.addSessions('ann', ['a3']);
    rig.grow('ann', 'a1');
    await rig.rig.export();
    rig.rig.clock.ahead += 20 * DAY;
  });

  it('choose by when the last change was seen', async () => {
    const summary = await rig.pruned({ rules: { olderThanMs: 30 * DAY } });
    expect(outcomes(summary)).toEqual({ a1: 'kept', a2: 'deleted', a3: 'kept', b1: 'deleted' });
    expect(summary.sessions.find(({ session }) => session === 'a1')?.detail).toMatch(
      /^a change was seen on \d{4}-\d\d-\d\d, which is too recent$/,
    );
  });

  it('keep each user’s most recently changed', async () => {
    const summary = await rig.pruned({ rules: { keep: 1 } });
    expect(outcomes(summary)).toEqual({ a1: 'deleted', a2: 'deleted', a3: 'kept', b1: 'kept' });
    expect((await rig.pruned({ rules: { keep: 0 } })).deletions.deleted).toBe(2);
  });

  it('delete at most so many, and the next run goes on', async () => {
    const first = await rig.pruned({ rules: { all: true, maxDelete: 2 } });
    expect(first).toMatchObject({ status: 'refused', deletions: { deleted: 2, refused: 2 } });
    expect(outcomes(first)).toMatchObject({ a2: 'deleted', a3: 'max-delete' });
    expect((await rig.pruned({ rules: { all: true, maxDelete: 2 } })).status).toBe('complete');
  });

  it('free as many slots as are wanted, oldest change first', async () => {
    for (let n = 0; n < 145; n++) rig.addSession('ann', `n${n}`, { jobs: 0 });
    const rules = { freeSlots: 3, users: ['ann'] };
    // 148 are listed, 2 slots are free
    const summary = await rig.pruned({ rules });
    expect(summary).toMatchObject({ status: 'complete', deletions: { deleted: 1 }, kept: 2 });
    expect(outcomes(summary)['a2']).toBe('deleted');
    expect((await rig.pruned({ rules })).deletions.deleted).toBe(0);
  });

  it('name users and sessions, which must be in the archive', async () => {
    const rules = { all: true, users: ['bob'] };
    expect(outcomes((await rig.plan({ rules })).summary)).toEqual({ b1: 'planned' });
    await expect(rig.plan({ rules: { users: ['eve'] } })).rejects.toThrow(
      'no session of user "eve"',
    );
    const { error } = await rig.prune({ rules: { sessions: ['b1', 'b2'] } });
    expect(error).toMatchObject({ code: 'USAGE' });
    expect(rig.left()).toContain('b1');
  });

  it('must be given where something is to be deleted', async () => {
    await expect(rig.prune({ rules: { users: ['ann'], maxDelete: 3 } })).rejects.toThrow(
      'nothing says which sessions are to be deleted',
    );
    expect(rig.deletesSent).toBe(0);
  });
});

describe('a saved plan', () => {
  beforeEach(async () => {
    rig.addSessions('ann', ['a1', 'a2', 'a3']);
    await rig.rig.export();
  });

  it('is carried out as it was shown, and checked afresh', async () => {
    const { saved } = await rig.plan({ rules: { holds: new Set(['a3']) } });
    rig.grow('ann', 'a1');
    rig.rig.clock.ahead += DAY - 60_000;
    const summary = await rig.pruned({ plan: saved });
    expect(outcomes(summary)).toEqual({ a1: 'grown', a2: 'deleted' });
    expect(rig.left()).toEqual(['a1', 'a3']);
    // what it has done is done
    expect(outcomes(await rig.pruned({ plan: saved }))).toEqual({ a1: 'grown' });
  });

  it('expires after 24 hours', async () => {
    const { saved } = await rig.plan();
    rig.rig.clock.ahead += DAY + 60_000;
    await expect(rig.prune({ plan: saved })).rejects.toThrow('a plan expires after 24 hours');
    expect(rig.deletesSent).toBe(0);
  });

  it('does not stand for a session that was archived again since', async () => {
    const { saved } = await rig.plan();
    rig.grow('ann', 'a1');
    await rig.rig.export();
    expect(outcomes(await rig.pruned({ plan: saved }))).toMatchObject({ a1: 'outdated' });
  });

  it('obeys the holds and the limit that are given with it, and no other rule', async () => {
    const { saved: plan } = await rig.plan();
    const rules = { holds: new Set(['a1']), maxDelete: 1 };
    expect(outcomes(await rig.pruned({ plan, rules }))).toEqual({
      ...{ a1: 'hold', a2: 'deleted', a3: 'max-delete' },
    });
    await expect(rig.prune({ plan, rules: { all: true } })).rejects.toThrow('brings its own rules');
  });

  it('is for one archive only', async () => {
    const { saved } = await rig.plan();
    const plan = { ...saved, archive: '0'.repeat(26) };
    await expect(rig.prune({ plan })).rejects.toThrow('made for another archive');
  });
});
