/** The list of those whom exports skip knows no spellings: nobody is put on it of whom something is held, however spelt (I-68). */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

interface Freed {
  readonly session: string;
  readonly counts_for: string | null;
}

let people: SearchRig;
let out: string;
const held = 'held-1';
beforeEach(async () => {
  people = await SearchRig.start();
  const id = people.rig.state.newJobId(Date.parse('2026-03-01'));
  for (const user of ['Ada', 'ada']) {
    people.talk(user, 'shared-1', 'Shared', [{ question: 'shared one', id }]);
  }
  people.talk('Ada', held, 'Held', [{ question: 'held one' }]);
  people.talk('Ada', 'own-1', 'Own', [{ question: 'own one' }]);
  people.talk('ada', 'low-1', 'Low', [{ question: 'low one' }]);
  await people.rig.archived();
  ({ out } = people.rig);
});
afterEach(() => people[Symbol.asyncDispose]());

const why = ['--reason', 'Matter 9', '--by', 'Dana'];
const hold = (...words: string[]) => cli(['hold', 'add', out, ...words, ...why]);
const archived = async () => {
  const shown = await cliJson<{ sessions: { user_id: string; session_id: string }[] }>([
    'show',
    out,
  ]);
  return shown.sessions.map(({ user_id: user, session_id: id }) => `${user} ${id}`).toSorted();
};
const nightWords = () => {
  const service = ['--base-url', people.rig.emulator.baseUrl, '--allow-private-network'];
  return ['export', '--out', out, '--user', 'Ada', '--user', 'ada', ...service];
};
const erase = (...users: string[]) => [
  ...['erase', out, ...users.flatMap((user) => ['--user', user]), '--suppress', '--reason', 't'],
];

it('suppresses what is erased of both spellings where a conversation of one is on hold', async () => {
  await hold('--session', held);
  const words = [...erase('Ada', 'ada'), '--except-held'];
  const only =
    'Only the 3 erased conversations are suppressed, not Ada, ada: 1 of theirs is on hold, so exports go on, and archive new conversations. After the hold is released:\n' +
    `  jobvault erase ${out} --user Ada --user ada --suppress\n`;
  expect((await cli([...words, '--dry-run'])).stdout).toContain(only);
  const done = await cli([...words, '--yes']);
  expect([done.exitCode, done.stdout]).toEqual([0, expect.stringContaining(only)]);
  expect(done.stdout).not.toContain('not erased');
  expect(await cliJson(['erase', out, '--list'])).toMatchObject({
    erasures: [{ suppressed: { users: 0, sessions: 3, users_held: 1 } }],
  });
  people.talk('Ada', held, 'Held', [{ question: 'held two' }]);
  people.talk('Ada', 'new-1', 'New', [{ question: 'new one' }]);
  // a conversation that both list is skipped once, as the receipt has it
  const suppressed = { users: 0, sessions: 3 };
  expect(await cliJson([...nightWords(), '--dry-run'])).toMatchObject({ suppressed });
  const night = await cliJson<{ jobs: { archived: number } }>(nightWords());
  expect(night).toMatchObject({ jobs: { archived: 2 }, suppressed });
  expect(await archived()).toEqual(['Ada held-1', 'Ada new-1']);
  await cli(['hold', 'release', out, '--session', held, '--yes', ...why]);
  const rest = await cli([...erase('Ada', 'ada'), '--yes']);
  expect(rest.stdout).toContain('No export into this archive archives them again');
  await cli(nightWords());
  expect(await archived()).toEqual([]);
});

it('suppresses what is erased of one spelling where another one has something on hold', async () => {
  await hold('--session', held);
  const text =
    'Only the erased conversation is suppressed, not ada: something is on hold of Ada, another spelling of this user, so exports go on, and archive new conversations.';
  expect((await cli([...erase('ada'), '--dry-run'])).stdout).toContain(text);
  const done = await cli([...erase('ada'), '--yes']);
  // one conversation of the other spelling has its question
  expect([done.exitCode, done.stdout]).toEqual([3, expect.stringContaining(text)]);
  people.talk('Ada', held, 'Held', [{ question: 'held two' }]);
  const night = await cliJson<{ jobs: { archived: number } }>(nightWords());
  expect(night).toMatchObject({ suppressed: { users: 0, sessions: 1 } });
  expect(await archived()).not.toContain('ada low-1');
  const { stdout } = await cli(['show', out, '--session', held]);
  expect(stdout).toContain('held two');
  expect((await cli(['hold', 'add', out, '--user', 'Ada', ...why])).exitCode).toBe(0);
});

it('suppresses both spellings where nothing is on hold', async () => {
  await cli([...erase('Ada', 'ada'), '--yes']);
  await cli(nightWords());
  expect(await archived()).toEqual([]);
});

it('a dry run and a run count a conversation once that both spellings list and exports skip', async () => {
  await hold('--session', held);
  await cli([...erase('Ada', 'ada'), '--except-held', '--yes']);
  const suppressed = { users: 0, sessions: 3 };
  const words = nightWords();
  expect(await cliJson([...words, '--dry-run'])).toMatchObject({ suppressed });
  expect(await cliJson(words)).toMatchObject({ suppressed });
});

it('a run counts an erased conversation once that both spellings list and that is back', async () => {
  await hold('--session', held);
  await cli([...erase('Ada', 'ada'), '--except-held', '--yes']);
  await cli(['erase', out, '--unsuppress', '--yes', '--session', 'shared-1', ...why]);
  const night = await cliJson(nightWords());
  expect(night).toMatchObject({ sessions: { new: 1 }, erased_before: 1 });
});

it('hold add never says fewer than come back with the next export, whichever spelling', async () => {
  await hold('--session', held);
  await cli([...erase('Ada', 'ada'), '--except-held', '--yes']);
  await cliJson(nightWords());
  expect((await hold('--user', 'ada')).stdout).toContain(
    'Exports skip up to 3 erased conversations that may be theirs',
  );
  expect(await cliJson(nightWords())).toMatchObject({ erased_before: 3 });
});

it('hold add counts all that exports skip where a user could not be listed', async () => {
  await hold('--session', held);
  await cli([...erase('Ada', 'ada'), '--except-held', '--yes']);
  people.rig.emulator.faults.refusedUsers = { ada: 300002 };
  await cli(nightWords());
  expect(await cliJson(['hold', 'add', out, '--user', 'ada', ...why])).toMatchObject({
    may_come_back: 3,
  });
});

it('a suppression of two spellings is one, and ends as one', async () => {
  await cli(['request', 'new', out, 'E 1', '--user', 'Ada', '--user', 'ada', ...why]);
  await cli(['erase', out, '--request', 'E 1', '--suppress', '--yes']);
  const told = { suppressed: { users: 1, sessions: 0 } };
  expect(await cliJson(['erase', out, '--list'])).toMatchObject({ erasures: [told] });
  await cli(['erase', out, '--unsuppress', '--yes', '--user', 'ada', ...why]);
  const ended = { erasures: [{ ...told, suppression_ended: { users: 1, sessions: 0 } }] };
  const none = 'not to come back (now none of these)';
  for (const words of [
    ['erase', out, '--list'],
    ['request', 'show', out, 'E 1'],
  ]) {
    expect(await cliJson(words)).toMatchObject(ended);
    expect((await cli(words)).stdout.replaceAll(/\s+/g, ' ')).toContain(none);
  }
});

it('a dry run and a run count a skipped user in each spelling that was asked for, as all users', async () => {
  await cli([...erase('Ada', 'ada'), '--yes']);
  const suppressed = { users: 2, sessions: 0 };
  const words = nightWords();
  expect(await cliJson([...words, '--dry-run'])).toMatchObject({ users: 2, suppressed });
  expect(await cliJson(words)).toMatchObject({ users: { total: 2 }, suppressed });
});

it('an export that skips a user of whom something is on hold says so', async () => {
  await cli([...erase('ada'), '--yes']);
  await hold('--session', held);
  expect(await cliJson([...nightWords(), '--dry-run'])).toMatchObject({
    suppressed: { users: 2, users_on_hold: 2 },
  });
  const night = await cli(nightWords());
  expect(night.stdout).toContain(
    '2 users: suppressed, a user in every spelling (erase --unsuppress ends that); WARNING: something of these users is on hold, and nothing new of it is archived',
  );
  expect(night.stderr).toContain('something is on hold');
});

it('status tells the count of the erased as a doubt where two spellings listed one', async () => {
  await hold('--session', held);
  await cli([...erase('Ada', 'ada'), '--except-held', '--yes']);
  const told =
    'at least 2 of at least 3 conversations were erased, and up to 1 more that the log does not name';
  expect(await cliJson(['status', out])).toMatchObject({ erased: 2, unexplained_erased: 1 });
  for (const command of ['status', 'show']) {
    expect((await cli([command, out])).stdout.split(told).length).toBeGreaterThan(1);
  }
  for (const user of ['Ada', 'ada']) {
    const one = (await cli(['status', out, '--user', user])).stdout;
    expect([user, one]).toEqual([
      user,
      expect.stringMatching(
        /\d of \d conversations? w(as|ere) erased, and up to 1 more that the log does not name/,
      ),
    ]);
  }
});

it('says of another spelling that what showed the same person may have been erased', async () => {
  const status = () => cli(['status', out, '--user', 'ada']);
  const erased = 'conversations that both listed would show it, and these may have been erased';
  expect((await status()).stdout).not.toContain(erased);
  await cli(['erase', out, '--session', 'shared-1', '--yes', '--reason', 't']);
  expect((await status()).stdout).toContain(erased);
});

it('counts a shared conversation once in the plan of a request that names both spellings', async () => {
  await cli(['request', 'new', out, 'E 2', '--user', 'Ada', '--user', 'ada', ...why]);
  await hold('--session', held);
  const plan = await cli([
    ...['erase', out, '--request', 'E 2', '--except-held', '--suppress', '--dry-run'],
  ]);
  expect(plan.stdout).toContain('would erase: 3 conversations, 3 questions, 0 stored files of');
  expect(plan.stdout).toContain('Only the 3 erased conversations are suppressed, not Ada, ada:');
  expect(plan.stdout).toContain('--session low-1 --session own-1 --session shared-1\n');
  expect(plan.stdout).not.toContain('not erased');
});

it('a release of a hold counts once what two spellings list', async () => {
  await hold('--user', 'ada');
  const words = ['hold', 'release', out, '--user', 'ada', ...why];
  const { stdout } = await cli([...words, '--dry-run']);
  expect(stdout).toContain('may be deleted and erased: 4 conversations, 4 questions');
  const { freed } = await cliJson<{ freed: Freed[] }>([...words, '--yes']);
  const counting = freed.filter(({ counts_for: other }) => other === null);
  expect(counting.map(({ session }) => session).toSorted()).toEqual([
    'held-1',
    'low-1',
    'own-1',
    'shared-1',
  ]);
  expect(freed).toHaveLength(5);
});
