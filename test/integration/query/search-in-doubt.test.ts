/** A pack or a report of a search says what was in doubt where it looked: what is not archived cannot be found. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ReportSummary } from '../../../src/report/write-report.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

const DOUBT = '1 session that was searched has gaps (s-gaps), 2 users are not proven complete';

let people: SearchRig;

beforeAll(async () => {
  people = await SearchRig.start();
  const { rig } = people;
  people.talk('ada', 's-whole', 'Whole', [{ question: 'What of project Falcon?' }]);
  people.talk('ada', 's-gaps', 'Gaps', [{ question: 'the weather' }]);
  rig.state.addJob('ada', 's-gaps', oldJob(rig.state.newJobId(0), ['lost.csv']));
  people.talk('ben', 's-ben', 'Ben', [{ question: 'hello' }]);
  people.talk('ben', 's-left', 'Left', [{ question: 'never archived' }]);
  people.talk('eve', 's-eve', 'Eve', [{ question: 'hello' }]);
  await rig.export({ users: ['ada', 'eve'] });
  await rig.export({ users: ['ben'], sessions: ['s-ben'] });
});
afterAll(() => people[Symbol.asyncDispose]());

const CARD =
  '<h2>In doubt: something of these conversations could not be archived, and it may have what was looked for</h2><ul>';

it('a pack of a search in an archive that is not known to be complete says of no hits what was in doubt, in its statement, its pages and its summary', async () => {
  const { exitCode, summary, pack } = await handOver(people.rig, '--match', 'condor');
  const counts = { sessions_with_gaps: 1, users_not_proven: 2, gap_sessions: ['s-gaps'] };
  // nobody named these users, and the pack holds nothing of them
  const doubt = { ...counts, unproven_users: [] };
  expect(exitCode).toBe(3);
  expect(summary()).toMatchObject({ status: 'not-proven', gaps: 0, search: doubt });
  expect(await pack.json('data/search.json')).toMatchObject({ searched: 5, ...doubt });
  const readme = await pack.text('data/README.txt');
  expect(readme).toContain(
    `No hits in what was searched of 5 jobs;\n1 table was not searched;\n${DOUBT}.\nWhat is not archived was not searched.\n`,
  );
  expect(readme).not.toContain('No gap is known.');
  const page = await pack.text('data/index.html');
  expect(page).toContain(`; ${DOUBT.replace(' (s-gaps)', '')}`);
  expect(page).toContain(`${CARD}<li>Session s-gaps, of which nothing is here</li></ul>`);
  const out = join(people.rig.directory, 'for-people');
  const told = await cli(['evidence', people.rig.out, '--match', 'condor', '--out', out]);
  expect(told.stdout).toMatch(
    /^Not proven complete; 1 table was not searched: evidence of 0 users in /,
  );
  expect(told.stdout).toContain(`${DOUBT}; what is not archived was not searched\n`);
});

it('a pack of a search in an archive that is not known to be complete calls nobody complete whose other sessions have gaps, though they have no hit', async () => {
  const { summary, pack } = await handOver(people.rig, '--match', 'falcon');
  expect(summary()).toMatchObject({ status: 'not-proven', users: 1, users_not_proven: 1 });
  expect(await pack.page('summary')).toMatchObject([
    { user_id: 'ada', complete: 'not proven', gaps: '0' },
  ]);
  expect(await pack.text('data/README.txt')).toContain(
    `none of the others;\n1 table was not searched;\n${DOUBT}.\n`,
  );
  // only where it says what was in doubt
  expect((await pack.filesWith('s-gaps')).sort()).toEqual([
    'data/README.txt',
    'data/index.html',
    'data/search.json',
    'data/tables-not-searched.csv',
  ]);
});

it.each([
  ['users who are complete', ['--user', 'eve']],
  ['named sessions without gaps, which need no listing', ['--session', 's-ben']],
])(
  'a pack of a search in an archive that is not known to be complete has no doubt of %s',
  async (_, scope) => {
    const { summary, pack } = await handOver(people.rig, '--match', 'condor', ...scope);
    expect(summary()).toMatchObject({
      status: 'complete',
      users_not_proven: 0,
      search: { searched: 1, sessions_with_gaps: 0, users_not_proven: 0 },
    });
    expect(await pack.text('data/README.txt')).toContain(
      'No hits in what was searched of 1 job.\n',
    );
    expect(await pack.text('data/index.html')).not.toContain('in doubt');
  },
);

it('a pack of a search in an archive that is not known to be complete counts the users and sessions of its scope alone', async () => {
  const { summary, pack } = await handOver(people.rig, '--match', 'condor', '--user', 'ben');
  expect(summary().search).toMatchObject({ sessions_with_gaps: 0, users_not_proven: 1 });
  expect(await pack.text('data/README.txt')).toContain('1 user is not proven complete (ben).');
  const named = await handOver(people.rig, '--match', 'condor', '--session', 's-gaps');
  expect(named.summary().search).toMatchObject({ sessions_with_gaps: 1, users_not_proven: 0 });
});

it('a report of a search in an archive that is not known to be complete says what was in doubt in its summary and on its first page', async () => {
  const out = join(people.rig.directory, 'report');
  const words = ['report', people.rig.out, '--match', 'falcon', '--out', out];
  expect(await cliJson<ReportSummary>(words, 3)).toMatchObject({
    status: 'not-proven',
    users_not_proven: 1,
    gaps: 0,
    search: { matches: 1, sessions_with_gaps: 1, users_not_proven: 2, gap_sessions: ['s-gaps'] },
  });
  const told = await cli(words);
  expect(told.stdout).toMatch(/^Not proven complete; 1 table was not searched: the report is /);
  expect(told.stdout).toContain(`${DOUBT}; what is not archived was not searched\n`);
  const page = await readFile(join(out, 'index.html'), 'utf8');
  expect(page).toContain(
    `only jobs with “falcon”: 1 found among the 5 searched; ${DOUBT.replace(' (s-gaps)', '')}; not searched: `,
  );
  expect(page).toContain(`${CARD}<li>Session s-gaps, of which nothing is here</li></ul>`);
  await cli(['report', people.rig.out, '--match', 'weather', '--out', out]);
  expect(await readFile(join(out, 'index.html'), 'utf8')).toContain(
    `${CARD}<li>“Gaps” (session s-gaps)</li></ul>`,
  );
  expect(page).not.toContain('nothing of these is missing');
});

it('a report of a search in an archive that is not known to be complete shows no green tile, though nobody who has a hit is in doubt', async () => {
  const out = join(people.rig.directory, 'report-of-nothing');
  const words = ['report', people.rig.out, '--match', 'condor', '--out', out];
  expect(await cliJson<ReportSummary>(words, 3)).toMatchObject({
    status: 'not-proven',
    users_not_proven: 0,
    jobs: 0,
  });
  const page = await readFile(join(out, 'index.html'), 'utf8');
  expect(page).toContain('none of what is shown; 1 session that was searched has gaps');
  expect(page).not.toContain('nothing of these is missing');
  expect(page).not.toContain('tile good');
});

const WHAT = 'what is not archived was not searched.';

it.each(['condor', 'falcon'])(
  'jobvault search in such an archive says what was in doubt, with hits or without: %s',
  async (words) => {
    const { exitCode, stdout } = await cli(['search', people.rig.out, words]);
    expect(exitCode).toBe(3);
    expect(stdout).toContain(
      [
        `\nIn doubt: 1 session that was searched has gaps (s-gaps); ${WHAT} jobvault gap accept ${people.rig.out} ends the exit code 3.\n`,
        `In doubt: 2 users are not proven complete (ada, ben); ${WHAT}\n`,
      ].join(''),
    );
  },
);

it('jobvault search in such an archive says nothing of it where the users of the scope are complete', async () => {
  const { stdout } = await cli(['search', people.rig.out, 'hello', '--user', 'eve']);
  expect(stdout).toMatch(/^1 hit in 1 job of commit \d+\n/);
  expect(stdout).not.toContain('In doubt');
});

it('jobvault search in such an archive names the sessions, also in JSON: exit code 3', async () => {
  const told = await cli(['search', people.rig.out, 'condor']);
  expect(told.stdout).toContain('has gaps (s-gaps); ');
  const { exitCode, stdout } = await cli(['search', people.rig.out, 'condor', '--json']);
  expect(exitCode).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({
    matches: 0,
    doubts: { sessions_with_gaps: 1, users_not_proven: 2, gap_sessions: ['s-gaps'] },
  });
});

it('jobvault search in such an archive counts a gap that somebody has accepted, says so, and does not fail for it', async () => {
  const why = ['--session', 's-gaps', '--reason', 'the file is lost', '--by', 'Grace'];
  expect((await cli(['gap', 'accept', people.rig.out, ...why])).exitCode).toBe(0);
  for (const words of ['condor', 'falcon']) {
    const { exitCode, stdout } = await cli(['search', people.rig.out, words, '--json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      doubts: {
        sessions_with_gaps: 1,
        sessions_with_accepted_gaps: 1,
        users_not_proven: 2,
        gap_sessions: ['s-gaps'],
      },
    });
  }
  const told = await cli(['search', people.rig.out, 'condor']);
  expect(told.stdout).toContain(
    `In doubt: 1 session that was searched has gaps (s-gaps), all of them accepted; ${WHAT}\n`,
  );
  const ofAda = ['--match', 'condor', '--user', 'ada'];
  const { exitCode, summary, pack } = await handOver(people.rig, ...ofAda);
  expect(exitCode).toBe(0);
  expect(summary()).toMatchObject({ status: 'not-proven', gaps: 0 });
  expect(await pack.json('data/search.json')).toMatchObject({ sessions_with_gaps: 1 });
  const readme = await pack.text('data/README.txt');
  expect(readme).toContain('SESSIONS IN WHICH THE SEARCH LOOKED HAVE GAPS: 1 ');
  expect(readme).toContain('1 session that was searched has gaps (s-gaps),\nall of them accepted');
  const out = join(people.rig.directory, 'accepted');
  const shown = await cli(['evidence', people.rig.out, ...ofAda, '--out', out]);
  expect(shown.stdout).not.toContain('an export lists their sessions again');
});

it('jobvault search in such an archive names in a pack who has accepted its gaps, and why, and is not complete', async () => {
  const { exitCode, summary, pack } = await handOver(people.rig, '--session', 's-gaps');
  expect(exitCode).toBe(0);
  expect(summary()).toMatchObject({ status: 'gaps', gaps: 1, gaps_accepted: 1 });
  expect(await pack.page('gaps')).toMatchObject([
    { session_id: 's-gaps', accepted_by: 'Grace', accepted_reason: 'the file is lost' },
  ]);
  const readme = await pack.text('data/README.txt');
  expect(readme).toContain('IT IS NOT COMPLETE. ');
  expect(readme).toContain('Somebody has accepted 1 of them, which stay missing all the same:\n');
  expect(readme).toContain('  1 by Grace: the file is lost\n');
  expect(await pack.text('data/index.html')).toContain('1 by Grace: the file is lost');
  const out = join(people.rig.directory, 'all-accepted');
  const shown = await cli(['evidence', people.rig.out, '--session', 's-gaps', '--out', out]);
  expect(shown.stdout).toMatch(/^With gaps: /);
  expect(shown.stdout).toContain('1, named in data/gaps.csv; all accepted\n');
  expect(shown.stdout).not.toContain('Next: ');
});
