/** Sessions that were archived with the history of another one: the final check reads that history again. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { oldJob } from '../../support/programs/pieced-export.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { fault } from '../../support/base/fault.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
});
afterEach(() => rig[Symbol.asyncDispose]());

/** Two runs, each of which reads one of the two histories, and cannot know of the other. */
async function exportMisread(): Promise<void> {
  rig.addSessions('ann', ['a1', 'c1']);
  await rig.rig.export({ users: ['ann'] });
  const texts = rig.state.jobIds('ann', 'a1').map((job) => oldJob(job));
  rig.state.addSession('ben', { id: 'b1' }, texts);
  await rig.rig.export({ users: ['ben'] });
}

it('a prune deletes neither of the two, and names both', fault('F-76'), async () => {
  await exportMisread();
  const summary = await rig.pruned();
  expect(outcomes(summary)).toEqual({ a1: 'doubtful', b1: 'doubtful', c1: 'deleted' });
  const details = summary.sessions.map(({ session, detail }) => `${session}: ${String(detail)}`);
  expect(details.join('\n')).toContain('a1: it has, or had, jobs of session b1:');
  expect(details.join('\n')).toContain('b1: it has, or had, jobs of session a1:');
  expect(rig.left().sort()).toEqual(['a1', 'b1']);
});

it(
  'prune does not delete it where the other is answered with nothing: no history of its own',
  fault('F-76'),
  async () => {
    await exportMisread();
    rig.state.addSession('ann', { id: 'a1' }, []);
    expect(outcomes(await rig.pruned())).toMatchObject({ a1: 'doubtful', b1: 'doubtful' });
    expect(rig.left().sort()).toEqual(['a1', 'b1']);
  },
);

it.each(['a1', 'b1'])('a prune does not delete %s where only that is selected', async (session) => {
  await exportMisread();
  expect(outcomes(await rig.pruned({ rules: { sessions: [session] } }))).toEqual({
    [session]: 'doubtful',
  });
});

it('a prune does not delete it where only its user is named', async () => {
  await exportMisread();
  const rules = { users: ['ben'], all: true };
  expect(outcomes(await rig.pruned({ rules }))).toEqual({ b1: 'doubtful' });
});

it('a prune does not delete it by a plan that was made before the other came', async () => {
  rig.addSession('ben', 'b1');
  await rig.rig.export({ users: ['ben'] });
  const { saved: plan } = await rig.plan({ rules: { sessions: ['b1'] } });
  expect(plan.sessions).toHaveLength(1);
  const texts = rig.state.jobIds('ben', 'b1').map((job) => oldJob(job));
  rig.state.addSession('ann', { id: 'a1' }, texts);
  await rig.rig.export({ users: ['ann'] });
  expect(outcomes(await rig.pruned({ plan }))).toEqual({ b1: 'doubtful' });
});

it.each([
  ['everybody', { all: true }, { a1: 'doubtful', b1: 'doubtful', c1: 'planned' }],
  ['one user', { users: ['ben'], all: true }, { b1: 'doubtful' }],
  ['one session', { sessions: ['b1'] }, { b1: 'doubtful' }],
])('a plan of %s promises nothing that the archive has in doubt', async (_, rules, expected) => {
  await exportMisread();
  const { summary, saved } = await rig.plan({ rules });
  expect(outcomes(summary)).toEqual(expected);
  expect(summary.sessions.find(({ session }) => session === 'b1')?.detail).toContain(
    'it has, or had, jobs of session a1:',
  );
  expect(saved.sessions.map(({ session }) => session)).not.toContain('b1');
});

it('a plan promises nothing that has the questions of a session that is gone', async () => {
  rig.addSessions('ann', ['a1', 'c1']);
  await rig.rig.export();
  const texts = rig.state.jobIds('ann', 'a1').map((job) => oldJob(job));
  rig.state.deleteSession('ann', 'a1');
  rig.state.addSession('ann', { id: 'a2' }, [...texts, oldJob(rig.oldJobId())]);
  await rig.rig.export();
  const rules = { sessions: ['a2'] };
  expect(outcomes((await rig.plan({ rules })).summary)).toEqual({ a2: 'doubtful' });
  expect(outcomes(await rig.pruned({ rules }))).toEqual({ a2: 'doubtful' });
});

it('a prune does not delete it where the other one is deleted already', async () => {
  rig.addSession('ann', 'a1');
  await rig.rig.archived();
  const texts = rig.state.jobIds('ann', 'a1').map((job) => oldJob(job));
  await rig.pruned();
  rig.state.addSession('ben', { id: 'b1' }, texts);
  await rig.rig.export({ users: ['ann', 'ben'] });
  expect(outcomes(await rig.pruned())).toEqual({ b1: 'doubtful' });
});

it('prune deletes neither where the other shows unknown jobs: they may be those of the first', async () => {
  await exportMisread();
  rig.state.addSession('ben', { id: 'b1' }, [oldJob(rig.oldJobId())]);
  expect(outcomes(await rig.pruned())).toMatchObject({ a1: 'doubtful', b1: 'doubtful' });
  await rig.rig.export();
  expect(outcomes(await rig.pruned())).toMatchObject({ a1: 'incomplete', b1: 'incomplete' });
  expect(rig.left().sort()).toEqual(['a1', 'b1']);
});

it('a prune deletes a session that two spellings of a user list', async () => {
  rig.addSession('ana', 's1');
  const texts = rig.state.jobIds('ana', 's1').map((job) => oldJob(job));
  rig.state.addSession('Ana', { id: 's1' }, texts);
  await rig.rig.export();
  expect((await rig.pruned()).deletions.refused).toBe(0);
});
