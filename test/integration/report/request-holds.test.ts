/** The report for a request says first who is on hold, who asked for that and why, as the pack for it does. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
beforeAll(async () => {
  people = await SearchRig.start();
  people.talk('ada', 's-ada', 'Sales', [{ question: 'The condor?' }]);
  people.talk('ben', 's-ben', 'Costs', [{ question: 'The condor?' }]);
  await people.rig.archived();
  for (const name of ['Matter 7', 'Matter 8']) {
    const about = ['--user', 'ada', '--user', 'ben', '--reason', `why of ${name}`, '--by', 'Dana'];
    await cli(['request', 'new', people.rig.out, name, ...about]);
  }
  await cli(['hold', 'add', people.rig.out, '--request', 'Matter 8']);
  const own = ['--session', 's-ben', '--reason', 'audit', '--by', 'Grace'];
  await cli(['hold', 'add', people.rig.out, ...own]);
});
afterAll(() => people[Symbol.asyncDispose]());

const holdsOf = async (name: string, ...words: string[]): Promise<string[] | undefined> => {
  const out = join(people.rig.directory, name);
  const { exitCode, stderr } = await cli(['report', people.rig.out, '--out', out, ...words]);
  expect([exitCode, stderr.split('\n').filter((line) => line.includes('error'))]).toEqual([0, []]);
  const page = await readFile(join(out, 'index.html'), 'utf8');
  const [, card] = /<h2>Holds<\/h2><ul>(.*?)<\/ul>/s.exec(page) ?? [];
  return card === undefined
    ? undefined
    : [...card.matchAll(/<li>(.*?)<\/li>/g)].map(([, line = '']) => line);
};
/** Which of two people was archived first is chance. */
const sorted = (lines: string[] | undefined): string[] | undefined => lines?.toSorted();
const today = new Date().toISOString().slice(0, 10);

it('a report for a request has a card with the holds of its people, each once', async () => {
  expect(sorted(await holdsOf('own', '--request', 'Matter 8'))).toEqual([
    `Conversation Costs of ben is on hold since ${today}: audit (asked by Grace)`,
    `User ada is on hold since ${today}: why of Matter 8 (asked by Dana)`,
    `User ben is on hold since ${today}: why of Matter 8 (asked by Dana)`,
  ]);
});

it('a report for a request says that there are holds of other matters, and nothing else', async () => {
  const other =
    '1 hold of another matter binds the user; who asked for it, and why, is not told here';
  expect(sorted(await holdsOf('other', '--request', 'Matter 7'))).toEqual([
    `Conversation Costs of ben is on hold since ${today}: audit (asked by Grace)`,
    `user ada: ${other}`,
    `user ben: ${other}`,
  ]);
});

it('the card of jobs that are all of one day keeps its distance from those below it', async () => {
  await holdsOf('one-day', '--user', 'ada');
  const page = await readFile(join(people.rig.directory, 'one-day', 'index.html'), 'utf8');
  expect(page).toContain(
    '<section class="card over-time"><h2>Questions over time</h2><p class="note">1 question on 2026-01-10 (UTC).</p></section>',
  );
});

it('a report for no request has no such card: its pages say who is on hold', async () => {
  expect(await holdsOf('none')).toBeUndefined();
});
