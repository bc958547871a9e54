/** What is known of somebody who was erased is one thing, whichever receipt or note set it: suppressed now, lifted, or archived again. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
let out: string;
beforeEach(async () => {
  people = await SearchRig.start();
  people.talk('ada', 'a-1', 'One', [{ question: 'the weather' }]);
  people.talk('ada', 'a-2', 'Two', [{ question: 'more weather' }]);
  people.talk('ben', 'b-1', 'Ben', [{ question: 'Falcon again' }]);
  await people.rig.archived();
  ({ out } = people.rig);
});
afterEach(() => people[Symbol.asyncDispose]());

const why = ['--reason', 'Matter 9', '--by', 'Dana'];
const night = () => {
  const service = ['--base-url', people.rig.emulator.baseUrl, '--allow-private-network'];
  return cliJson(['export', '--out', out, '--user', 'ada', '--user', 'ben', ...service]);
};
const run = async (...words: string[]) => {
  const { exitCode, stdout, stderr } = await cli(words);
  return { exitCode, text: `${stdout}${stderr}`.replaceAll(/\s+/g, ' ') };
};
const list = async () => (await run('erase', out, '--list')).text;
const request = (...whom: string[]) => cli(['request', 'new', out, 'L', ...whom, ...why]);
const erase = (...words: string[]) => run('erase', out, '--request', 'L', '--suppress', ...words);
const lift = (...whom: string[]) => run('erase', out, '--unsuppress', ...whom, ...why, '--yes');
const skip = (...whom: string[]) => run('erase', out, '--suppress-only', ...whom, ...why, '--yes');
const show = async () => (await run('request', 'show', out, 'L')).text;

for (const whom of [
  ['--user', 'ada'],
  ['--session', 'a-1'],
] as const) {
  it(`who is suppressed again is told so by receipt and rows: ${whom[0]}`, async () => {
    await request(...whom);
    await erase('--yes');
    const one = whom[0] === '--user' ? '1 user' : '1 conversation';
    await lift(...whom);
    expect(await list()).toMatch(/not to come back \(now none of these\)/);
    expect(await list()).toContain(`${one} may come back Dana`);
    await skip(...whom);
    const again = Number(/ (\d+) \S+ \S+ UTC 1 \w+ not to come back/.exec(await list())?.[1]);
    for (const text of [await list(), await show()]) {
      expect(text).toContain(`not to come back (again since commit ${again})`);
    }
    expect(await list()).toContain(`${one} may come back (until commit ${again})`);
    const erasures = [{ suppression_ended: null, suppressed_again: again }];
    expect(await cliJson(['request', 'show', out, 'L'])).toMatchObject({ erasures });
    const listed = await cliJson<{ suppressions: { id: string }[] }>(['erase', out, '--list']);
    expect(listed).toMatchObject({
      erasures,
      suppressions: [
        { same_as: null, state: 'suppressed', set_again: again },
        { same_as: listed.suppressions[0]?.id, state: 'suppressed', set_again: null },
      ],
    });
    await lift(...whom);
    expect(await list()).toContain(`${one} not to come back (until commit ${again + 1})`);
    expect(await list()).toMatch(/not to come back \(now none of these\)/);
    await night();
    expect((await list()).match(new RegExp(`${one} archived again`, 'g'))).toHaveLength(1);
    expect(await cliJson(['erase', out, '--list'])).toMatchObject({
      suppressions: [{ state: 'back' }, { state: 'back' }],
    });
    expect((await cli(['verify', out])).exitCode).toBe(0);
  });
}

it('a request says at show, close and the next erasure that its person is back', async () => {
  await request('--user', 'ada');
  await erase('--yes');
  expect(await show()).not.toContain('is archived again');
  await lift('--user', 'ada');
  await night();
  const commit = Number(/again since commit (\d+)/.exec(await show())?.[1]);
  const back = `1 user of these is archived again since commit ${commit}: ada`;
  const next = `Next: jobvault erase ${out} --user ada --suppress erases again what came back.`;
  const shown = await show();
  expect(shown).toContain(`but ${back}`);
  expect(shown).toContain(next);
  const again = [{ user: 'ada', session: null, commit, held: false }];
  expect(await cliJson(['request', 'show', out, 'L'])).toMatchObject({ again });
  const refused = await erase('--dry-run');
  expect([refused.exitCode, refused.text]).toEqual([
    2,
    expect.stringContaining(`was erased before, but ${back}; erase --user ada --suppress without`),
  ]);
  const closed = await run('request', 'close', out, 'L', '--reason', 'answered', '--by', 'Dana');
  expect(closed.text).toContain(`But ${back}.`);
  expect(closed.text).toContain(next);
  await run('erase', out, '--user', 'ada', '--suppress', '--yes');
  expect(await show()).not.toContain('is archived again');
});

it('a request says what a hold has brought back, also after the release of the hold', async () => {
  await request('--session', 'a-1', '--session', 'b-1');
  await erase('--yes');
  await cli(['hold', 'add', out, '--user', 'ada', ...why]);
  await night();
  const back = '1 conversation of these is archived again';
  expect(await show()).toContain(back);
  expect(await show()).toContain(
    `Next: After the hold is released, jobvault erase ${out} --session a-1 --suppress erases again what came back.`,
  );
  await run('hold', 'release', out, '--user', 'ada', ...why, '--yes');
  expect(await show()).toContain(`Next: jobvault erase ${out} --session a-1 --suppress erases`);
});

it('a request tells the rest of its erasure from what came back', async () => {
  await request('--user', 'ada', '--user', 'ben');
  people.talk('ben', 'b-2', 'Ben', [{ question: 'Falcon, too' }]);
  await night();
  await cli(['hold', 'add', out, '--session', 'b-1', ...why]);
  await erase('--except-held', '--yes');
  await lift('--user', 'ada');
  await night();
  expect(await show()).toContain(
    `erases the rest, and ends that; jobvault erase ${out} --user ada --suppress erases again what came back.`,
  );
});

it('nothing of a request comes back with the hold of somebody whom it does not name', async () => {
  await cli(['hold', 'add', out, '--session', 'a-2', ...why]);
  await request('--user', 'ada');
  await cli(['hold', 'add', out, '--user', 'ben', ...why]);
  await erase('--except-held', '--yes');
  expect((await list()) + (await show())).not.toContain('come back with the next export');
  expect(await cliJson(['request', 'show', out, 'L'])).toMatchObject({ may_come_back: 0 });
  await cli(['hold', 'add', out, '--user', 'ada', ...why]);
  expect(await show()).toContain('now up to 1 of these come back with the next export');
});

it('a request says how many of its people were erased, also those who went at once', async () => {
  await request('--user', 'ada', '--user', 'ben');
  await run('erase', out, '--user', 'ada', '--user', 'ben', '--reason', 'r', '--yes');
  expect(await show()).toContain('about 2 erased users ');
  const asked = { users: ['[erased]', '[erased]'] };
  expect(await cliJson(['request', 'show', out, 'L'])).toMatchObject(asked);
});

it('what may be here again is told of those whom the log does not name', async () => {
  people.talk('ben', 'b-2', 'Ben', [{ question: 'Falcon, too' }]);
  await night();
  await run('erase', out, '--session', 'b-1', '--suppress', '--reason', 'r', '--yes');
  await run('erase', out, '--user', 'ada', '--suppress', '--reason', 'r', '--yes');
  await night();
  const told = '1 of 2 conversations was erased, and up to 2 more that the log does not name';
  expect((await run('status', out)).text).toContain(`${told}: `);
  await lift('--user', 'ada');
  await night();
  expect((await run('status', out)).text).toContain(
    '1 of 4 conversations was erased, and up to 2 more that the log does not name (up to 2 of these may be archived again): ',
  );
});

it('an erasure of the rest of a request, and request list, say who of it is back', async () => {
  await request('--user', 'ada', '--user', 'ben');
  await cli(['hold', 'add', out, '--session', 'b-1', ...why]);
  people.talk('ben', 'b-2', 'Ben', [{ question: 'Falcon, too' }]);
  await night();
  await erase('--except-held', '--yes');
  await lift('--user', 'ada');
  await night();
  await run('hold', 'release', out, '--session', 'b-1', ...why, '--yes');
  const commit = Number(/again since commit (\d+)/.exec(await show())?.[1]);
  const back = `but 1 user of these is archived again since commit ${commit}: ada`;
  const next = `Next: jobvault erase ${out} --user ada --suppress erases again what came back.`;
  const again = [{ user: 'ada', session: null, commit, held: false }];
  expect((await run('request', 'list', out)).text).toContain(back);
  const listed = await cliJson(['request', 'list', out]);
  const shown = await cliJson<{ rest: string }>(['request', 'show', out, 'L']);
  expect(shown).toMatchObject({ again, rest: 'free' });
  expect(listed).toMatchObject({ requests: [{ again, rest: 'free' }] });
  expect((await run('request', 'list', out)).text).toContain('the rest can be erased');
  expect((await erase('--dry-run')).text).toContain(back);
  const done = (await erase('--yes')).text;
  expect(done).toContain(back);
  expect(done).toContain(next);
  expect(await cliJson(['request', 'list', out])).toMatchObject({
    requests: [{ again, rest: null }],
  });
});

it('an erasure that takes whom a request has back does not say that they are here', async () => {
  await request('--match', 'weather');
  await erase('--yes');
  await lift('--session', 'a-1', '--session', 'a-2');
  await night();
  expect(await show()).toContain('2 conversations of these are archived again');
  expect(await cliJson(['erase', out, '--request', 'L', '--dry-run'])).toMatchObject({ again: [] });
});

it('of whom no export skips it is told how many may be back, and since which commit', async () => {
  interface Listed {
    readonly erasures: { readonly state: string; readonly perhaps_back: object | null }[];
  }
  await request('--user', 'ada');
  await run('erase', out, '--request', 'L', '--yes');
  const told = () => cliJson<Listed>(['erase', out, '--list']);
  expect(await told()).toMatchObject({ erasures: [{ state: 'lifted', perhaps_back: null }] });
  expect((await list()) + (await show())).not.toContain('may be archived again');
  await night();
  const since = Number(/may be archived again since commit (\d+)/.exec(await list())?.[1]);
  expect(since).toBeGreaterThan(1);
  const perhaps = { perhaps_back: { sessions: 2, since } };
  expect(await told()).toMatchObject({ erasures: [perhaps] });
  expect(await list()).toContain(`; up to 2 of these may be archived again since commit ${since}`);
  const text = `up to 2 conversations of these may be archived again since commit ${since}: exports did not skip them, and the log does not say which they are`;
  expect(await show()).toContain(`but ${text}`);
  expect(await cliJson(['request', 'show', out, 'L'])).toMatchObject(perhaps);
  expect((await run('request', 'list', out)).text).toContain(text);
  expect(await cliJson(['request', 'list', out])).toMatchObject({ requests: [perhaps] });
  const closed = await run('request', 'close', out, 'L', '--reason', 'answered', '--by', 'Dana');
  expect(closed.text).toContain(`But ${text}.`);
  await run('erase', out, '--user', 'ada', '--suppress', '--reason', 'r', '--yes');
  expect(await show()).not.toContain('may be archived again');
  expect(await told()).toMatchObject({
    erasures: [{ state: 'lifted', perhaps_back: null }, { state: 'suppressed' }],
  });
  await lift('--user', 'ada');
  expect(await told()).toMatchObject({ erasures: [{}, { state: 'lifted' }] });
  await night();
  expect(await told()).toMatchObject({
    erasures: [{ perhaps_back: { sessions: 2 } }, { state: 'back', perhaps_back: null }],
  });
});

it('what the service did not have any more is not told to be back, whoever is new', async () => {
  people.talk('ben', 'b-2', 'Ben', [{ question: 'Falcon, too' }]);
  people.rig.state.deleteSession('ben', 'b-1');
  await night();
  await run('erase', out, '--session', 'b-1', '--reason', 'r', '--yes');
  people.talk('ada', 'a-3', 'Three', [{ question: 'new weather' }]);
  await night();
  expect(await list()).not.toContain('may be archived again');
  expect(await cliJson(['erase', out, '--list'])).toMatchObject({
    erasures: [{ at_service: 0, perhaps_back: null }],
  });
});
