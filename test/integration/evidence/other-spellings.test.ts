/** Whatever is made about a user says where the archive also has the user in another spelling, of whom nothing is in it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openArchive } from '../../../src/index.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { fault } from '../../support/base/fault.js';

let people: SearchRig;
let out: string;
/** As somebody types `Mu\u0308ller` on another machine: it looks the same. */
const APART = 'mu\u0308ller';
const WHO = 'user AnaBel: another spelling of a user named here; if it is the same person,';
const HERE =
  'The archive also has 1 user whose id differs from one named here only in capitals, in white space around it, or in the form of its characters. Nothing of that user is here, and the archive does not tell whether it is the same person.';
const ABOUT = ['--reason', 'Art. 15 GDPR', '--by', 'Grace'];

beforeAll(async () => {
  people = await SearchRig.start();
  people.talk('anabel', 's1', 'Sales', [{ question: 'What of Falcon?' }]);
  people.talk('AnaBel', 's2', 'From my phone', [{ question: 'Delete the minutes of Falcon' }]);
  people.talk('ben', 's3', 'Costs', [{ question: 'Costs of Falcon' }]);
  people.talk('müller', 's4', 'M', [{ question: 'One' }]);
  people.talk(APART, 's5', 'M', [{ question: 'Two' }]);
  await people.rig.export();
  ({ out } = people.rig);
  const asked = await cli(['request', 'new', out, 'M 1', '--user', 'anabel', ...ABOUT]);
  expect(asked.stdout).toBe(
    `Recorded in commit 2: request M 1 about anabel\nNot in it: ${WHO} close this request and record another that names both\n`,
  );
});
afterAll(() => people[Symbol.asyncDispose]());

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');

it('a request that is shown', async () => {
  expect((await cli(['request', 'show', out, 'M 1'])).stdout).toContain(
    `\n  not in it  ${WHO} record another request that names both\n`,
  );
  expect(await cliJson(['request', 'show', out, 'M 1'])).toMatchObject({
    other_spellings: ['AnaBel'],
  });
});

it('a request about a user who looks the same as another one says in what they differ', async () => {
  const words = ['request', 'new', out, 'M 2', '--user', 'müller', ...ABOUT];
  expect((await cli(words)).stdout).toContain(
    `\nNot in it: user ${APART} (mu\\u0308ller): another spelling`,
  );
});

it('a search', fault('F-147'), async () => {
  const { stdout, exitCode } = await cli(['search', out, 'falcon', '--user', 'anabel']);
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringContaining(`\nNot in it: ${WHO} name it as well with --user\n`),
  ]);
  expect((await cli(['search', out, 'falcon', '--request', 'M 1'])).stdout).toContain(
    `\nNot in it: ${WHO} record another request that names both\n`,
  );
});

it('a pack, on the terminal with the name and in it without', fault('F-147'), async () => {
  const place = join(people.rig.directory, 'told');
  const { stdout } = await cli(['evidence', out, '--out', place, '--request', 'M 1']);
  expect(stdout).toMatch(
    new RegExp(`\\n {2}not in it +${WHO} record another request that names both\\n`),
  );
  const { exitCode, summary, pack } = await handOver(people.rig, '--user', 'anabel');
  expect([exitCode, summary()]).toEqual([
    0,
    expect.objectContaining({ other_spellings: ['AnaBel'] }),
  ]);
  expect(oneLine(await pack.text('data/README.txt'))).toContain(
    ` ANOTHER SPELLING: of this user nothing is here ${HERE} `,
  );
  expect(await pack.text('data/index.html')).toContain(
    `<h2>Another spelling: of this user nothing is here</h2><ul><li>${HERE}</li></ul>`,
  );
  expect(await pack.filesWith('AnaBel')).toEqual([]);
});

it('a report', async () => {
  const place = join(people.rig.directory, 'report');
  const { stdout } = await cli(['report', out, '--out', place, '--user', 'anabel']);
  expect(stdout).toMatch(new RegExp(`\\n {2}not in it +${WHO} name it as well with --user\\n`));
  expect(await readFile(join(place, 'index.html'), 'utf8')).toContain(`<li>${HERE}</li>`);
});

it('a workbook', async () => {
  const file = join(people.rig.directory, 'ana.xlsx');
  const { stdout } = await cli(['workbook', out, '--out', file, '--user', 'anabel']);
  expect(stdout).toMatch(new RegExp(`\\n {2}not in it +${WHO} name it as well with --user\\n`));
  const { sheets } = await readXlsx(await readFile(file));
  expect(sheets[0]?.rows).toContainEqual(['Other spelling', HERE, null]);
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
    const done = await cli(['hold', 'release', out, '--user', user, '--reason', 'x', '--by', 'D']);
    expect(done.stdout).toBe(`Released in commit ${user === 'anabel' ? 8 : 9}: user ${user}\n`);
  }
});

it('the plan of an erasure for a request with a period', async () => {
  const about = ['--user', 'anabel', '--from', '2026', ...ABOUT];
  await cli(['request', 'new', out, 'M 3', ...about]);
  const { stdout } = await cli(['erase', out, '--request', 'M 3', '--dry-run']);
  expect(stdout).toMatch(/\n {2}not erased +user AnaBel: another spelling of a user named here;/);
});

it('but nothing says so where both are named, where nobody is, and of a user who has one spelling', async () => {
  for (const words of [['--user', 'anabel', '--user', 'AnaBel'], [], ['--user', 'ben']]) {
    const { summary, pack } = await handOver(people.rig, ...words);
    expect(summary()).toMatchObject({ other_spellings: [] });
    expect(await pack.text('data/README.txt')).not.toContain('ANOTHER SPELLING');
  }
  expect((await cli(['search', out, 'falcon'])).stdout).not.toContain('another spelling');
});

it('a program asks the archive for them', async () => {
  await using archive = await openArchive(out);
  // which of them was archived first is chance
  const others = await archive.otherSpellings(['anabel', 'müller', 'ben']);
  expect(others.toSorted()).toEqual(['AnaBel', APART].toSorted());
  expect(await archive.otherSpellings([])).toEqual([]);
});
