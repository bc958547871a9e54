/** What a search finds of a period, and what becomes of jobs that the period cannot judge. */
import { expect, it } from 'vitest';
import { openArchive } from '../../../src/index.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { fault } from '../../support/base/fault.js';

interface Found {
  readonly searched: number;
  readonly matches: number;
  readonly time_unknown: number;
  readonly hits: readonly { readonly job_id: string; readonly created_at: string | null }[];
}

it('a period judges a job without a time by its neighbours, and counts those it cannot judge', async () => {
  await using more = await SearchRig.start();
  const [first = '', , last = ''] = more.talk('eve', 's', 'S', [
    { question: 'plan one' },
    { id: 'no-time-between', question: 'plan two' },
    { question: 'plan three' },
    { id: 'no-time-after', question: 'plan four' },
  ]);
  await more.rig.export();
  const ask = (...words: string[]) => cliJson<Found>(['search', more.rig.out, 'plan', ...words]);
  const all = await ask();
  expect(all).toMatchObject({ searched: 4, matches: 4, time_unknown: 0 });
  const early = await cliJson<Found>(['search', more.rig.out, 'plan', '--to', '2026-01-11'], 3);
  expect(early).toMatchObject({ searched: 3, matches: 3, time_unknown: 1 });
  expect(early.hits.map(({ job_id: id }) => id)).toEqual([last, 'no-time-between', first]);
});

it(
  'a period ends with 3 where it left out a job of unknown date, with 0 once told what to do',
  fault('F-82'),
  async () => {
    await using more = await SearchRig.start();
    const talk = [
      { question: 'plan one' },
      { id: 'without-time', question: 'plan two' },
      { id: 'without-time-either', question: 'the weather' },
    ];
    more.talk('eve', 's', 'S', talk);
    await more.rig.archived();
    const ask = (...words: string[]) =>
      cli(['search', more.rig.out, 'plan', '--to', '2026-01-10', ...words]);
    const leftOut = await ask();
    expect(leftOut.exitCode).toBe(3);
    expect(leftOut.stdout).toMatch(
      /^Not complete: 1 question whose date is unknown was left out\n1 hit in 1 of the 3 questions of commit 1 that are or may be of the period\n/,
    );
    const named = '- eve, “S” (session s, job without-time): asked at an unknown time\n';
    expect(leftOut.stdout).toContain(named);
    const included = await ask('--undated', 'include');
    expect(included.exitCode).toBe(0);
    expect(included.stdout).toMatch(
      /^Complete in what was searched\n2 hits in 3 questions of commit 1\n/,
    );
    expect(included.stdout).toContain('1 question whose date is unknown was taken in by decision');
    const excluded = await ask('--undated', 'exclude');
    expect(excluded.exitCode).toBe(0);
    expect(excluded.stdout).toMatch(
      /^Not complete, by decision: 1 question whose date is unknown was left out\n1 hit in 1 of the 3 questions of commit 1 that are or may be of the period\n/,
    );
    expect(excluded.stdout).toContain(named);
    const without = await cli(['search', more.rig.out, 'plan', '--undated', 'include']);
    expect([without.exitCode, without.stderr]).toEqual([2, expect.stringContaining('--from or')]);
  },
);

it('a period names ten of the jobs that it left out, whatever the limit, and counts the rest', async () => {
  await using more = await SearchRig.start();
  const twelve = Array.from({ length: 12 }, (_, at) => ({
    id: `no-time-${at}`,
    question: 'plan',
  }));
  more.talk('eve', 's', 'S', [{ question: 'plan' }, { question: 'plan' }, ...twelve]);
  await more.rig.export();
  const words = ['search', more.rig.out, 'plan', '--to', '2026-01-11', '--limit', '0'];
  const { stdout } = await cli(words);
  const named = stdout.match(/^ +- eve, “S” .*: asked after 2026-01-11 12:00 UTC$/gm) ?? [];
  expect(new Set(named).size).toBe(3);
  expect(stdout).toContain('- and 9 more\n');
  const found = await cliJson<{ readonly hits: []; readonly left_out: object[] }>(words, 3);
  expect(found).toMatchObject({ matches: 2, time_unknown: 12, hits: [] });
  expect(found.left_out).toHaveLength(10);
  expect(found.left_out[0]).toEqual({
    user_id: 'eve',
    session_id: 's',
    session_name: 'S',
    job_id: expect.stringMatching(/^no-time-/),
    created_at: null,
    created_after: '2026-01-11T12:00:00.000000Z',
    created_before: null,
    matched_in: ['question'],
    matched_tables: [],
    excerpt: 'plan',
    reason:
      'no dated question beside it tells whether it was asked within the period, so it was left out',
  });
});

it('a period is a part of a scope: lists and conversations take it without words', async () => {
  await using more = await SearchRig.start();
  const [early = '', late = ''] = more.talk('eve', 's', 'S', [{}, {}]);
  more.talk('eve', 't', 'T', [{ id: 'without-time' }]);
  await more.rig.export();
  await using archive = await openArchive(more.rig.out);
  const idsOf = async (scope: Parameters<typeof archive.conversations>[0]) => {
    const ids: unknown[] = [];
    for await (const { jobs } of archive.conversations(scope)) {
      ids.push(...jobs.map(({ job }) => job['job_id']));
    }
    return ids;
  };
  expect(await idsOf({ to: '2026-01-10' })).toEqual([early]);
  expect(await idsOf({ from: '2026-01-11', users: ['eve'] })).toEqual([late]);
  const included = await idsOf({ to: '2026-01-10', undated: 'include' });
  expect(included.toSorted()).toEqual([early, 'without-time'].toSorted());
  const { sessions: listed } = await archive.sessions({ from: '2026-01-11' });
  expect(listed.map(({ session_id: id }) => id)).toEqual(['s']);
  await expect(archive.sessions({ from: 'soon' })).rejects.toThrow('from is "soon"');
  const made = await archive.workbook(`${more.rig.out}-period.xlsx`, {
    users: ['eve'],
    to: '2026-01-10',
  });
  expect(made).toMatchObject({ jobs: 1, search: { searched: 1, matches: 1, time_unknown: 1 } });
});

it('a period tells between which times a hit was asked whose id tells none, and sorts it there', async () => {
  await using more = await SearchRig.start();
  more.talk('eve', 's', 'S', [
    { id: 'no-time-before', question: 'plan zero' },
    { question: 'plan one' },
    { id: 'no-time-between', question: 'plan two' },
    { question: 'plan three' },
    { id: 'no-time-after', question: 'plan four' },
  ]);
  more.talk('eve', 't', 'T', [{ id: 'alone', question: 'plan five' }]);
  await more.rig.archived();
  const { stdout } = await cli(['search', more.rig.out, 'plan']);
  expect(stdout.match(/^.*(?= {2}eve {2})/gm)).toEqual([
    'after 2026-01-11 12:00 UTC',
    '2026-01-11 12:00 UTC',
    'between 2026-01-10 12:00 UTC and 2026-01-11 12:00 UTC',
    '2026-01-10 12:00 UTC',
    'before 2026-01-10 12:00 UTC',
    'time unknown',
  ]);
  const { hits } = await cliJson<Found>(['search', more.rig.out, 'plan']);
  expect(hits.map((hit) => Object.keys(hit).length)).toEqual(hits.map(() => 8));
  expect(hits[2]).toMatchObject({ job_id: 'no-time-between', created_at: null });
  await using archive = await openArchive(more.rig.out);
  expect((await archive.search('two')).hits[0]).toMatchObject({
    created_at: null,
    created_after: '2026-01-10T12:00:00.000000Z',
    created_before: '2026-01-11T12:00:00.000000Z',
  });
});
