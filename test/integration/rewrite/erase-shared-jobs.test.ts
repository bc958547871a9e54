/** Jobs of somebody who is erased may have been archived in a session of somebody else: it is named, and stays. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { oldJob } from '../../support/programs/pieced-export.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { fault } from '../../support/base/fault.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.addSessions('ann', ['a1', 'c1']);
  await rig.rig.archived({ users: ['ann'] });
});
afterEach(() => rig[Symbol.asyncDispose]());

/** Another run reads the history of ann's session as that of ben's, and cannot know of ann's. */
async function archiveAsBens(): Promise<void> {
  const texts = rig.state.jobIds('ann', 'a1').map((job) => oldJob(job));
  rig.state.addSession('ben', { id: 'b1' }, [oldJob(rig.oldJobId()), ...texts]);
  rig.addSession('ben', 'b2');
  await rig.rig.export({ users: ['ben'] });
}

const erase = (...more: string[]) => ['erase', rig.out, ...more];
const named = /still there +conversation b1 of ben has 2 questions of conversation a1/;

it.each([
  ['user', 'ann'],
  ['session', 'a1'],
])(
  'An erasure of a %s names it with the plan and afterwards, and its exit code is 3',
  async (what, id) => {
    await archiveAsBens();
    const planned = await cli(erase(`--${what}`, id, '--dry-run'));
    expect(planned).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(named) });
    const { exitCode, stdout } = await cli(erase(`--${what}`, id, '--yes'));
    expect({ exitCode, stdout }).toMatchObject({
      exitCode: 3,
      stdout: expect.stringMatching(named),
    });
    expect(await cliJson(erase('--session', 'b1', '--dry-run'))).toMatchObject({
      still_there: [],
      erased: { jobs: 3 },
    });
  },
);

it('who asks later is told, too, that another conversation has kept questions of it', async () => {
  await archiveAsBens();
  await cli(erase('--session', 'a1', '--yes'));
  const kept = /but for the questions that 1 other conversation had as well and kept/;
  const search = ['search', rig.rig.out, 'x', '--user', 'ben'];
  for (const command of [
    ['status', rig.rig.out],
    ['status', rig.rig.out, '--user', 'ben'],
    search,
  ]) {
    expect((await cli(command)).stdout).toMatch(kept);
  }
  const list = ['erase', rig.rig.out, '--list'];
  expect((await cli(list)).stdout).toContain('1 conversation with questions of it kept');
  expect(await cliJson(list)).toMatchObject({
    erasures: [{ still_there: { sessions: 1, jobs: 2 } }],
  });
});

it('An erasure names it in JSON, and a doubt that an export has noticed likewise', async () => {
  const texts = rig.state.jobIds('ann', 'a1').map((job) => oldJob(job));
  rig.state.addSession('ben', { id: 'b1' }, texts);
  await rig.rig.export();
  expect(await cliJson(erase('--user', 'ann', '--dry-run'))).toMatchObject({
    still_there: [{ user: 'ben', session: 'b1', jobs: 2, erased_session: 'a1' }],
  });
});

it('The plan names no text of a request that is about the other user alone', async () => {
  const texts = rig.state.jobIds('ann', 'a1').map((job) => oldJob(job));
  rig.state.addSession('ben', { id: 'b1' }, texts);
  await rig.rig.export();
  for (const user of ['ann', 'ben']) {
    const why = ['--user', user, '--reason', 'Art. 15', '--by', 'Grace'];
    await cli(['request', 'new', rig.out, `Of ${user}'s matter`, ...why]);
  }
  const { stdout } = await cli(erase('--user', 'ann', '--dry-run'));
  expect(stdout).toContain('s matter');
  expect(stdout).not.toContain("Of ben's matter");
});

it('An erasure of a user names the session that another user lists, too', async () => {
  const texts = rig.state.jobIds('ann', 'a1').map((job) => oldJob(job));
  rig.state.addSession('ben', { id: 'a1' }, texts);
  await rig.rig.export({ users: ['ben'] });
  expect(await cliJson(erase('--user', 'ann', '--dry-run'))).toMatchObject({
    still_there: [{ user: 'ben', session: 'a1', jobs: 2, erased_session: 'a1' }],
  });
  expect(await cliJson(erase('--session', 'a1', '--dry-run'))).toMatchObject({ still_there: [] });
});

it('An erasure of those who share no job names nothing, and is complete', async () => {
  await archiveAsBens();
  expect(await cliJson(erase('--session', 'c1', '--yes'))).toMatchObject({ still_there: [] });
  expect((await cli(erase('--session', 'b2', '--yes'))).exitCode).toBe(0);
});

it(
  'an erasure leaves a doubt of it, so that nobody deletes it: nothing else could show it',
  fault('F-91'),
  async () => {
    const texts = rig.state.jobIds('ann', 'a1').map((job) => oldJob(job));
    rig.state.addSession('ben', { id: 'b1' }, texts);
    rig.addSession('ben', 'b2');
    await rig.rig.export({ users: ['ben'] });
    expect((await cli(erase('--user', 'ann', '--yes'))).exitCode).toBe(3);
    const pruned = await rig.pruned({ rules: { users: ['ben'], all: true } });
    expect(outcomes(pruned)).toEqual({ b1: 'incomplete', b2: 'deleted' });
    const { gaps } = await rig.rig.export({ users: ['ben'] });
    const reason =
      'its history has jobs of a session that was erased: nothing shows any more which of the two they are of';
    expect(gaps).toMatchObject([
      { session: 'b1', status: 'doubtful', reason, shared_with: '[erased]' },
    ]);
    const told = await cli(['status', rig.rig.out, '--user', 'ben']);
    expect(told.stdout).toContain(`doubtful: ${reason}`);
    const { caveats } = await cliJson<{ caveats: { kind: string; next: string }[] }>(
      [...['evidence', rig.rig.out, '--user', 'ben', '--out', join(rig.rig.directory, 'pack')]],
      3,
    );
    expect(caveats.find(({ kind }) => kind === 'doubted')?.next).toMatch(
      /^no export ends a doubt .* with what was erased; jobvault gap accept .* accepts it$/,
    );
    expect((await rig.rig.verify()).problems).toEqual([]);
    // its own erasure finds it in the receipt of the first
    await cli(erase('--session', 'b1', '--yes'));
    expect((await rig.rig.verify()).problems).toEqual([]);
  },
);
