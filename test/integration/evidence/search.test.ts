/** An evidence pack of what a search finds: it holds that and nothing else, and states what was searched. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openArchive } from '../../../src/index.js';
import { bagProblems } from '../../support/tables/bag-validator.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { EvidencePack } from '../../support/tables/evidence-pack.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { caveatCounts, namedIn } from '../../support/tables/caveat-counts.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { fault } from '../../support/base/fault.js';

let people: SearchRig;
let ada: string[];

beforeAll(async () => {
  people = await SearchRig.start();
  ada = people.talk('ada', 's-sales', 'Sales <b>2026</b>', [
    { question: 'What of project Falcon?', table: 'falcon.csv' },
    { question: 'secret-of-ada, nothing else' },
    { id: 'without-time', question: 'Falcon again' },
  ]);
  people.talk('ada', 's-other', 'Other', [{ question: 'the weather' }]);
  people.talk('ben', 's-ben', 'Ben', [{ question: 'secret-of-ben' }]);
  await people.rig.archived();
});
afterAll(() => people[Symbol.asyncDispose]());

it('an evidence pack of a search holds the jobs that match, and nothing of the others', async () => {
  const { exitCode, stderr, summary, pack } = await handOver(people.rig, '--match', 'falcon');
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(summary()).toMatchObject({ users: 1, sessions: 1, jobs: 2, records: 2, artifacts: 1 });
  expect(summary().search).toEqual({
    match: 'falcon',
    from: null,
    to: null,
    commit: 1,
    total: 5,
    searched: 5,
    matches: 2,
    withheld: 0,
    time_unknown: 0,
    tables_not_searched: 0,
    tables_in_part: 0,
    undated: null,
    searched_in: ['question', 'answer', 'code', 'table', 'file', 'name'],
    not_searched:
      'what is in images and in linked files, titles of steps on the way to an answer, ids, data of other parts such as tasks',
    caveats: expect.any(Array) as unknown,
  });
  expect(await bagProblems(pack.directory)).toEqual([]);
  for (const other of ['secret-of-ada', 'weather', 'ben', ada[1] ?? '?']) {
    expect(await pack.filesWith(other), other).toEqual([]);
  }
  const readme = await pack.text('data/README.txt');
  expect(readme).toContain('words           falcon');
  expect(readme).toContain(
    'Every one of the 2 questions found is in this pack, and none of the others.',
  );
});

it('an evidence pack of a search says of each job where its words stand', async () => {
  const { pack } = await handOver(people.rig, '--match', 'falcon OR sales', '--user', 'ada');
  const jobs = (await pack.page('items')).filter(({ item }) => item === 'job');
  expect(jobs.map(({ matched_in: places }) => places)).toEqual([
    'question file name',
    'name',
    'question name',
  ]);
  const [transcript = ''] = await pack.filesWith('What of project Falcon?');
  expect(transcript).not.toBe('');
  expect(
    await pack.filesWith(
      'found in: the question, the name of a table or image, the name of the conversation\n',
    ),
  ).toHaveLength(1);
});

it('an evidence pack of a search looks for words only where it is told to', async () => {
  const { summary, pack } = await handOver(
    people.rig,
    ...['--match', 'sales OR weather', '--in', 'question,code'],
  );
  expect(summary()).toMatchObject({ sessions: 1, jobs: 1, search: { matches: 1 } });
  expect((await pack.json('data/search.json'))['not_searched']).toContain('names of conversations');
  const without = await handOver(people.rig, '--user', 'ada', '--in', 'name');
  expect([without.exitCode, without.stderr]).toEqual([
    2,
    expect.stringContaining('--in says where words are looked for; give --match'),
  ]);
});

it(
  'the pack is not complete while a period could not judge a job, and names the job as a gap',
  fault('F-82'),
  async () => {
    const words = ['--from', '2026-01-10', '--to', '2026-01-11', '--match', 'falcon'];
    const handedOver = await handOver(people.rig, ...words, '--user', 'ada');
    const { exitCode, summary, pack } = handedOver;
    expect(exitCode).toBe(3);
    expect(summary()).toMatchObject({
      status: 'incomplete',
      jobs: 1,
      search: { total: 3, searched: 2, matches: 1, time_unknown: 1, undated: null },
    });
    expect(await pack.page('gaps')).toMatchObject([
      { user_id: 'ada', session_id: 's-sales', job_id: 'without-time', status: 'undated' },
    ]);
    expect(await pack.page('summary')).toMatchObject([
      { gaps: '0', jobs_left_out: '1', complete: 'no' },
    ]);
    const named =
      'ada, “Sales <b>2026</b>” (session s-sales, job without-time): asked after 2026-01-11 12:00 UTC';
    expect(caveatCounts(summary(), 'left_out')).toEqual({ left_out: 1 });
    expect(namedIn(summary(), 'left_out')).toEqual([named]);
    expect((await pack.text('data/README.txt')).replace(/\s+/g, ' ')).toContain(`- ${named} `);
    const shown = named.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    expect(await pack.text('data/index.html')).toContain(`<li>${shown}</li>`);
    // the recipient has no command of ours
    for (const file of ['data/README.txt', 'data/index.html', 'data/gaps.csv']) {
      expect(await pack.text(file)).not.toContain('--undated');
    }
    expect(await pack.filesWith('Falcon again')).toEqual([]);
    const settings = await pack.page('settings');
    expect(
      settings.filter(({ of }) => of === 'pack').map(({ setting, value }) => [setting, value]),
    ).toEqual([
      ['user', 'ada'],
      ['session', '(all)'],
      ['match', 'falcon'],
      ['from', '2026-01-10'],
      ['to', '2026-01-11'],
    ]);
  },
);

it('the pack names a job that it could not judge of a user of whom it holds nothing', async () => {
  const { exitCode, pack } = await handOver(people.rig, '--match', 'again', '--to', '2026-01-10');
  expect(exitCode).toBe(3);
  expect(await pack.page('summary')).toMatchObject([
    { user_id: 'ada', jobs: '0', jobs_left_out: '1', complete: 'no' },
  ]);
  expect(await pack.page('gaps')).toMatchObject([{ user_id: 'ada', job_id: 'without-time' }]);
});

it.each([
  ['include', 2, { undated: 1 }],
  ['exclude', 1, { left_out: 1 }],
])(
  'an evidence pack of a search that was told to %s what a period cannot judge says so',
  fault('F-82'),
  async (undated, jobs, told) => {
    const words = ['--to', '2026-01-11', '--match', 'falcon', '--undated', undated];
    const { exitCode, summary, pack } = await handOver(people.rig, ...words);
    expect(exitCode).toBe(0);
    expect(caveatCounts(summary(), 'undated', 'left_out')).toEqual(told);
    expect(summary()).toMatchObject({
      status: jobs === 2 ? 'complete' : 'incomplete-by-decision',
      jobs,
      search: { matches: jobs, time_unknown: 1, undated },
    });
    const isIncluded = jobs === 2;
    const mark = 'no dated question beside it tells whether it was asked within the period';
    const doubtful = (await pack.page('items')).filter(({ note }) => note === mark);
    expect(doubtful.map(({ job_id: id }) => id)).toEqual(isIncluded ? ['without-time'] : []);
    const marked = (await pack.filesWith(mark)).filter((path) => path.includes('transcripts/'));
    expect(marked).toHaveLength(isIncluded ? 1 : 0);
    expect(await pack.filesWith('"isUndated":true')).toHaveLength(isIncluded ? 1 : 0);
    expect((await pack.filesWith('Falcon again')).length > 0).toBe(isIncluded);
    expect(await pack.json('data/search.json')).toMatchObject({ undated });
    const settings = await pack.page('settings');
    expect(settings).toContainEqual(
      expect.objectContaining({ setting: 'undated', value: undated }),
    );
  },
);

it('an evidence pack of a search refuses a choice about undated jobs without a period', async () => {
  const { exitCode, stderr } = await handOver(people.rig, '--undated', 'include');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('give --from or --to')]);
});

it('an evidence pack of a search says where the period was not over when the pack was made', async () => {
  const readmeOf = async (...period: string[]) =>
    (await handOver(people.rig, ...period)).pack.text('data/README.txt');
  expect(await readmeOf('--to', '9999')).toContain('the period is not over: what was asked after ');
  expect(await readmeOf('--to', '2026-01-11')).not.toContain('the period is not over');
});

it('the pack says that no job of a period is known, on the terminal and in README.txt', async () => {
  const period = ['--from', '2024-01', '--to', '2024-02', '--session', 's-other'];
  const directory = join(people.rig.directory, 'nothing');
  const run = await cli([
    'evidence',
    people.rig.out,
    '--out',
    directory,
    ...period,
    '--undated',
    'exclude',
  ]);
  expect(run.stdout).toMatch(/search +0 questions of commit \d+\n/);
  const readme = await readFile(join(directory, 'data/README.txt'), 'utf8');
  expect(readme).toContain('\nNo hits: no question of this period is known.\n');
});

it('an evidence pack of a search states that nothing was found', async () => {
  const words = ['--match', '"project condor"'];
  const { exitCode, summary, pack } = await handOver(people.rig, ...words);
  expect(exitCode).toBe(0);
  expect(summary()).toMatchObject({
    users: 0,
    sessions: 0,
    jobs: 0,
    status: 'complete',
    search: { searched: 5, matches: 0 },
  });
  expect(await pack.text('data/README.txt')).toContain('0 hits in 5 questions.');
  expect(await pack.json('data/search.json')).toMatchObject({
    match: '"project condor"',
    searched: 5,
    matches: 0,
    commit: 1,
  });
  expect(await bagProblems(pack.directory)).toEqual([]);
});

it('the pack names on its first page those whose jobs were searched, also without a hit', async () => {
  const words = ['--match', 'condor', '--user', 'ada'];
  const { pack } = await handOver(people.rig, ...words);
  expect(await pack.text('data/index.html')).toContain(
    '<strong>A part of the archive: only user ada; only questions with “condor”: 0 hits in 4 questions',
  );
});

it('an evidence pack of a search is the same from the library', async () => {
  const out = join(people.rig.directory, 'from-library');
  await using archive = await openArchive(people.rig.out);
  const { jobs, search } = await archive.evidence(out, { match: 'falcon', users: ['ada'] });
  expect([jobs, search?.searched]).toEqual([2, 4]);
  expect(await bagProblems(out)).toEqual([]);
  expect(await new EvidencePack(out).filesWith('secret-of-ada')).toEqual([]);
});

it('the index of a pack lists the sessions of one user after the other, the oldest first', async () => {
  const { pack } = await handOver(people.rig);
  const rows = await pack.page('index');
  const users = [...new Set(rows.map(({ user_id: user }) => user))];
  expect(users.length).toBeGreaterThan(1);
  const places = rows.map(({ user_id: user = '', date }) => `${users.indexOf(user)} ${date}`);
  expect(places).toEqual(places.toSorted());
  const readme = (await pack.text('data/README.txt')).replaceAll(/\s+/g, ' ');
  expect(readme).toContain(
    'index.csv every conversation in the pack with its date and title, as a table: of one user after the other, the oldest first',
  );
});

it('the index of a pack has date and title of every session, with its transcript', async () => {
  const { pack } = await handOver(people.rig, '--user', 'ada');
  const rows = await pack.page('index');
  expect(rows.map(({ date, title, jobs }) => [date, title, jobs])).toEqual([
    ['2026-01-10', 'Sales <b>2026</b>', '3'],
    ['2026-01-12', 'Other', '1'],
  ]);
  const [first = {}] = rows;
  // the number is its place in the log, which the two conversations of a user take in either order
  const [sales, other] = rows.map(({ transcript = '' }) => transcript);
  expect([
    'data/transcripts/2026-01-10-Sales-b-2026-b-000001.txt data/transcripts/2026-01-12-Other-000002.txt',
    'data/transcripts/2026-01-10-Sales-b-2026-b-000002.txt data/transcripts/2026-01-12-Other-000001.txt',
  ]).toContain(`${sales} ${other}`);
  expect(await pack.text(first['transcript'] ?? '')).toContain('What of project Falcon?');
});

it('the index of a pack is beside the page, the report of the pack with its files', async () => {
  const { pack } = await handOver(people.rig, '--user', 'ada', '--match', 'falcon');
  const session = await pack.text('data/data/s/1.js');
  expect(session).toContain('"text":"transcripts/2026-01-10-Sales-b-2026-b-000001.txt"');
  expect(session).not.toContain('<b>');
  const jobs = await pack.text('data/data/s/1-0.js');
  expect(jobs).toContain('"found":["question"]');
  const [item] = (await pack.page('items')).filter(({ item }) => item === 'artifact');
  expect(item?.['pack_path']).toMatch(/^data\/artifacts\//);
  expect(jobs).toContain(`"file":"${item?.['pack_path']?.slice('data/'.length) ?? ''}"`);
  expect(await pack.text('data/index.html')).toContain('<body data-paper data-match="falcon">');
  expect(await pack.filesWith('jobvault-report')).toEqual([]);
  expect(await bagProblems(pack.directory)).toEqual([]);
});

it('shows in a transcript the step in which the words stand, and names the table that has them', async () => {
  await using people = await SearchRig.start();
  people.talk('ada', 's-1', 'Cats', [
    { question: 'Which cat?', step: 'The ocelot is\ncounted first.', code: 'SELECT 1' },
    { question: 'How many?', table: 'cats.csv', csv: 'cat\nocelot\n', step: 'Not shown.' },
  ]);
  await people.rig.export();
  const { pack } = await handOver(people.rig, '--match', 'ocelot');
  const [{ transcript = '' } = {}] = await pack.page('index');
  const text = await pack.text(transcript);
  expect(text).toContain(
    '\nQUESTION\n    Which cat?\n\nSTEP\n    The ocelot is\n    counted first.\n\nANSWER\n',
  );
  expect(text).toMatch(
    /\nfound in: a table\ntable to look in: TABLE "cats\.csv": data\/artifacts\/[0-9a-f]{64}\.csv\n/,
  );
  expect(text).not.toContain('Not shown.');
  expect(text).not.toContain('SELECT 1');
});

it('shows in a transcript the cited passage and the proposed question in which the words stand', async () => {
  await using cited = await SearchRig.start();
  cited.talk('ada', 'a-1', 'Terms', [
    { question: 'Which terms?', cited: 'the osprey clause' },
    { question: 'What next?', followUp: 'And the osprey?' },
    { question: 'Nothing of it', cited: 'another clause' },
  ]);
  await cited.rig.export();
  const { pack } = await handOver(cited.rig, '--match', 'osprey');
  const [transcript = ''] = (await pack.filesWith('Which terms?')).filter((path) =>
    path.includes('transcripts/'),
  );
  const text = await pack.text(transcript);
  expect(text).toContain('\nSOURCES\n    - terms.pdf, page 4: “the osprey clause”\n');
  expect(text).toContain('\nSUGGESTED FOLLOW-UP QUESTIONS\n    - And the osprey?\n');
  expect(text).not.toContain('another clause');
  expect(await bagProblems(pack.directory)).toEqual([]);
});

it.each([[[]], [['--match', 'which', '--in', 'question']]])(
  'shows in the transcripts of every pack the sources and proposed questions (%s)',
  async (words) => {
    await using cited = await SearchRig.start();
    const said = { cited: 'the osprey clause', followUp: 'And the osprey?' };
    cited.talk('ada', 'a-1', 'Terms', [{ question: 'Which terms?', ...said }]);
    await cited.rig.archived();
    const { pack } = await handOver(cited.rig, ...words);
    const [{ transcript = '' } = {}] = await pack.page('index');
    expect(await pack.text(transcript)).toContain(
      '\nSOURCES\n    - terms.pdf, page 4: “the osprey clause”\n\nSUGGESTED FOLLOW-UP QUESTIONS\n    - And the osprey?\n',
    );
  },
);
