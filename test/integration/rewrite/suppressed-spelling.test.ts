/** A suppression is of every spelling of a user (I-68): who stays in the archive under another one is told to be read no more. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
let out: string;
beforeEach(async () => {
  people = await SearchRig.start();
  people.talk('tom', 't-1', 'Trips', [{ question: 'of Falcon' }]);
  people.talk('Tom', 'T-1', 'Cars', [{ question: 'more of Falcon' }]);
  people.talk('ben', 'b-1', 'Ben', [{ question: 'Falcon again' }]);
  await people.rig.archived();
  ({ out } = people.rig);
});
afterEach(() => people[Symbol.asyncDispose]());

const erasing = () => ['erase', out, '--user', 'tom', '--suppress', '--reason', 't'];
const night = (...words: string[]) => {
  const service = ['--base-url', people.rig.emulator.baseUrl, '--allow-private-network'];
  const users = ['tom', 'Tom', 'ben'].flatMap((user) => ['--user', user]);
  return cli(['export', '--out', out, ...users, ...service, ...words]);
};
const NOT_READ = '1 user is not read any more';

it('plan and result of an erasure say that another spelling is skipped, too', async () => {
  const told =
    'Exports skip user Tom as well, as another spelling: what is archived of it stays, and nothing new of it is archived.';
  expect((await cli([...erasing(), '--dry-run'])).stdout).toContain(told);
  expect((await cli([...erasing(), '--yes'])).stdout).toContain(told);
});

it('JSON of an erasure names the other spelling that is skipped', async () => {
  const suppressed = { users: ['tom'], other_spellings: ['Tom'] };
  expect(await cliJson([...erasing(), '--dry-run'])).toMatchObject({ suppressed });
  const both = [...erasing(), '--user', 'Tom', '--dry-run'];
  expect(await cliJson(both)).toMatchObject({
    suppressed: { users: ['tom', 'Tom'], other_spellings: [] },
  });
});

it('each receipt says that its suppression is over, of spellings that were erased apart', async () => {
  await cli([...erasing(), '--yes']);
  await cli(['erase', out, '--user', 'Tom', '--suppress', '--reason', 't', '--yes']);
  const list = async () => (await cli(['erase', out, '--list'])).stdout.replaceAll(/ +/g, ' ');
  expect(await list()).not.toContain('now none');
  const lift = [
    'erase',
    out,
    '--unsuppress',
    '--yes',
    '--user',
    'TOM',
    '--reason',
    'r',
    '--by',
    'Dana',
  ];
  expect(await cliJson(lift)).toMatchObject({ lifted: 1 });
  const ended = { suppressed: { users: 1 }, suppression_ended: { users: 1, sessions: 0 } };
  expect(await cliJson(['erase', out, '--list'])).toMatchObject({ erasures: [ended, ended] });
  expect(await list()).toMatch(/(not to come back \(now none of these\)[^]*){2}/);
  expect(await list()).toContain(' 1 user may come back');
  await night();
  expect((await cli(['show', out])).stdout).toContain('Trips');
  expect((await cli(['verify', out])).exitCode).toBe(0);
});

it('an export calls nobody erased whom it skips in another spelling', async () => {
  await cli([...erasing(), '--yes']);
  const text = '2 users: suppressed, a user in every spelling (erase --unsuppress ends that)';
  for (const words of [['--dry-run'], []]) {
    const { stdout } = await night(...words);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(text);
    expect(stdout).not.toContain('erased');
  }
});

it('status, a search and what is made know that the other spelling is not read any more', async () => {
  await cli([...erasing(), '--yes']);
  await night();
  const status = await cliJson<ArchiveStatus>(['status', out]);
  expect([status.users.skipped, status.skipped]).toEqual([1, ['Tom']]);
  const shown = async () => (await cli(['status', out])).stdout;
  expect(await shown()).toMatch(/note +1 user is not read any more: .*\n +- Tom\n/);
  for (const words of [
    ['status', out, '--user', 'Tom'],
    ['search', out, 'Falcon'],
    ['show', out],
  ]) {
    expect([words, (await cli(words)).stdout]).toEqual([words, expect.stringContaining(NOT_READ)]);
  }
  const ofBen = await cli(['status', out, '--user', 'ben']);
  expect(ofBen.stdout).not.toContain(NOT_READ);
  await cli([
    'erase',
    out,
    '--unsuppress',
    '--yes',
    '--user',
    'tom',
    '--reason',
    'r',
    '--by',
    'Dana',
  ]);
  expect(await shown()).not.toContain(NOT_READ);
});
