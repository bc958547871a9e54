/** Whoever lists a conversation of a user on hold is held, too: whatever tells of holds says so, and why. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openArchive } from '../../../src/index.js';
import { cli, cliJson, type CliRun } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
let out: string;
let added: CliRun;
const WHY =
  'lena counts as the same person as tom, on hold: they have conversations in common, directly or through other users';

beforeAll(async () => {
  people = await SearchRig.start();
  people.talk('tom', 's-both', 'Sales', [{ id: 'j-1', question: 'What of Falcon?' }]);
  people.talk('lena', 's-both', 'Sales', [{ id: 'j-1', question: 'What of Falcon?' }]);
  people.talk('lena', 's-lena', 'Plans', [{ id: 'j-2', question: 'Plans of Falcon' }]);
  people.talk('ben', 's-ben', 'Costs', [{ id: 'j-3', question: 'Costs of Falcon' }]);
  await people.rig.archived();
  ({ out } = people.rig);
  for (const name of ['Matter 7', 'Matter 9']) {
    await cli(['request', 'new', out, name, '--user', 'lena', '--reason', name, '--by', 'Grace']);
  }
  added = await cli(['hold', 'add', out, '--user', 'tom', '--reason', 'audit', '--by', 'Dana']);
});
afterAll(() => people[Symbol.asyncDispose]());

it('the program itself goes by it: what is on hold is not erased', async () => {
  const { exitCode, stderr } = await cli(['erase', out, '--yes', '--user', 'lena']);
  expect([exitCode, stderr]).toEqual([7, expect.stringContaining('counts as the same person')]);
});

it('hold add says whom it holds beside the user that it names', () => {
  expect(added.stdout).toContain(
    '\nHeld with them, as they count as the same person by conversations in common, directly or through other users: user lena\n',
  );
});

it('hold list', async () => {
  const { stdout } = await cli(['hold', 'list', out]);
  expect(stdout).toContain('user tom, with lena as the same person');
  expect(await cliJson(['hold', 'list', out])).toMatchObject({
    holds: [{ user_id: 'tom', same_persons: ['lena'] }],
  });
});

it('the status of a user', async () => {
  const { stdout } = await cli(['status', out, '--user', 'lena']);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(WHY);
  const told = async (user: string) => {
    const { details } = await cliJson<{ details: { holds: unknown[] }[] }>([
      'status',
      out,
      '--user',
      user,
    ]);
    return details.map(({ holds }) => holds);
  };
  expect(await told('lena')).toMatchObject([[{ user_id: 'tom', reason: 'audit' }]]);
  expect(await told('ben')).toEqual([[]]);
});

it('a list of conversations marks them, and one of them tells it', async () => {
  await using archive = await openArchive(out);
  const { sessions } = await archive.sessions({ users: ['lena', 'ben'] });
  const held = new Map(sessions.map((one) => [one.session_id, one.held]));
  expect(Object.fromEntries(held)).toEqual({ 's-both': true, 's-lena': true, 's-ben': false });
  const { caveats } = await archive.show('s-lena');
  expect(caveats.filter(({ kind }) => kind === 'hold')).toMatchObject([{ count: 1 }]);
});

it('a pack: on its first page, in index.csv, in holds.csv, in the transcript', async () => {
  const { pack } = await handOver(people.rig, '--user', 'lena');
  const rows = await pack.page('index');
  expect(rows.map((row) => row['on_hold'])).toEqual(['yes', 'yes']);
  expect(await pack.page('holds')).toMatchObject([{ user_id: 'tom', reason: 'audit' }]);
  expect(await pack.text('data/index.html')).toContain(`(asked by Dana); ${WHY}`);
  const transcript = rows.find((row) => row['session_id'] === 's-lena')?.['transcript'];
  expect(await pack.text(String(transcript))).toContain(WHY);
});

it('a report and a workbook', async () => {
  const report = join(people.rig.directory, 'report');
  await cli(['report', out, '--out', report, '--user', 'lena', '--user', 'ben']);
  const page = await readFile(join(report, 'index.html'), 'utf8');
  expect(page).toContain('1 hold binds what is here');
  expect(page).toContain(WHY);
  const sessions = await Promise.all(
    [1, 2, 3].map((number) => readFile(join(report, `data/s/${number}.js`), 'utf8')),
  );
  const isHeld = (text: string) => [/s-(both|lena|ben)/.exec(text)?.[1], text.includes(WHY)];
  expect(Object.fromEntries(sessions.map(isHeld))).toEqual({ both: true, lena: true, ben: false });
  const file = join(people.rig.directory, 'lena.xlsx');
  const made = await cliJson<{ caveats: { kind: string }[] }>([
    'workbook',
    out,
    '--out',
    file,
    '--user',
    'lena',
  ]);
  expect(made.caveats.map(({ kind }) => kind)).toContain('hold');
});

it('what is made for another request does not say whose hold it is', async () => {
  await cli(['hold', 'release', '--yes', out, '--user', 'tom', '--reason', 'anew']);
  const words = ['--request', 'Matter 9', '--user', 'tom', '--by', 'Dana'];
  await cli(['hold', 'add', out, ...words, '--reason', 'secret-audit']);
  const { pack } = await handOver(people.rig, '--request', 'Matter 7', '--by', 'Grace');
  expect((await pack.page('index')).map((row) => row['on_hold'])).toEqual(['yes', 'yes']);
  expect(await pack.text('data/README.txt')).toContain('1 hold of another matter binds');
  for (const secret of ['secret-audit', WHY]) expect(await pack.filesWith(secret)).toEqual([]);
});
