/** A search says first what is missing, then its hits, and below them what that means; it names few where there are many. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

const NEVER =
  'what is in images and in linked files, titles of steps on the way to an answer, ids, data of other parts such as tasks';
const USERS = ['ada', 'ben', 'cyd', 'dan'];
const HEADLINE =
  'Not proven complete: 4 conversations that were searched have gaps; 4 tables were not searched';

let people: SearchRig;
let jobs: string[];
beforeAll(async () => {
  people = await SearchRig.start();
  jobs = USERS.flatMap((user) =>
    people.talk(user, `s-${user}`, 'Costs', [
      { question: `The condor of ${user}?`, table: 'lost.csv', csv: null },
    ]),
  );
  await people.rig.archived();
});
afterAll(() => people[Symbol.asyncDispose]());

const limits = (isFound: boolean): string[] => {
  const unread = USERS.map((user, at) => {
    const found = isFound && user === 'ada' ? ': the question was found all the same' : '';
    return `            - ${user}, “lost.csv” in “Costs” (session s-${user}, job ${jobs[at]})${found}`;
  }).toReversed();
  return [
    `  in doubt  4 conversations that were searched have gaps: what could not be archived was not searched, and may be what was looked for; jobvault export --retry-gaps fetches what is missing; jobvault gap accept ${people.rig.out} --session ID --reason TEXT ends the exit code 3`,
    ...USERS.slice(0, 3).map((user) => `            - ${user}, session s-${user}`),
    '            - and 1 more',
    '  in doubt  4 tables were not searched: the archive does not have them as text: what was looked for may stand there',
    ...unread.slice(0, 3),
    '            - and 1 more',
    `  note      not searched: ${NEVER}`,
  ];
};

it('a search of an archive with many gaps shows its hits before what is in doubt', async () => {
  const { exitCode, stdout } = await cli(['search', people.rig.out, '"condor of ada"']);
  expect(exitCode).toBe(3);
  expect(stdout).toBe(
    [
      HEADLINE,
      '1 hit in 4 questions of commit 1',
      '',
      '2026-01-10 12:00 UTC  ada  Costs',
      '  The condor of ada?',
      '  found in the question',
      `  session s-ada, job ${jobs[0] ?? ''}`,
      '',
      ...limits(true),
      `jobvault report ${people.rig.out} makes a page on which each hit has a link.`,
      '',
    ].join('\n'),
  );
});

it('a search that finds nothing says the same', async () => {
  const { stdout } = await cli(['search', people.rig.out, 'adler']);
  expect(stdout).toBe(
    [HEADLINE, '0 hits in 4 questions of commit 1', '', ...limits(false), ''].join('\n'),
  );
});
