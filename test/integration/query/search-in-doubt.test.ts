/** A pack or a report of a search says what was in doubt where it looked: what is not archived cannot be found. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import type { ReportSummary } from '../../../src/report/report-options.js';
import type { SearchResult } from '../../../src/search/search-archive.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { caveatCounts, namedIn } from '../../support/tables/caveat-counts.js';

const DOUBT = { searched_gap: 1, not_proven: 1 };
const doubtsIn = (told: { readonly caveats: readonly Caveat[] }) =>
  caveatCounts(told, 'searched_gap', 'not_proven');

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

it('a pack of no hits says what was in doubt, and names nobody of whom nothing is in it', async () => {
  const { exitCode, summary, pack } = await handOver(people.rig, '--match', 'condor');
  expect(exitCode).toBe(3);
  const { status, users } = summary();
  expect([status, users, doubtsIn(summary())]).toEqual(['not-proven', 0, DOUBT]);
  expect(namedIn(summary(), 'not_proven')).toEqual(['ben: never listed as a whole']);
  const stated = (await pack.json('data/search.json')) as unknown as SearchResult;
  expect([stated.searched, doubtsIn(stated)]).toEqual([5, DOUBT]);
  expect(namedIn(stated, 'not_proven')).toEqual([]);
  expect(await pack.filesWith('s-gaps')).toEqual([]);
  const readme = await pack.text('data/README.txt');
  expect(readme).toMatch(/^EVIDENCE PACK\n\nNot proven complete: 1 conversation that was searched/);
  expect(readme).toContain('0 hits in 5 questions.');
});

it('a pack calls nobody complete whose other sessions have gaps, though they have no hit', async () => {
  const { summary, pack } = await handOver(people.rig, '--match', 'falcon');
  expect([summary().status, summary().users, doubtsIn(summary())]).toEqual([
    'not-proven',
    1,
    DOUBT,
  ]);
  expect(await pack.page('summary')).toMatchObject([
    { user_id: 'ada', complete: 'not proven', gaps: '0' },
  ]);
  const stated = (await pack.json('data/search.json')) as unknown as SearchResult;
  expect(namedIn(stated, 'searched_gap')).toEqual(['ada, session s-gaps']);
  expect(namedIn(stated, 'not_proven')).toEqual([]);
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
])('a pack of a search has no doubt of %s', async (_, scope) => {
  const { summary, pack } = await handOver(people.rig, '--match', 'condor', ...scope);
  expect(summary()).toMatchObject({ status: 'complete', search: { searched: 1 } });
  expect(doubtsIn(summary())).toEqual({});
  const readme = await pack.text('data/README.txt');
  expect(readme).toMatch(/^EVIDENCE PACK\n\nComplete in what was searched\n/);
});

it('a pack of a search counts the users and sessions of its scope alone', async () => {
  const ofBen = await handOver(people.rig, '--match', 'condor', '--user', 'ben');
  expect(doubtsIn(ofBen.summary())).toEqual({ not_proven: 1 });
  const named = await handOver(people.rig, '--match', 'condor', '--session', 's-gaps');
  expect(doubtsIn(named.summary())).toEqual({ searched_gap: 1 });
});

it('a report of a search shows no green tile, though nobody who has a hit is in doubt', async () => {
  for (const [match, jobs] of [
    ['falcon', 1],
    ['condor', 0],
  ] as const) {
    const out = join(people.rig.directory, `report of ${match}`);
    const words = ['report', people.rig.out, '--match', match, '--out', out];
    const summary = await cliJson<ReportSummary>(words, 3);
    expect([summary.status, summary.jobs, doubtsIn(summary)]).toEqual(['not-proven', jobs, DOUBT]);
    const page = await readFile(join(out, 'index.html'), 'utf8');
    expect(page).toContain('<span>not proven complete; see above</span>');
    expect(page).not.toContain('tile good');
  }
});

it('a report names the conversations in doubt by their titles where something of them is here', async () => {
  const out = join(people.rig.directory, 'report of the weather');
  const words = ['report', people.rig.out, '--match', 'weather', '--out', out];
  const summary = await cliJson<ReportSummary>(words, 3);
  expect(namedIn(summary, 'searched_gap')).toEqual(['ada, “Gaps” (session s-gaps)']);
});

it('a search says nothing of doubts where the users of the scope are complete', async () => {
  const { exitCode, stdout } = await cli(['search', people.rig.out, 'hello', '--user', 'eve']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^Complete in what was searched\n1 hit in 1 question of commit \d+\n/);
  expect(stdout).not.toContain('in doubt');
});

it('a gap that somebody has accepted is said, and fails nothing', async () => {
  const why = ['--session', 's-gaps', '--reason', 'the file is lost', '--by', 'Grace'];
  expect((await cli(['gap', 'accept', people.rig.out, ...why])).exitCode).toBe(0);
  for (const words of ['condor', 'falcon']) {
    const found = await cliJson<SearchResult>(['search', people.rig.out, words], 3);
    expect(doubtsIn(found)).toEqual(DOUBT);
    const open = found.caveats.flatMap(({ kind, open }) => (open ? [kind] : []));
    expect(open).toEqual(['not_proven']);
  }
  const { exitCode, summary, pack } = await handOver(people.rig, '--session', 's-gaps');
  expect(exitCode).toBe(0);
  expect([summary().status, caveatCounts(summary(), 'gap', 'accepted_gap')]).toEqual([
    'incomplete-by-decision',
    { accepted_gap: 1 },
  ]);
  expect(await pack.page('gaps')).toMatchObject([
    { session_id: 's-gaps', accepted_by: 'Grace', accepted_reason: 'the file is lost' },
  ]);
  const by = 'accepted by Grace: the file is lost';
  expect((await pack.text('data/README.txt')).replace(/\s+/g, ' ')).toContain(by);
  expect(await pack.text('data/index.html')).toContain(by);
});
