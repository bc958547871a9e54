/** Whom an erasure suppresses does not come back with the next export, and nobody who is held is missed for it (I-68). */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli, cliJson, cliOnTerminal } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { grepArchive } from '../../support/store/grep-archive.js';

let people: SearchRig;
let out: string;
beforeEach(async () => {
  people = await SearchRig.start();
  people.talk('ada', 'a-sales', 'Sales', [{ question: 'of Falcon' }]);
  people.talk('ada', 'a-rain', 'Rain', [{ question: 'the weather' }]);
  people.talk('ben', 'b-1', 'Ben', [{ question: 'Falcon again' }]);
  await people.rig.archived();
  ({ out } = people.rig);
});
afterEach(() => people[Symbol.asyncDispose]());

const erase = (...words: string[]) => cli(['erase', out, '--yes', '--suppress', ...words]);
const night = (...users: string[]) => exported(users.length === 0 ? ['ada', 'ben'] : users);
const exported = (users: readonly string[], ...words: string[]) => {
  const named = users.flatMap((user) => ['--user', user]);
  const service = ['--base-url', people.rig.emulator.baseUrl, '--allow-private-network'];
  return cliJson<{ users: object; sessions: object; suppressed?: object }>([
    ...['export', '--out', out, ...named, ...service, ...words],
  ]);
};

describe('erase --suppress', () => {
  it('of a person: the next exports skip every spelling of it, and count who was skipped', async () => {
    const done = await erase('--user', 'ada', '--reason', 'Art. 17');
    expect([done.exitCode, done.stdout]).toEqual([
      0,
      expect.stringContaining('No export into this archive archives them again'),
    ]);
    expect(await night()).toMatchObject({ suppressed: { users: 1, sessions: 0 } });
    expect(await night('ADA', 'ben')).toMatchObject({ suppressed: { users: 1, sessions: 0 } });
    expect(await people.shown()).toEqual(['b-1']);
    expect(await grepArchive(out, ['a-sales', '"ADA"'])).toEqual([]);
    const receipts = await cliJson(['erase', out, '--list']);
    expect(receipts).toMatchObject({ erasures: [{ suppressed: { users: 1, users_held: 0 } }] });
    expect((await cli(['erase', out, '--list'])).stdout).toContain('; not to come back');
    expect((await cli(['verify', out])).exitCode).toBe(0);
  });

  it('of a conversation: the next exports skip it alone, and the person is not never seen', async () => {
    await erase('--session', 'a-sales');
    const second = await night();
    expect(second).toMatchObject({ suppressed: { users: 0, sessions: 1 }, never_seen: [] });
    expect(await people.shown()).toEqual(['a-rain', 'b-1']);
    const status = ['status', out, '--user', 'ada'];
    expect(await cliJson(status)).toMatchObject({
      details: [{ last_listing: { listed: 1, total_items: 2, suppressed: 1 } }],
    });
    expect((await cli(status)).stdout).toMatch(
      /: 1 conversation listed, 2 announced, all of them archived; 1 more skipped \(suppressed\)/,
    );
    await erase('--session', 'a-rain');
    expect(await night()).toMatchObject({ suppressed: { sessions: 2 }, never_seen: [], gaps: [] });
    expect(await people.shown()).toEqual(['b-1']);
  });

  it('of one whom an export that is running has not read yet: it skips the person, too', async () => {
    let erased: string | undefined;
    people.rig.emulator.faults.beforeRequest = async ({ operation, userId: first }) => {
      if (erased !== undefined || operation !== 'listSessions' || first === undefined) return;
      erased = first === 'ada' ? 'ben' : 'ada';
      await erase('--user', erased, '--no-wait');
    };
    const summary = await exported(['ada', 'ben'], '--concurrency', '1');
    expect(summary).toMatchObject({ suppressed: { users: 1, sessions: 0 } });
    expect(await cliJson(['erase', out, '--list'])).toMatchObject({
      erasures: [{ suppressed: { users: 1, sessions: 0 } }],
    });
    expect(await people.shown()).toEqual(erased === 'ada' ? ['b-1'] : ['a-rain', 'a-sales']);
  });

  it('of a person whom a list still names: the lap of the exports goes on behind the person', async () => {
    await erase('--user', 'ada');
    const list = join(people.rig.directory, 'users.txt');
    await writeFile(list, 'ada\nben\n');
    const laps = async () => {
      await exported([], '--users-file', list);
      const status = await cliJson<{ laps: { number: number }[] }>(['status', out]);
      return status.laps.map(({ number }) => number);
    };
    const [first = 0] = await laps();
    expect(await laps()).toEqual([first + 1]);
  });

  it('is told of by an export for people', async () => {
    await erase('--user', 'ada');
    const service = ['--base-url', people.rig.emulator.baseUrl, '--allow-private-network'];
    const { stdout } = await cli(['export', '--out', out, '--user', 'ada', ...service]);
    expect(stdout).toMatch(
      /^ {2}skipped +1 user: suppressed, a user in every spelling \(erase --unsupp/m,
    );
  });

  it('says in its plan to delete at the service first, and how', async () => {
    const plan = await cli(['erase', out, '--user', 'ada', '--suppress', '--dry-run']);
    expect(plan.stdout).toContain(
      'Delete at the service first: 2 conversations of these are still there',
    );
    expect(plan.stdout).toContain(`\n  jobvault prune ${out} --user ada --all\n`);
    const one = await cli(['erase', out, '--session', 'b-1', '--dry-run']);
    expect(one.stdout).toContain(`\n  jobvault prune ${out} --session b-1\n`);
  });

  it('stays in force for a reader that begins with a snapshot, and after another erasure', async () => {
    await erase('--user', 'ada');
    await night('ben');
    await cli(['erase', out, '--yes', '--session', 'b-1']);
    expect(await night('ada')).toMatchObject({ suppressed: { users: 1 } });
  });

  it('refuses a hold on whom exports skip, until it is ended', async () => {
    await erase('--user', 'ada');
    await erase('--session', 'b-1');
    const subject = ['--reason', 'Matter 9', '--by', 'D'];
    const hold = (...words: string[]) => ['hold', 'add', out, ...subject, ...words];
    for (const words of [
      ['--user', 'Ada'],
      ['--session', 'b-1'],
    ]) {
      const { exitCode, stderr } = await cli(hold(...words));
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('exports skip')]);
    }
    const lift = ['erase', out, '--unsuppress', '--yes', '--by', 'Dana'];
    await cli([...lift, '--user', 'ada', '--reason', 'Matter 9']);
    expect((await cli(hold('--user', 'ada', '--allow-unknown-holds'))).exitCode).toBe(0);
  });
});

it('a conversation that exports skip is archived while its user is on hold', async () => {
  await erase('--session', 'a-sales', '--session', 'b-1');
  const subject = ['--user', 'Ada', '--reason', 'Matter 9', '--by', 'D'];
  expect((await cli(['hold', 'add', out, ...subject])).exitCode).toBe(0);
  expect(await night()).toMatchObject({ suppressed: { users: 0, sessions: 1 } });
  expect(await people.shown()).toEqual(['a-rain', 'a-sales']);
});

describe('erase --unsuppress', () => {
  const lift = (...words: string[]) =>
    cli(['erase', out, '--unsuppress', '--yes', '--by', 'Dana', ...words]);

  it('says that what was suppressed without its user stays so', async () => {
    await erase('--session', 'a-sales');
    await erase('--user', 'ada');
    const { stdout } = await lift('--user', 'ada', '--reason', 'asked for again');
    expect(stdout).toMatch(/of it\.\n1 conversation that was erased and suppressed without/);
    expect(await night()).toMatchObject({ suppressed: { users: 0, sessions: 1 } });
    expect(await people.shown()).toEqual(['a-rain', 'b-1']);
  });

  it('lets the next export archive the person again', async () => {
    await erase('--user', 'ada');
    const { exitCode, stdout } = await lift('--user', 'ADA', '--reason', 'asked for again');
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Lifted in commit \d+: the next export archives again what the service still has of it\.\n$/,
      ),
    ]);
    const { suppressed } = await night();
    expect(suppressed).toBeUndefined();
    expect(await people.shown()).toEqual(['a-rain', 'a-sales', 'b-1']);
    expect((await cli(['verify', out])).exitCode).toBe(0);
  });

  it('shows a plan and asks, as --suppress-only does', async () => {
    await erase('--user', 'ada');
    const words = ['erase', out, '--unsuppress', '--user', 'ada', '--by', 'Dana', '--reason', 'x'];
    const plan = await cli([...words, '--dry-run']);
    expect([plan.exitCode, plan.stdout]).toEqual([
      0,
      'Plan, nothing is recorded; exports would archive user ada in every spelling again, as far as the service still has it\n',
    ]);
    const planned = { status: 'planned', commit: null, users: ['ada'], lifted: 1 };
    expect(await cliJson([...words, '--dry-run'])).toMatchObject(planned);
    const unasked = await cli(words);
    expect([unasked.exitCode, unasked.stderr]).toEqual([
      2,
      expect.stringContaining('pass --yes, or --dry-run to see the plan'),
    ]);
    const no = await cliOnTerminal(words, { stdin: 'n\n' });
    expect([no.exitCode, no.stdout]).toEqual([
      7,
      expect.stringContaining('Nothing was recorded; exports would have archived user ada'),
    ]);
    expect(no.stderr).toContain('archive user ada in every spelling again? [y/N]');
    expect(await night()).toMatchObject({ suppressed: { users: 1 } });
  });

  it.each([
    [['--user', 'ben', '--reason', 'x'], 'do not skip user "ben"'],
    [['--reason', 'x'], 'nothing is named that exports are to archive again'],
    [['--user', 'ben'], '--unsuppress needs --reason'],
    [['--user', 'ben', '--reason', 'x', '--suppress'], '--unsuppress erases nothing'],
  ])('refuses %j with exit code 2', async (words, told) => {
    const { exitCode, stderr } = await lift(...words);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(told)]);
  });
});
