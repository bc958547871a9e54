/** An erasure says of what the service has no more that no export brings it back, and of the rest that the next one may. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.addSessions('ana', ['s1', 's2']);
  rig.addSessions('ben', ['s3']);
  await rig.rig.archived();
});
afterEach(() => rig[Symbol.asyncDispose]());

const told = async (...words: string[]) => {
  const { stdout } = await cli(['erase', rig.out, ...words]);
  return stdout.replaceAll(/\s+/g, ' ');
};
const NONE = (what: string) =>
  `As far as the archive knows, the service does not have ${what} any more: no export archives`;
const SOME = 'The next export archives again what the service still has of this, unless';

it('of a conversation that a prune has deleted, before and after it', async () => {
  await rig.pruned({ rules: { sessions: ['s1'] } });
  for (const last of ['--dry-run', '--yes']) {
    const text = await told('--session', 's1', last);
    expect(text).toContain(`${NONE('this conversation')} it again.`);
    expect(text).not.toContain('The next export');
  }
});

it('what is still there is said to come back, also beside what is deleted', async () => {
  await rig.pruned({ rules: { sessions: ['s1'] } });
  for (const words of [['s2'], ['s1', 's2']]) {
    const named = words.flatMap((id) => ['--session', id]);
    const text = await told(...named, '--dry-run');
    expect(text).toContain(`${SOME} it is deleted there.`);
    expect(text).not.toContain('any more');
  }
});

it('of a user of whom nothing is left there it says that new conversations come', async () => {
  await rig.pruned({ rules: { users: ['ana'], all: true } });
  for (const last of ['--dry-run', '--yes']) {
    const text = await told('--user', 'ana', last);
    expect(text).toContain(
      `${NONE('these 2 conversations')} them again, only new ones of the user.`,
    );
    expect(text).toContain('--exclude-user ana');
    expect(text).not.toContain('The next export');
  }
});

it('of a user who has some there it says that these come back', async () => {
  await rig.pruned({ rules: { sessions: ['s1'] } });
  const text = await told('--user', 'ana', '--dry-run');
  expect(text).toContain(`${SOME} it is deleted there or the user is excluded from every export.`);
});

const why = ['--reason', 'Matter 9', '--by', 'Dana'];

it('a hold brings back no more of what exports skip than the service had when it was erased', async () => {
  rig.addSessions('ana', ['s4']);
  await rig.rig.export();
  await rig.pruned({ rules: { sessions: ['s1'] } });
  await told('--session', 's1', '--session', 's2', '--suppress', '--yes');
  const hold = ['hold', 'add', rig.out, '--user', 'ana', ...why];
  expect(await cliJson(hold)).toMatchObject({ may_come_back: 1 });
  expect(await cliJson(['erase', rig.out, '--list'])).toMatchObject({ may_come_back: 1 });
});

it('the spelling that was listed last says whether the service has a conversation', async () => {
  const { rig: exported } = rig;
  const id = rig.oldJobId();
  for (const user of ['ben', 'BEN'])
    rig.state.addSession(user, { id: 'of-both' }, [oldJob(id, [])]);
  await exported.export({ users: ['ben'] });
  await exported.export({ users: ['BEN'] });
  rig.state.deleteSession('BEN', 'of-both');
  await exported.export({ users: ['BEN'] });
  const text = await told('--session', 'of-both', '--dry-run');
  expect(text).toContain(`${NONE('this conversation')} it again.`);
});

it('status says of a prune whose deletions are erased that it does not count them any more', async () => {
  await rig.pruned({ rules: { sessions: ['s1', 's3'] } });
  await told('--user', 'ana', '--yes');
  expect((await cli(['status', rig.out])).stdout).toMatch(
    /: prune, 1 deletion, without the deletions of whom was erased since$/m,
  );
});
