/** What a search says of itself stands below its hits, a line each, and names nobody where there are many. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

const WHAT = 'what is not archived was not searched.';
const NEVER =
  'what is in images and in linked files, titles of steps on the way to an answer, ids, data of other parts such as tasks';
const USERS = ['ada', 'ben', 'cyd', 'dan'];

let people: SearchRig;
beforeAll(async () => {
  people = await SearchRig.start();
  for (const user of USERS) {
    people.talk(user, `s-${user}`, 'Costs', [
      { question: `The condor of ${user}?`, table: 'lost.csv', csv: null },
    ]);
  }
  await people.rig.export();
});
afterAll(() => people[Symbol.asyncDispose]());

it('a search of an archive with many gaps shows its hits first, and counts below them what is in doubt', async () => {
  const { exitCode, stdout } = await cli(['search', people.rig.out, '"condor of ada"']);
  expect(exitCode).toBe(3);
  expect(stdout).toBe(
    [
      '1 hit in 4 jobs of commit 1',
      '',
      '2026-01-10 12:00 UTC  ada  Costs',
      '  The condor of ada?',
      '  found in the question',
      `  session s-ada, job ${people.rig.state.jobIds('ada', 's-ada')[0] ?? ''}`,
      '',
      `Not searched: what is in 4 tables that the archive does not have as text, ${NEVER}.`,
      `In doubt: 4 sessions that were searched have gaps; ${WHAT} jobvault gap accept ${people.rig.out} ends the exit code 3.`,
      `In doubt: 4 users are not proven complete; ${WHAT}`,
      '--json names the first of these tables, sessions and users.',
      `jobvault report ${people.rig.out} makes a page on which each hit has a link.`,
      '',
    ].join('\n'),
  );
});

it('a search that finds nothing says the same', async () => {
  const { stdout } = await cli(['search', people.rig.out, 'adler']);
  expect(stdout).toBe(
    [
      '0 hits in 4 jobs of commit 1',
      `Not searched: what is in 4 tables that the archive does not have as text, ${NEVER}.`,
      `In doubt: 4 sessions that were searched have gaps; ${WHAT} jobvault gap accept ${people.rig.out} ends the exit code 3.`,
      `In doubt: 4 users are not proven complete; ${WHAT}`,
      '--json names the first of these tables, sessions and users.',
      '',
    ].join('\n'),
  );
});
