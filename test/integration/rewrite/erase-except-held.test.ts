/** An erasure around holds: what may be erased goes, what is held stays, and both are counted. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli, cliJson, cliOnTerminal } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
let out: string;
let twin = '';
beforeEach(async () => {
  people = await SearchRig.start();
  [twin = ''] = people.talk('ada', 'a-sales', 'Sales', [
    { question: 'of Falcon' },
    { question: 'the rain' },
  ]);
  people.talk('ada', 'a-rain', 'Rain', [{ question: 'the weather' }]);
  people.talk('ben', 'b-1', 'Ben', [{ question: 'Falcon again' }]);
  await people.rig.archived();
  ({ out } = people.rig);
});
afterEach(() => people[Symbol.asyncDispose]());

const request = (name: string, ...words: string[]) =>
  cli(['request', 'new', out, name, '--reason', 'Art. 17 GDPR', '--by', 'Grace', ...words]);
const hold = (...words: string[]) =>
  cli(['hold', 'add', out, '--reason', 'Matter 9', '--by', 'Dana', ...words]);
const release = (...words: string[]) => [
  'hold',
  'release',
  out,
  '--reason',
  'ended',
  '--by',
  'Dana',
  ...words,
];

describe('erase --except-held', () => {
  it('keeps the held conversation of a person, and says in plan, receipt and request how much', async () => {
    await request('Matter 7', '--user', 'ada');
    await hold('--session', 'a-sales');
    const erase = ['erase', out, '--request', 'Matter 7'];
    expect((await cli([...erase, '--yes'])).exitCode).toBe(7);
    expect(await people.shown()).toEqual(['a-rain', 'a-sales', 'b-1']);
    const plan = (await cli([...erase, '--except-held', '--dry-run'])).stdout;
    expect(plan).toMatch(
      /^Plan, .*: conversation a-rain of user ada \(1 conversation, 1 question, /,
    );
    expect(plan).toMatch(/^ {2}kept +1 conversation, 2 questions on hold; an erasure after /m);
    expect(plan).toContain(
      'On hold, and kept:\n    conversation a-sales of ada (2 questions): the session is on hold\n',
    );
    const done = await cli([...erase, '--except-held', '--yes']);
    expect(done.exitCode).toBe(0);
    expect(await people.shown()).toEqual(['a-sales', 'b-1']);
    const held = { sessions: 1, jobs: 2 };
    expect(await cliJson(['erase', out, '--list'])).toMatchObject({ erasures: [{ held }] });
    expect(await cliJson(['request', 'show', out, 'Matter 7'])).toMatchObject({
      users: ['ada'],
      erasures: [{ sessions: 1, jobs: 1, held }],
    });
    expect((await cli(['request', 'show', out, 'Matter 7'])).stdout).toContain(
      '1 conversation, 1 question, 0 stored files; 1 was still at the service; 1 conversation on hold kept; receipt',
    );
    expect((await cli(['verify', out])).exitCode).toBe(0);
    await cli([...release('--session', 'a-sales'), '--yes']);
    expect((await cli([...erase, '--except-held', '--yes'])).stdout).not.toContain('kept');
    expect(await people.shown()).toEqual(['b-1']);
  });

  it('counts what goes of what a request with words means, and what stays: both add up', async () => {
    await request('Matter 7', '--match', 'falcon');
    await hold('--session', 'a-sales');
    const erase = ['erase', out, '--request', 'Matter 7', '--except-held'];
    const inScope = { in_scope: { jobs: 2, going: 1, held: 1 }, erased: { jobs: 1 } };
    expect(await cliJson([...erase, '--dry-run'])).toMatchObject(inScope);
    const no = await cliOnTerminal(erase, { columns: 1000, stdin: 'n\n' });
    const scope =
      'in scope +2 questions with “falcon”: 1 in conversations that go whole, 1 on hold stays';
    expect(no.stderr).toMatch(new RegExp(scope));
    expect(no.stderr).toContain('permanently (1 conversation on hold stays), for the request');
    const done = await cliJson([...erase, '--yes']);
    expect(done).toMatchObject(inScope);
    expect(await people.shown()).toEqual(['a-rain', 'a-sales']);
  });

  it('takes whole the users of whom nothing is held, and leaves held users alone', async () => {
    await hold('--user', 'ben');
    const erase = ['erase', out, '--user', 'ada', '--user', 'ben', '--except-held'];
    const summary = await cliJson([...erase, '--yes']);
    expect(summary).toMatchObject({
      status: 'erased',
      users: ['ada'],
      held: [{ user: 'ben', session: 'b-1', jobs: 1, why: 'its user is on hold' }],
    });
    expect(await people.shown()).toEqual(['b-1']);
  });

  it('is refused where all of it is held', async () => {
    await hold('--user', 'ben');
    const { exitCode, stderr } = await cli([
      'erase',
      out,
      '--user',
      'ben',
      '--except-held',
      '--yes',
    ]);
    expect([exitCode, stderr]).toEqual([7, expect.stringContaining('user "ben" is not erased')]);
    expect(await people.shown()).toEqual(['a-rain', 'a-sales', 'b-1']);
  });

  it('is proposed only where it would erase something', async () => {
    await hold('--user', 'ben', '--session', 'a-sales');
    const proposed = async (...words: string[]) => {
      const { exitCode, stderr } = await cli(['erase', out, ...words, '--yes']);
      expect([exitCode, stderr]).toEqual([7, expect.stringContaining('hold list')]);
      return stderr.includes('--except-held');
    };
    expect(await proposed('--user', 'ada')).toBe(true);
    expect(await proposed('--user', 'ada', '--user', 'ben')).toBe(true);
    expect(await proposed('--user', 'ben')).toBe(false);
    expect(await proposed('--session', 'a-sales', '--session', 'b-1')).toBe(false);
    expect(await proposed('--user', 'ben', '--except-held')).toBe(false);
  });

  it('a request that is closed before the rest is erased says so, at the close and later', async () => {
    await request('Matter 7', '--user', 'ada');
    await hold('--session', 'a-sales');
    await cli(['erase', out, '--request', 'Matter 7', '--except-held', '--yes']);
    expect((await cli(['status', out])).stdout).toContain('; the rest is on hold');
    const reason = ['--reason', 'done', '--by', 'Grace'];
    const closed = await cli(['request', 'close', out, 'Matter 7', ...reason]);
    const never =
      'something of what it is about was not erased for it, and is on hold: record another';
    expect(closed.stdout.replace(/\s+/g, ' ')).toContain(`But ${never}`);
    const shown = ['request', 'show', out, 'Matter 7'];
    expect((await cli(shown)).stdout.replace(/\s+/g, ' ')).toContain(`but ${never}`);
    expect((await cli(shown)).stdout).not.toContain('erases the rest');
    expect(await cliJson(shown)).toMatchObject({ rest: 'held' });
    await cli([...release('--session', 'a-sales'), '--yes']);
    expect((await cli(shown)).stdout).toContain('though no hold of the archive keeps it any more');
    await cli(['erase', out, '--user', 'ada', '--yes']);
    expect(await cliJson(shown)).toMatchObject({ rest: null });
  });

  it('tells apart what it keeps because somebody else lists it, too', async () => {
    for (const user of ['ada', 'ben']) {
      people.talk(user, 'of-both', 'Both', [{ id: 'j-both', question: 'ours' }]);
    }
    await people.rig.export();
    await request('Matter 7', '--user', 'ada');
    await hold('--session', 'a-sales');
    const erase = ['erase', out, '--request', 'Matter 7', '--except-held'];
    const plan = (await cli([...erase, '--dry-run'])).stdout;
    expect(plan).toMatch(/^ {2}kept +1 conversation, 2 questions on hold; an erasure after /m);
    expect(plan).toMatch(/^ {2}kept +1 conversation, 1 question that somebody else lists, too; /m);
    expect(plan).toContain('conversation of-both of ada (1 question): user "ben" has it, too\n');
    expect(await cliJson([...erase, '--yes'])).toMatchObject({
      held: [{ session: 'a-sales' }],
      shared: [{ user: 'ada', session: 'of-both', jobs: 1 }],
    });
    const kept = { held: { sessions: 1, jobs: 2 }, shared: { sessions: 1, jobs: 1 } };
    expect(await cliJson(['erase', out, '--list'])).toMatchObject({ erasures: [kept] });
    const shown = ['request', 'show', out, 'Matter 7'];
    expect(await cliJson(shown)).toMatchObject({ erasures: [kept] });
    expect((await cli(shown)).stdout).toContain(
      '; 1 conversation on hold kept; 1 conversation kept that somebody else lists, too; receipt',
    );
    await cli([...release('--session', 'a-sales'), '--yes']);
    await cli([...erase, '--yes']);
    expect(await people.shown()).toEqual(['b-1', 'of-both']);
  });

  it('keeps a conversation that somebody else lists too, where only part of a user goes', async () => {
    people.talk('cyd', 'a-rain', 'Rain', [{ question: 'the weather' }]);
    await people.rig.export();
    await hold('--session', 'a-sales');
    const { exitCode, stderr } = await cli([
      'erase',
      out,
      '--user',
      'ada',
      '--except-held',
      '--yes',
    ]);
    expect(exitCode).toBe(7);
    expect(stderr).toContain('session "a-sales" of "ada" is not erased');
  });
});

describe('request new --session', () => {
  it('is about these conversations: holds, packs and erasures take them from it', async () => {
    await request('Matter 8', '--session', 'a-rain');
    await cli(['hold', 'add', out, '--request', 'Matter 8']);
    expect(await cliJson(['hold', 'list', out])).toMatchObject({
      holds: [{ user_id: null, session_id: 'a-rain' }],
    });
    const shown = (await cli(['request', 'show', out, 'Matter 8'])).stdout;
    expect(shown).toMatch(/^ {2}about +conversation a-rain$/m);
    const book = await cliJson(['workbook', out, '--request', 'Matter 8', '--out', `${out}.xlsx`]);
    expect(book).toMatchObject({ user: 'ada', sessions: 1, jobs: 1 });
    await cli([...release('--request', 'Matter 8'), '--yes']);
    expect((await cli(['erase', out, '--request', 'Matter 8', '--yes'])).exitCode).toBe(0);
    expect(await people.shown()).toEqual(['a-sales', 'b-1']);
    expect(await cliJson(['request', 'show', out, 'Matter 8'])).toMatchObject({
      users: [],
      sessions: ['[erased]'],
    });
    const again = await cli(['erase', out, '--request', 'Matter 8', '--yes']);
    expect([again.exitCode, again.stderr]).toEqual([
      2,
      expect.stringContaining('everything that request "Matter 8" is about was erased before'),
    ]);
  });

  it('names users or conversations that the archive has, not both', async () => {
    const both = await request('Matter 8', '--session', 'a-rain', '--user', 'ada');
    expect([both.exitCode, both.stderr]).toEqual([
      2,
      expect.stringContaining('and both are named'),
    ]);
    const unknown = await request('Matter 8', '--session', 'nowhere');
    expect([unknown.exitCode, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('has no session "nowhere"'),
    ]);
  });
});

describe('an open request about a person', () => {
  it('is named by the plan of an erasure that is not for it', async () => {
    await request('Matter 7', '--user', 'Ada', '--user', 'ada').then(({ exitCode }) => {
      expect(exitCode).toBe(2); // the archive has no Ada
    });
    await request('Matter 7', '--session', 'a-rain');
    await request('Matter 8', '--user', 'ben');
    const { open_requests } = await cliJson<{ open_requests: string[] }>([
      ...['erase', out, '--user', 'ada', '--dry-run'],
    ]);
    expect(open_requests).toEqual(['Matter 7']);
    const own = await cli(['erase', out, '--request', 'Matter 7', '--dry-run']);
    expect(own.stdout).not.toContain('open request');
    await cli(['request', 'close', out, 'Matter 7', '--reason', 'answered']);
    expect((await cli(['erase', out, '--user', 'ada', '--dry-run'])).stdout).not.toContain(
      'open request',
    );
  });

  it('is not named where only a conversation in doubt is of the person', async () => {
    people.talk('ben', 'b-twin', 'Twin', [{ id: twin }, { question: 'And then?' }]);
    await people.rig.export();
    await request('Matter 9', '--user', 'ada');
    const plan = await cliJson(['erase', out, '--session', 'b-twin', '--dry-run']);
    expect(plan).toMatchObject({ open_requests: [] });
    const ofAda = await cliJson(['erase', out, '--session', 'a-rain', '--dry-run']);
    expect(ofAda).toMatchObject({ open_requests: ['Matter 9'] });
  });

  it('is named by the question of a release, with what it frees', async () => {
    await request('Matter 7', '--user', 'ada');
    await hold('--user', 'ada');
    await hold('--session', 'a-rain');
    const ofUser = release('--user', 'ada');
    const nobody = await cli(ofUser);
    expect([nobody.exitCode, nobody.stderr]).toEqual([2, expect.stringContaining('pass --yes')]);
    const no = await cliOnTerminal(ofUser, { columns: 1000, stdin: 'n\n' });
    expect(no.exitCode).toBe(7);
    expect(no.stderr).toContain(
      [
        'Plan, nothing is released; would release 1 hold (user ada)',
        'Nothing keeps these any more, and they may be deleted and erased: 1 conversation, 2 questions',
        '    conversation a-sales of ada (2 questions)',
        'Request “Matter 7” is open and about them: what is erased is in nothing that is made for it later.',
        'Release 1 hold? [y/N]',
      ].join('\n'),
    );
    expect((await cliJson<{ holds: object[] }>(['hold', 'list', out])).holds).toMatchObject([
      { released_at: null },
      { released_at: null },
    ]);
    expect(await cliJson([...ofUser, '--dry-run'])).toMatchObject({
      status: 'planned',
      freed: [{ user: 'ada', session: 'a-sales', jobs: 2 }],
      open_requests: ['Matter 7'],
    });
    const yes = await cliOnTerminal(ofUser, { columns: 1000, stdin: 'y\n' });
    expect([yes.exitCode, yes.stdout]).toEqual([0, expect.stringContaining('Released in commit')]);
    const last = await cliJson([...release('--session', 'a-rain'), '--yes']);
    expect(last).toMatchObject({ status: 'released', freed: [{ session: 'a-rain' }] });
  });
});
