/** Whatever is made about a user says where the archive also has the user in another spelling, of whom nothing is in it. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openArchive, type Caveat } from '../../../src/index.js';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import type { UserDetail } from '../../../src/cli/output/reports/user-status-report.js';
import { TOOLS } from '../../../src/mcp/tools.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { fault } from '../../support/base/fault.js';

let people: SearchRig;
let out: string;
/** As somebody types `Mu\u0308ller` on another machine: it looks the same. */
const APART = 'mu\u0308ller';
const WHO = 'user AnaBel: another spelling of a user named here; if it is the same person,';
const ABOUT = ['--reason', 'Art. 15 GDPR', '--by', 'Grace'];

beforeAll(async () => {
  people = await SearchRig.start();
  people.talk('anabel', 's1', 'Sales', [{ question: 'What of Falcon?' }]);
  people.talk('AnaBel', 's2', 'From my phone', [{ question: 'Delete the minutes of Falcon' }]);
  people.talk('ben', 's3', 'Costs', [{ question: 'Costs of Falcon' }]);
  people.talk('eva', 's6', 'Plans', [{ id: 'j-6', question: 'Plans of Falcon' }]);
  people.talk('Eva', 's6', 'Plans', [{ id: 'j-6', question: 'Plans of Falcon' }]);
  people.talk('Eva', 's7', 'More plans', [{ question: 'More' }]);
  people.talk('EVA', 's8', 'Whose?', [{ question: 'Whose?' }]);
  people.talk('müller', 's4', 'M', [{ question: 'One' }]);
  people.talk(APART, 's5', 'M', [{ question: 'Two' }]);
  await people.rig.archived();
  ({ out } = people.rig);
  const asked = await cli(['request', 'new', out, 'M 1', '--user', 'anabel', ...ABOUT]);
  expect(asked.stdout).toBe(
    `Recorded in commit 2: request M 1 about anabel\nNot in it: ${WHO} close this request and record another that names both\n`,
  );
});
afterAll(() => people[Symbol.asyncDispose]());

/** What is told to whoever runs the command. */
const TOLD = {
  kind: 'other_spelling',
  severity: 'doubt',
  count: 1,
  named: ['AnaBel'],
  open: false,
};

it('a request that is shown', async () => {
  expect((await cli(['request', 'show', out, 'M 1'])).stdout).toContain(
    `\n  not in it  ${WHO} record another request that names both\n`,
  );
  expect(await cliJson(['request', 'show', out, 'M 1'])).toMatchObject({
    other_spellings: [{ user: 'AnaBel', is_same: false }],
  });
});

it('a request about a user who looks the same as another one says in what they differ', async () => {
  const words = ['request', 'new', out, 'M 2', '--user', 'müller', ...ABOUT];
  expect((await cli(words)).stdout).toContain(
    `\nNot in it: user ${APART} (mu\\u0308ller): another spelling`,
  );
});

it.each<[string, string[]]>([
  ['a search', ['search', 'falcon']],
  ['a report', ['report', '--out', 'report']],
  ['a workbook', ['workbook', '--out', 'ana.xlsx']],
  ['a pack', ['evidence', '--out', 'pack']],
])('%s says so, and what to do', fault('F-147'), async (_, [command = '', ...words]) => {
  const placed = words.map((word, at) => (at === 1 ? join(people.rig.directory, word) : word));
  const told = await cliJson<{ readonly caveats: readonly Caveat[] }>([
    ...[command, out, ...placed, '--user', 'anabel'],
  ]);
  const spelling = told.caveats.find(({ kind }) => kind === 'other_spelling');
  expect(spelling).toMatchObject(TOLD);
  expect(spelling?.next).toContain('name both with --user');
});

it('a search for a request says so, too', async () => {
  const { stdout } = await cli(['search', out, 'falcon', '--request', 'M 1']);
  expect(stdout).toMatch(/\n +- AnaBel\n/);
});

it('a pack says so without the name', fault('F-147'), async () => {
  const { exitCode, pack } = await handOver(people.rig, '--user', 'anabel');
  expect(exitCode).toBe(0);
  const headline = 'nothing is here of 1 user whose id is another spelling of one that is named';
  expect((await pack.text('data/README.txt')).replaceAll(/\s+/g, ' ')).toContain(headline);
  expect(await pack.text('data/index.html')).toContain(headline);
  expect(await pack.filesWith('AnaBel')).toEqual([]);
  expect(await pack.text('data/summary.csv')).toMatch(/\n"?anabel"?,.*not proven/);
});

it('where one of two spellings is the same person, only the other is told as unknown', async () => {
  const { exitCode, summary, pack } = await handOver(people.rig, '--user', 'eva');
  expect(exitCode).toBe(0);
  const told = summary().caveats.map(({ kind, severity, count, headline }) => [
    ...[kind, severity, count, headline],
  ]);
  const unknown = 'nothing is here of 1 user whose id is another spelling of one that is named';
  const same =
    '1 other spelling of a user who is named is the same person, with 1 conversation that is not here';
  expect(told).toContainEqual(['other_spelling', 'doubt', 1, unknown]);
  expect(told).toContainEqual(['same_person', 'doubt', 1, same]);
  const readme = (await pack.text('data/README.txt')).replaceAll(/\s+/g, ' ');
  for (const headline of [unknown, same]) {
    expect(readme).toContain(headline);
    expect(await pack.text('data/index.html')).toContain(headline);
  }
  const { stdout } = await cli(['search', out, 'plans', '--user', 'eva']);
  expect(stdout).toMatch(/\n +- Eva: 1 conversation that is not here\n/);
  expect(stdout).toMatch(/\n +- EVA\n/);
});

it('a hold binds the other spelling, too, and says so', async () => {
  const words = ['hold', 'add', out, '--user', 'anabel', '--reason', 'r', '--by', 'Dana'];
  expect((await cli(words)).stdout).toContain(
    '\nHeld with them, as another spelling: user AnaBel\n',
  );
  const other = ['hold', 'add', out, '--user', 'ANABEL', '--reason', 'r2', '--by', 'Dana'];
  expect((await cli(other)).stdout).toMatch(
    /\nHeld with them, as another spelling: user (anabel, user AnaBel|AnaBel, user anabel)\n/,
  );
  for (const user of ['anabel', 'ANABEL']) {
    const done = await cli([
      'hold',
      'release',
      '--yes',
      out,
      '--user',
      user,
      '--reason',
      'x',
      '--by',
      'D',
    ]);
    expect(done.stdout).toBe(`Released in commit ${user === 'anabel' ? 7 : 8}: user ${user}\n`);
  }
});

it('the plan of an erasure for a request with a period', async () => {
  const about = ['--user', 'anabel', '--from', '2026', ...ABOUT];
  await cli(['request', 'new', out, 'M 3', ...about]);
  const { stdout } = await cli(['erase', out, '--request', 'M 3', '--dry-run']);
  expect(stdout).toMatch(/\n {2}not erased +user AnaBel: another spelling of a user named here;/);
});

it('status of a user names another spelling that was not named, and is not proven complete', async () => {
  const { users } = await cliJson<ArchiveStatus>(['status', out]);
  const toldOf = async (...names: string[]) => {
    const words = ['status', out, ...names.flatMap((name) => ['--user', name])];
    const { details } = await cliJson<{ readonly details: readonly UserDetail[] }>(words);
    const { stdout } = await cli(words);
    const states = details.map(({ status, other_spellings: others }) => [
      status,
      others.map(({ user }) => user),
    ]);
    return [states, stdout.includes('another spelling')];
  };
  expect(users.complete).toBe(users.total);
  expect(await toldOf('anabel')).toEqual([[['not-proven', ['AnaBel']]], true]);
  const both = [
    ['complete', []],
    ['complete', []],
  ];
  expect(await toldOf('anabel', 'AnaBel')).toEqual([both, false]);
});

it('a hold that binds two spellings in a pack is told once', async () => {
  await cli(['hold', 'add', out, '--user', 'eva', '--reason', 'Matter 12', '--by', 'Dana']);
  const { pack } = await handOver(people.rig, '--user', 'eva', '--user', 'Eva');
  const page = await pack.text('data/index.html');
  expect(page.split('Matter 12 (asked by')).toHaveLength(2);
  expect((await pack.text('data/holds.csv')).split('Matter 12')).toHaveLength(2);
});

it('an assistant is told the same state of a user as status tells', async () => {
  await using archive = await openArchive(out);
  const call = {
    archive,
    limits: { memoryBytes: 5e8, maxFetchBytes: 1e9 },
    onProgress: () => undefined,
  };
  const status = TOOLS.find(({ name }) => name === 'status');
  const { facts } = (await status?.run(call, { user: 'anabel' })) ?? {};
  expect(facts).toMatchObject({ user: { status: 'not-proven' } });
});

it('nothing says so where both spellings are named, or nobody, or a user has one spelling', async () => {
  for (const words of [['--user', 'anabel', '--user', 'AnaBel'], [], ['--user', 'ben']]) {
    const { summary, pack } = await handOver(people.rig, ...words);
    expect(summary().caveats.map(({ kind }) => kind)).not.toContain('other_spelling');
    expect(await pack.text('data/README.txt')).not.toMatch(/is\s+another\s+spelling/);
  }
  expect((await cli(['search', out, 'falcon'])).stdout).not.toContain('another spelling');
});

it('a program asks the archive for them', async () => {
  await using archive = await openArchive(out);
  // which of them was archived first is chance
  const others = await archive.otherSpellings(['anabel', 'müller', 'ben']);
  expect(others.map(({ user }) => user).toSorted()).toEqual(['AnaBel', APART].toSorted());
  expect(others.every(({ is_same: isSame }) => !isSame)).toBe(true);
  expect(await archive.otherSpellings([])).toEqual([]);
});
