/** An erasure for a request takes whom the request is about, is recorded with it, and is in the list of receipts. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openArchiveIn } from '../../../src/archive/open-archive.js';
import { planPath } from '../../../src/archive/paths.js';
import { openArchive } from '../../../src/index.js';
import { openStorage } from '../../../src/storage/open-storage.js';
import { ed25519Pair } from '../../support/base/signing-keys.js';
import { cli, cliJson, cliOnTerminal } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { runOf } from '../../support/store/archive-samples.js';
import { BegunErasure } from '../../support/store/begun-erasure.js';
import { grepArchive } from '../../support/store/grep-archive.js';

let people: SearchRig;
let out: string;
beforeEach(async () => {
  people = await SearchRig.start();
  people.talk('ada', 'ada-sales', 'Sales', [
    { question: 'What of Falcon?' },
    { question: 'the rain' },
  ]);
  people.talk('ada', 'ada-weather', 'Rain', [{ question: 'the weather' }]);
  people.talk('ben', 'b-1', 'Ben', [{ question: 'Falcon again' }]);
  await people.rig.archived();
  ({ out } = people.rig);
});
afterEach(() => people[Symbol.asyncDispose]());

const NAME = 'Matter 7';
const FOR = ['--request', NAME];
const today = new Date().toISOString().slice(0, 10);
const asked = (...words: string[]) =>
  cli(['request', 'new', out, NAME, '--reason', 'Art. 17 GDPR', '--by', 'Grace', ...words]);
const erase = (...words: string[]) => cli(['erase', out, ...FOR, ...words]);
const plain = (text: string) =>
  text
    .replace(/^ +time .*\n/m, '')
    .replaceAll(/\d\d:\d\d UTC/g, 'hh:mm')
    .replaceAll(/[0-9A-HJKMNP-TV-Z]{26}/g, 'RECEIPT');

describe('erase --request', () => {
  it('says whom the request is about, and is refused, like every erasure, by a hold', async () => {
    await asked('--user', 'ada');
    const plan = await erase('--dry-run');
    expect([plan.exitCode, plain(plan.stdout).replace(/\d+ in \d tables/, 'N rows')]).toEqual([
      0,
      [
        `Plan, nothing is erased; would erase: user ada (2 conversations, 3 questions, 0 stored files) of ${out}`,
        '  request  Matter 7',
        '  rows     N rows',
        '  files    0 stored, 0 B, of no other user',
        '  log      reason “Art. 17 GDPR”: this stays for good',
        '    conversation ada-sales of ada (2 questions)',
        '    conversation ada-weather of ada (1 question)',
        'These texts stay in the log; look whether one names the person:',
        '    request: “Matter 7”, “Grace”, “Art. 17 GDPR”',
        '',
        'Delete at the service first: 2 conversations of these are still there, and only',
        'an archive that has a conversation can prove that it may be deleted there.',
        `  jobvault prune ${out} --user ada --all`,
        '',
        'The next export archives again what the service still has of this, unless it is',
        'deleted there or the user is excluded from every export.',
        '',
        'To keep this user out of every later run, give it',
        '  jobvault export … --exclude-user ada',
        'or write into its configuration file',
        '  exclude-user: ["ada"]',
        '',
      ].join('\n'),
    ]);
    const no = await cliOnTerminal(['erase', out, ...FOR], { stdin: 'n\n' });
    expect([no.exitCode, no.stderr]).toEqual([
      7,
      expect.stringContaining(
        `Erase user ada (2 conversations, 3 questions, 0 stored files) from ${out} permanently, for the request Matter 7? [y/N]`,
      ),
    ]);
    await cli(['hold', 'add', out, ...FOR]);
    expect((await erase('--yes')).exitCode).toBe(7);
    expect(await people.shown()).toEqual(['ada-sales', 'ada-weather', 'b-1']);
  });

  it('is recorded with the request: its reason, and the commit of the receipt', async () => {
    await asked('--user', 'ada');
    const done = await cliJson<{ receipt: string }>([
      ...['erase', out, ...FOR, '--yes', '--by', 'Dana'],
    ]);
    expect(done).toMatchObject({ status: 'erased', request: NAME, commits: [3, 4, 5] });
    expect(await people.shown()).toEqual(['b-1']);
    expect(await cliJson(['request', 'show', out, NAME])).toMatchObject({
      users: ['[erased]'],
      erasures: [
        { receipt: done.receipt, commit: 3, by: 'Dana', sessions: 2, jobs: 3, artifacts: 0 },
      ],
    });
    expect(plain((await cli(['request', 'show', out, NAME])).stdout)).toBe(
      [
        'Request Matter 7: open',
        `  asked by  Grace, recorded ${today} hh:mm`,
        '  reason    Art. 17 GDPR',
        '  about     1 erased user',
        '  but       nothing can be made for it any more: everything that it is about was erased',
        '  record    commit 2, not signed',
        `  erasure   ${today} hh:mm by Dana: 2 conversations, 3 questions, 0 stored files; 2 were still at the service; receipt RECEIPT in commit 3`,
        '',
      ].join('\n'),
    );
    expect(await grepArchive(out, ['"ada"', 'ada-sales', 'ada-weather', 'Falcon?'])).toEqual([]);
    // what a snapshot says of the request later is what the log says
    const before = await cliJson<object>(['request', 'show', out, NAME]);
    for (const question of ['one', 'two', 'three', 'four']) {
      people.talk('ben', 'b-1', 'Ben', [{ question }]);
      await people.rig.export();
    }
    expect(await people.rig.files('_snapshots/')).not.toEqual([]);
    // of whom no export skips, something may be back
    expect(await cliJson(['request', 'show', out, NAME])).toEqual({
      ...before,
      perhaps_back: { sessions: 2, since: 6 },
    });
    expect(await cliJson(['status', out])).toMatchObject({
      open_requests: [{ lost: 'whom', rest: null, again: [], perhaps_back: { sessions: 2 } }],
    });
    const state =
      /1 erasure; nothing can be made .* erased; but up to 2 conversations of these may be archived again since commit 6: exports did not skip them/;
    for (const words of [
      ['request', 'list', out],
      ['status', out],
    ]) {
      expect((await cli(words)).stdout.replaceAll(/\s+/g, ' ')).toMatch(state);
    }
    expect((await cli(['verify', out])).exitCode).toBe(0);
    const again = await erase('--yes');
    expect([again.exitCode, again.stderr]).toEqual([
      2,
      expect.stringContaining(
        'everything that request "Matter 7" is about was erased before, but up to 2 conversations of these may be archived again since commit 6: exports did not skip them, and the log does not say which they are; jobvault request show names the receipts',
      ),
    ]);
    for (const made of ['evidence', 'report', 'workbook.xlsx']) {
      const words = [made.replace('.xlsx', ''), out, '--out', join(people.rig.directory, made)];
      const { exitCode, stderr } = await cli([...words, ...FOR]);
      const [sentence] = again.stderr.split('\n');
      expect([made, exitCode, stderr.split('\n')[0]]).toEqual([made, again.exitCode, sentence]);
    }
    const close = ['--reason', 'answered', '--by', 'Dana'];
    expect((await cli(['request', 'close', out, NAME, ...close])).stdout).toMatch(
      /^Closed in commit \d+: request Matter 7\nBut up to 2 conversations of these may be archived again since commit 6: /,
    );
  });

  it('is finished by the same command where its run died after the receipt', async () => {
    await asked('--user', 'ada');
    const storage = await openStorage(out);
    const ada = { users: ['ada'], sessions: [] };
    await new BegunErasure(await openArchiveIn(storage), ada).begin();
    await storage.close();
    const again = await erase('--yes');
    expect([again.exitCode, again.stderr]).toEqual([
      2,
      expect.stringContaining('everything that request "Matter 7" is about was erased before'),
    ]);
    expect(await grepArchive(out, ['"ada"', 'ada-sales', 'ada-weather', 'Falcon?'])).toEqual([]);
    expect(await people.rig.files('_erasures/')).toEqual([]);
    expect((await cli(['verify', out])).exitCode).toBe(0);
  });

  it("takes whom the request is about where its dead run's plan is lost", async () => {
    await asked('--user', 'ada');
    const storage = await openStorage(out);
    const ada = { users: ['ada'], sessions: [] };
    await new BegunErasure(await openArchiveIn(storage), ada).begin();
    await storage.delete(planPath(runOf('E')));
    await storage.close();
    expect((await erase('--yes')).exitCode).toBe(0);
    expect(await grepArchive(out, ['"ada"', 'ada-sales', 'ada-weather', 'Falcon?'])).toEqual([]);
    expect((await cli(['verify', out])).exitCode).toBe(0);
  });

  it('takes the sessions with jobs of the words and the period, whole, and says so', async () => {
    await asked('--match', 'falcon', '--to', '2026-12');
    const { exitCode, stdout } = await erase('--dry-run');
    expect([exitCode, plain(stdout).split('\n').slice(0, 3)]).toEqual([
      0,
      [
        `Plan, nothing is erased; would erase: 2 conversations, 3 questions, 0 stored files of ${out}`,
        '  request   Matter 7',
        '  in scope  2 questions with “falcon” to 2026-12; their conversations go whole',
      ],
    ]);
    expect(plain(stdout).split('\n').slice(8, 10)).toEqual([
      'These texts stay in the log; look whether one names the person:',
      '    request: “Matter 7”, “Grace”, “Art. 17 GDPR”, “falcon”',
    ]);
    expect((await erase('--yes')).exitCode).toBe(0);
    expect(await people.shown()).toEqual(['ada-weather']);
    const nothing = await erase('--yes');
    expect([nothing.exitCode, nothing.stderr]).toEqual([
      2,
      expect.stringContaining(
        'nothing to erase: no job is found with “falcon” to 2026-12 for request "Matter 7"',
      ),
    ]);
  });

  it("of sessions lists users and words that the request keeps, and a released hold's user", async () => {
    await asked('--user', 'ada', '--match', 'falcon');
    const held = ['--user', 'ada', '--reason', 'Case 4', '--by', 'Dana'];
    await cli(['hold', 'add', out, ...held]);
    await cli([
      'hold',
      'release',
      '--yes',
      out,
      '--user',
      'ada',
      '--reason',
      'settled',
      '--by',
      'Dana',
    ]);
    const { exitCode, stdout } = await erase('--yes');
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      [
        'These texts stay in the log; look whether one names the person:',
        '    request: “Matter 7”, “Grace”, “Art. 17 GDPR”, “ada”, “falcon”',
        '    hold: “Case 4”, “Dana”, “settled”, “ada”',
        '',
      ].join('\n'),
    );
    expect(await grepArchive(out, ['ada-sales'])).toEqual([]);
  });

  it('of sessions lists the words of every search that the log keeps about them or everybody', async () => {
    await asked('--user', 'ada');
    const search = ['search', out, '--request'];
    await cli([...search, NAME, '"Ada Lovelace" salary', '--by', 'Dana']);
    await cli([...search, NAME, 'rain', '--by', 'Dana']);
    const others = ['--reason', 'yearly', '--by', 'Grace', '--match', 'lovelace'];
    await cli(['request', 'new', out, 'Audit', ...others]);
    await cli([...search, 'Audit', '--by', 'Eve']);
    const kept = [
      'These texts stay in the log; look whether one names the person:',
      '    request: “Matter 7”, “Grace”, “Art. 17 GDPR”, “Dana”, “ada”, “"Ada Lovelace" salary”, “rain”',
      '    request: “Audit”, “Grace”, “yearly”, “Eve”, “lovelace”',
      '',
    ].join('\n');
    const one = ['erase', out, '--session', 'ada-weather'];
    expect((await cli([...one, '--dry-run'])).stdout).toContain(kept);
    const done = await cli([...one, '--yes']);
    expect([done.exitCode, done.stdout]).toEqual([0, expect.stringContaining(kept)]);
    expect((await cli(['request', 'show', out, NAME])).stdout).toContain('“"Ada Lovelace" salary”');
    // with the whole user go the words of what was about that user alone
    const all = await erase('--yes');
    expect([all.exitCode, all.stdout]).toEqual([
      0,
      expect.stringContaining(
        [
          'These texts stay in the log; look whether one names the person:',
          '    request: “Matter 7”, “Grace”, “Art. 17 GDPR”, “Dana”',
          '    request: “Audit”, “Grace”, “yearly”, “Eve”, “lovelace”',
          '',
        ].join('\n'),
      ),
    ]);
    expect(await grepArchive(out, ['Ada Lovelace'])).toEqual([]);
    expect(await grepArchive(out, ['lovelace'])).not.toEqual([]);
  });

  it('leaves a job of unknown date until --undated says what becomes of it, exit code 3', async () => {
    people.talk('ada', 'a-3', 'Third', [{ question: 'Falcon undated', id: 'without-time' }]);
    await people.rig.export();
    await asked('--match', 'falcon', '--to', '2026-12');
    const { exitCode, stdout } = await erase('--dry-run');
    expect([exitCode, stdout]).toEqual([
      3,
      expect.stringContaining(
        '  left out  1 question whose date is unknown; --undated include takes it in',
      ),
    ]);
    const included = await erase('--dry-run', '--undated', 'include');
    expect([included.exitCode, included.stdout]).toEqual([
      0,
      expect.stringContaining('would erase: 3 conversations'),
    ]);
    expect(included.stdout).toContain('  included  1 question whose date is unknown\n');
  });

  it.each(['--dry-run', '--yes'])(
    'where every job that is found has an unknown date, is no answer that nothing is there: %s',
    async (how) => {
      const undated = ['one', 'two'].map((id) => ({
        question: 'Osprey',
        id: `${id}-without-time`,
      }));
      people.talk('ada', 'a-3', 'Third', undated);
      await people.rig.export();
      await asked('--match', 'osprey', '--to', '2026-12');
      const { exitCode, stdout } = await erase(how);
      expect([exitCode, stdout]).toEqual([
        3,
        [
          `Nothing is erased of ${out}: nothing tells of any question that is found whether it is meant`,
          '  request   Matter 7',
          '  in scope  0 questions with “osprey” to 2026-12',
          '  left out  2 questions whose date is unknown; --undated include takes them in; until that or --undated exclude is given, the exit code is 3',
          '',
        ].join('\n'),
      ]);
      expect(await people.shown()).toContain('a-3');
      const excluded = await erase(how, '--undated', 'exclude');
      expect([excluded.exitCode, excluded.stderr]).toEqual([
        2,
        expect.stringContaining(
          'for request "Matter 7"; excluded: 2 questions whose date is unknown',
        ),
      ]);
    },
  );

  it('says how many jobs of unknown date go all the same, with their session', async () => {
    const undated = { question: 'Osprey', id: 'without-time' };
    people.talk('ada', 'a-3', 'Third', [undated, { question: 'Osprey dated' }]);
    people.talk('ada', 'a-4', 'Fourth', [{ ...undated, id: 'another-one' }]);
    await people.rig.export();
    await asked('--match', 'osprey', '--to', '2026-12');
    const { exitCode, stdout } = await erase('--dry-run');
    expect([exitCode, plain(stdout).split('\n').slice(2, 5)]).toEqual([
      3,
      [
        '  in scope     1 question with “osprey” to 2026-12; their conversations go whole',
        expect.stringMatching(
          /^ {2}left out {5}1 question whose date is unknown; --undated include /,
        ),
        '  taken along  1 question whose date is unknown, in conversations that go whole',
      ],
    ]);
    await cli(['erase', out, '--session', 'a-4', '--yes']);
    const nobodyLeft = await erase('--yes');
    expect([nobodyLeft.exitCode, nobodyLeft.stdout.includes('left out')]).toEqual([0, false]);
  });

  it.each([
    [[], ['--user', 'ada'], 'says who and what is meant; leave out --user'],
    [
      [],
      [],
      'request "Matter 7" is about everybody, so it does not say who is erased; give users or sessions without --request',
    ],
    [['--user', 'ada'], ['--undated', 'include'], '--undated is about jobs that a period'],
  ])('of a request about %j with %j is refused', async (about, words, message) => {
    await asked(...about);
    const { exitCode, stderr } = await erase('--yes', ...words);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('is refused once the request is closed, or where its reason names whom it erases', async () => {
    await cli(['request', 'new', out, NAME, '--user', 'ada', '--reason', 'for ada', '--by', 'G']);
    const named = await erase('--yes');
    expect([named.exitCode, named.stderr]).toEqual([
      2,
      expect.stringContaining(
        'the reason, which is that of the request, has “ada”, which names what is to be erased, and the receipt stays for good; give --reason without it',
      ),
    ]);
    await cli(['request', 'close', out, NAME, '--reason', 'answered', '--by', 'Dana']);
    const closed = await erase('--yes', '--reason', 'Art. 17');
    expect([closed.exitCode, closed.stderr]).toEqual([
      2,
      expect.stringContaining(
        `request "Matter 7" was closed on ${today} by Dana; nothing is erased for a request that is closed: record another one with the same users, words and period, and erase for that before it is closed\n`,
      ),
    ]);
  });

  it('of words that an erasure took away is refused', async () => {
    await asked('--user', 'ada', '--user', 'ben', '--match', 'falcon');
    await cli(['erase', out, '--user', 'ben', '--yes']);
    const { exitCode, stderr } = await erase('--yes');
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining(
        'the words of request "Matter 7" went with somebody who was erased; record another request',
      ),
    ]);
  });
});

it('erase --list has each receipt: when, how much, why, for which request, signed or not', async () => {
  expect((await cli(['erase', out, '--list'])).stdout).toBe(`${out} has no erasures.\n`);
  await asked('--user', 'ada');
  await erase('--yes', '--by', 'Dana');
  const key = join(people.rig.directory, 'key.pem');
  await writeFile(key, ed25519Pair().privateKey, { mode: 0o600 });
  const signed = ['--signing-key', key, '--start-signing', '--by', 'Grace'];
  await cli(['erase', out, '--session', 'b-1', '--yes', ...signed]);
  const { exitCode, stdout } = await cli(['erase', out, '--list']);
  expect([exitCode, plain(stdout).replaceAll(/[0-9a-f]{16}…/g, 'KEY…')]).toEqual([
    0,
    [
      'commit  at                    erased                                                                     by     reason        request   signed             receipt',
      `3       ${today} hh:mm  2 conversations, 3 questions, 0 stored files; 2 were still at the service  Dana   Art. 17 GDPR  Matter 7  no                 RECEIPT`,
      `6       ${today} hh:mm  1 conversation, 1 question, 0 stored files; 1 was still at the service     Grace                          KEY…  RECEIPT`,
      '',
    ].join('\n'),
  ]);
  expect(await cliJson(['erase', out, '--list'])).toMatchObject({
    erasures: [
      {
        ...{ commit: 3, finished: 4, reason: 'Art. 17 GDPR', request: NAME },
        ...{ asked: { users: 1, sessions: 0 }, erased: { sessions: 2, jobs: 3 } },
        ...{ signed_by: null, by: 'Dana' },
      },
      {
        commit: 6,
        by: 'Grace',
        finished: 7,
        request: null,
        signed_by: expect.stringMatching(/^\w{64}$/),
      },
    ],
  });
  await using archive = await openArchive(out);
  expect(await archive.erasures()).toMatchObject([{ commit: 3 }, { commit: 6 }]);
});

it('erase --list erases nothing', async () => {
  const { exitCode, stderr } = await cli(['erase', out, '--list', '--user', 'ada', '--yes']);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining('--list shows what was erased and erases nothing; leave out --user'),
  ]);
  expect(await people.shown()).toEqual(['ada-sales', 'ada-weather', 'b-1']);
});
