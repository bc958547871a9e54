/** Of whom something is held, only what is erased is suppressed: every output says so, and what becomes of the rest (I-68). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli, cliJson, cliOnTerminal } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
let out: string;
beforeEach(async () => {
  people = await SearchRig.start();
  for (const session of ['a-sales', 'a-rain', 'a-snow']) {
    people.talk('ada', session, session, [{ question: 'the weather' }]);
  }
  people.talk('ben', 'b-1', 'Ben', [{ question: 'Falcon again' }]);
  await people.rig.archived();
  ({ out } = people.rig);
});
afterEach(() => people[Symbol.asyncDispose]());

const request = (...words: string[]) =>
  cli(['request', 'new', out, 'Matter 7', '--reason', 'Art. 17', '--by', 'Grace', ...words]);
const why = ['--reason', 'Matter 9', '--by', 'Dana'];
const night = () => {
  const service = ['--base-url', people.rig.emulator.baseUrl, '--allow-private-network'];
  return cli(['export', '--out', out, '--user', 'ada', '--user', 'ben', ...service]);
};

describe('erase --request --except-held --suppress of a person of whom a conversation is held', () => {
  const erase = () => ['erase', out, '--request', 'Matter 7', '--except-held', '--suppress'];
  const only =
    'Only the 2 erased conversations are suppressed, not ada: 1 of theirs is on hold, so exports go on, and archive new conversations.';
  beforeEach(async () => {
    await request('--user', 'ada');
    await cli(['hold', 'add', out, '--session', 'a-sales', ...why]);
  });

  it('says in plan, question and result what is suppressed, what is not, and what to do then', async () => {
    const rest = `After the hold is released:\n  jobvault erase ${out} --request 'Matter 7' --suppress\n`;
    const plan = await cli([...erase(), '--dry-run']);
    expect(plan.stdout).toContain(`${only} ${rest}`);
    expect(plan.stdout).not.toContain('archives them again');
    const no = await cliOnTerminal(erase(), { columns: 1000, stdin: 'n\n' });
    expect(no.stderr).toContain(
      'for the request Matter 7, and suppress only these 2 conversations, not ada? [y/N]',
    );
    const done = await cli([...erase(), '--yes']);
    expect([done.exitCode, done.stdout]).toEqual([0, expect.stringContaining(`${only} ${rest}`)]);
    expect(done.stdout).not.toContain('archives them again');
    people.talk('ada', 'a-new', 'New', [{ question: 'something new' }]);
    await night();
    expect(await people.shown()).toEqual(['a-new', 'a-sales', 'b-1']);
  });

  it('counts both in the receipt, its list and the request, which proposes to erase the rest', async () => {
    const suppressed = { users: 0, sessions: 2, users_held: 1 };
    expect(await cliJson([...erase(), '--yes'])).toMatchObject({
      suppressed: { users: [], sessions: 2, users_held: [{ user: 'ada', sessions: 1 }] },
    });
    expect(await cliJson(['erase', out, '--list'])).toMatchObject({ erasures: [{ suppressed }] });
    expect((await cli(['erase', out, '--list'])).stdout).toContain(
      '; only 2 conversations not to come back, and exports went on for 1 user; 1 conversation on hold kept',
    );
    const show = ['request', 'show', out, 'Matter 7'];
    expect(await cliJson(show)).toMatchObject({ erasures: [{ suppressed }] });
    const shown = (await cli(show)).stdout;
    expect(shown).toContain(
      '; only 2 conversations not to come back, and exports went on for ada; 1 conversation on hold kept',
    );
    expect(shown).toContain(
      `After the hold is released, jobvault erase ${out} --request 'Matter 7' --suppress erases the rest, and ends that.`,
    );
    await cli(['hold', 'release', out, '--session', 'a-sales', '--yes', ...why]);
    expect(await cliJson(show)).toMatchObject({ rest: 'free' });
    expect((await cli(show)).stdout).toContain(
      `\nNext: jobvault erase ${out} --request 'Matter 7' --suppress erases the rest, and ends that: no hold of the archive keeps it any more.`,
    );
    const rest = await cli(['erase', out, '--request', 'Matter 7', '--suppress', '--yes']);
    expect(rest.stdout).toContain('No export into this archive archives them again');
    people.talk('ada', 'a-new', 'New', [{ question: 'something new' }]);
    await night();
    expect(await people.shown()).toEqual(['b-1']);
    expect((await cli(show)).stdout).not.toContain('After the hold is released');
    expect((await cli(['verify', out])).exitCode).toBe(0);
  });
});

it.each([
  ['--suppress', ' --suppress'],
  ['--yes', ''],
])(
  'request show says what erases the rest of a request of words, erased with %s',
  async (word, suppress) => {
    await request('--user', 'ada', '--match', 'weather');
    await cli(['hold', 'add', out, '--session', 'a-sales', ...why]);
    const erase = ['erase', out, '--request', 'Matter 7', '--yes'];
    await cli([...erase, '--except-held', word]);
    const show = async () => (await cli(['request', 'show', out, 'Matter 7'])).stdout;
    expect(await show()).toContain(
      `After the hold is released, jobvault erase ${out} --request 'Matter 7'${suppress} erases the rest.`,
    );
    await cli(['hold', 'release', out, '--session', 'a-sales', '--yes', ...why]);
    await cli([...erase, word]);
    expect(await people.shown()).toEqual(['b-1']);
    expect(await show()).not.toContain('After the hold is released');
  },
);

it('request show has no next step where what was held was erased without the request', async () => {
  await request('--user', 'ada');
  await cli(['hold', 'add', out, '--session', 'a-sales', ...why]);
  await cli(['erase', out, '--request', 'Matter 7', '--except-held', '--yes']);
  const show = async () => (await cli(['request', 'show', out, 'Matter 7'])).stdout;
  expect(await show()).toContain('After the hold is released');
  await cli(['hold', 'release', out, '--session', 'a-sales', '--yes', ...why]);
  await cli(['erase', out, '--session', 'a-sales', '--yes']);
  expect(await show()).not.toContain('Next');
});

it('names each of several users who go on being exported, beside those who are suppressed', async () => {
  await cli(['hold', 'add', out, '--session', 'a-sales', ...why]);
  const erase = ['erase', out, '--user', 'ada', '--user', 'ben', '--except-held', '--suppress'];
  const { stdout } = await cli([...erase, '--dry-run']);
  expect(stdout).toContain(
    `Only user ben and the 2 erased conversations of others are suppressed, not ada: 1 of theirs is on hold, so exports go on, and archive new conversations. After the hold is released:\n  jobvault erase ${out} --user ada --suppress\n`,
  );
});

it.each([
  ['of words', ['--user', 'ada', '--match', 'weather', '--to', '2026-12'], []],
  ['of conversations', ['--session', 'a-rain', '--session', 'a-snow', '--session', 'a-sales'], []],
])(
  'a request %s suppresses conversations, and says that new ones are archived',
  async (_of, words) => {
    await request(...words);
    const erase = ['erase', out, '--request', 'Matter 7', '--suppress'];
    const only =
      'Only the 3 erased conversations are suppressed, not their user: exports go on, and archive new conversations.';
    expect((await cli([...erase, '--dry-run'])).stdout).toContain(`${only}\n`);
    const no = await cliOnTerminal(erase, { columns: 1000, stdin: 'n\n' });
    expect(no.stderr).toContain('and suppress only these 3 conversations, not their user? [y/N]');
    expect((await cli([...erase, '--yes'])).stdout).toContain(`${only}\n`);
    expect((await cli(['request', 'show', out, 'Matter 7'])).stdout).toContain(
      '; only 3 conversations not to come back, and exports went on for their users',
    );
  },
);
