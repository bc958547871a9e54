/** A conversation whose order shows only some nights later is archived as one that is read at once, also where questions vanish. */
import { describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { asSessionId, asUserId } from '../../../src/model/ids.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { fault } from '../../support/base/fault.js';

const rowsOf = async (out: string, sql: string) =>
  (await cliJson<{ rows: Record<string, unknown>[] }>(['query', out, sql])).rows;

const told = async (out: string) => {
  const { stdout } = await cli(['show', out, 's1']);
  return {
    jobs: await rowsOf(
      out,
      'SELECT job_id, job_index, created_after, created_before FROM current_jobs ORDER BY ALL',
    ),
    weeks: await rowsOf(out, 'FROM v_usage_by_week'),
    failures: await rowsOf(out, 'FROM v_failures_by_question_type'),
    taken: await rowsOf(out, 'FROM v_follow_ups_taken'),
    shown: [...stdout.matchAll(/^Q: (.*)$/gm)].map(([, question]) => question),
    times: [...stdout.matchAll(/odd-1, (?:version \d+, )?(.*)$/gm)].map(([, time]) => time),
    found: (await cli(['search', out, 'Second'])).stdout
      .split('\n')
      .filter((line) => line.endsWith('Grows')),
  };
};

/** 10 January, then one of unknown time, whose file is lost. */
async function begun(maxPageSize: number): Promise<SearchRig> {
  const people = await SearchRig.start({ maxPageSize });
  people.talk('ada', 's1', 'Grows', [{ question: 'First', followUp: 'Second' }]);
  people.talk('ada', 's1', 'Grows', [
    { question: 'Second', id: 'odd-1', table: 'Lost', csv: null },
  ]);
  return people;
}

it.each([100, 3])(
  'a question of unknown place gets its place once two dated ones show the order (pages of %i)',
  async (maxPageSize) => {
    await using people = await begun(maxPageSize);
    const { rig } = people;
    people.talk('ada', 's1', 'Grows', [{ question: 'Alike', id: 'odd-2', table: 'Kept' }]);
    await rig.export();
    expect((await told(rig.out)).failures).toMatchObject([{ question_type: 'order unknown' }]);
    people.talk('ada', 's1', 'Grows', [{ question: 'Third' }, { question: 'Fourth' }]);
    await rig.export();
    const fresh = join(rig.directory, 'fresh');
    await rig.export({ out: fresh });
    const grown = await told(rig.out);
    expect(grown.shown).toEqual(['First', 'Second', 'Alike', 'Third', 'Fourth']);
    expect(grown.found).toHaveLength(2);
    expect(grown).toEqual(await told(fresh));
    expect(await rig.export()).toMatchObject({ jobs: { archived: 0 } });
    expect(await rig.export({ full: true })).toMatchObject({ jobs: { archived: 0 } });
    expect(await rig.verify()).toMatchObject({ problems: [] });
  },
);

it.each([
  ['newest', {}, 'time unknown'],
  ['oldest', { full: true }, 'between 2026-01-10T12:00:00Z and 2026-01-11T12:00:00Z'],
] as const)(
  'a question whose file is not to be had when the order shows is written again by a later run (%s first)',
  async (order, later, meanwhile) => {
    await using people = await SearchRig.start({ faults: { order } });
    const { rig } = people;
    people.talk('ada', 's1', 'Grows', [{ question: 'First', followUp: 'Second' }]);
    people.talk('ada', 's1', 'Grows', [
      { question: 'Second', id: 'odd-1', table: 'Kept', csv: 'a,b\n1,2\n' },
    ]);
    await rig.export();
    people.talk('ada', 's1', 'Grows', [{ question: 'Third' }]);
    const [key = ''] = rig.state.fileKeys('ada', 's1', 'odd-1');
    rig.state.removeFile(key);
    await rig.export();
    expect((await told(rig.out)).times).toEqual([meanwhile]);
    rig.state.putFile(key, 'a,b\n1,2\n');
    expect(await rig.export(later)).toMatchObject({ jobs: { archived: 1 } });
    const fresh = join(rig.directory, 'fresh');
    await rig.export({ out: fresh });
    expect(await told(rig.out)).toEqual(await told(fresh));
    expect(await rig.export({ full: true })).toMatchObject({ jobs: { archived: 0 } });
  },
);

it.each(['oldest', 'newest'] as const)(
  'a history from which the service takes old jobs is not written again each night (%s first)',
  fault('F-129'),
  async (order) => {
    await using people = await SearchRig.start({ faults: { order } });
    const { rig } = people;
    const jobs = [{ id: 'odd-1' }, {}, { id: 'odd-2' }, {}, { id: 'odd-3' }, {}, {}];
    const ids = people.talk('ada', 's1', 'Grows', jobs);
    await rig.export();
    for (const night of [1, 2, 3]) {
      const [oldest = ''] = rig.state.jobIds('ada', 's1');
      rig.state.deleteJob('ada', 's1', oldest);
      ids.push(...people.talk('ada', 's1', 'Grows', [{ id: `new-${night}` }]));
      expect(await rig.export({ full: night === 3 })).toMatchObject({ jobs: { archived: 1 } });
    }
    const numbers = await rowsOf(rig.out, 'SELECT job_id FROM current_jobs ORDER BY job_index');
    expect(numbers.map((row) => row['job_id'])).toEqual(ids);
  },
);

it('questions without a time have numbers of their own, whenever they were archived', async () => {
  await using people = await SearchRig.start();
  const { rig } = people;
  people.talk('ada', 's1', 'Grows', [{ id: 'odd-1' }, { id: 'odd-2' }]);
  await rig.export();
  people.talk('ada', 's1', 'Grows', [{ id: 'odd-3' }]);
  await rig.export();
  expect(
    await rowsOf(rig.out, 'SELECT job_id, job_index FROM current_jobs ORDER BY job_id'),
  ).toEqual([
    { job_id: 'odd-1', job_index: 1 },
    { job_id: 'odd-2', job_index: 0 },
    { job_id: 'odd-3', job_index: 2 },
  ]);
});

describe.each(['oldest', 'newest'] as const)('Where the %s question comes first', (order) => {
  it.each([
    ['a dated question', 100],
    ['an undated question', 5],
  ] as const)(
    '%s that has vanished takes no later one into another week (pages of %i)',
    async (gone, maxPageSize) => {
      await using people = await SearchRig.start({ maxPageSize, faults: { order } });
      const { rig } = people;
      const told = rig.state.newJobId(Date.UTC(2026, 0, 10, 18));
      const id = gone === 'a dated question' ? told : 'odd-1';
      const [first] = people.talk('ada', 's1', 'Shrinks', [{}, { id }, {}]);
      await rig.export();
      rig.state.deleteJob('ada', 's1', id);
      people.talk('ada', 's1', 'Shrinks', [{ id: 'odd-2' }]);
      expect(await rig.export()).toMatchObject({ jobs: { archived: 1 } });
      people.talk('ada', 's1', 'Shrinks', [{}, { id: 'odd-3' }, {}]);
      await rig.export();
      const jobs = await rowsOf(rig.out, 'SELECT job_index FROM current_jobs ORDER BY ALL');
      expect(jobs.map(({ job_index: index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6]);
      // 10, 10 and 11 January; later ones from Monday, 12 January
      const weeks = [
        { week: '2026-01-05', questions: 3 },
        { week: '2026-01-12', questions: 4 },
      ];
      expect(await rowsOf(rig.out, 'FROM v_usage_by_week')).toMatchObject(weeks);
      expect(await rowsOf(rig.out, 'FROM v_failures_by_week')).toMatchObject(weeks);
      const numbers = async () => {
        const { sessions } = await (await rig.open()).states.load(asUserId('ada'));
        const logged = sessions.get(asSessionId('s1'))?.jobs ?? new Map<string, never>();
        return [...logged.values()].map(({ index }) => index);
      };
      expect(await numbers()).toEqual([0, 1, 2, 3, 4, 5, 6]);
      const head = (await rig.open()).index.through;
      expect(await rig.export()).toMatchObject({ jobs: { archived: 0 } });
      expect(await rig.export({ full: true })).toMatchObject({ jobs: { archived: 0 } });
      expect((await rig.open()).index.through).toBe(head);
      expect(await numbers()).toEqual([0, 1, 2, 3, 4, 5, 6]);
      rig.state.deleteJob('ada', 's1', first ?? '');
      people.talk('ada', 's1', 'Shrinks', [{ id: 'odd-4' }, {}, {}]);
      expect(await rig.export()).toMatchObject({ jobs: { archived: 3 } });
      expect(await numbers()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(await rig.verify()).toMatchObject({ problems: [] });
    },
  );
});

it.each([
  ['a dated', 100, 'oldest'],
  ['an undated', 100, 'newest'],
  ['an undated', 4, 'oldest'],
  ['a dated', 4, 'newest'],
] as const)(
  '%s question that comes late, between archived ones, has its place, and they have theirs (pages of %i, %s first)',
  async (kind, maxPageSize, order) => {
    await using people = await SearchRig.start({ maxPageSize, faults: { order } });
    const { rig } = people;
    const on = (day: number) => rig.state.newJobId(Date.UTC(2026, 0, day));
    const [first, second, third] = [on(10), on(12), on(13)];
    const late = kind === 'a dated' ? on(11) : 'odd-late';
    const talk = (ids: readonly string[]) => {
      people.talk(
        'ada',
        's1',
        'Grows',
        ids.map((id) => ({ id })),
      );
    };
    const newer = ['odd-1', second, third];
    talk([first, ...newer]);
    await rig.export();
    for (const id of newer) rig.state.deleteJob('ada', 's1', id);
    talk([late, ...newer, 'odd-2']);
    const ids = [first, late, ...newer, 'odd-2'];
    expect(await rig.export()).toMatchObject({ jobs: { archived: 5 } });
    const jobs = await rowsOf(rig.out, 'SELECT job_id, job_index FROM current_jobs ORDER BY 2');
    expect(jobs).toEqual(ids.map((id, index) => ({ job_id: id, job_index: index })));
    expect(await rowsOf(rig.out, 'FROM v_usage_by_week WHERE week IS NULL')).toEqual([]);
    expect(await rig.export()).toMatchObject({ jobs: { archived: 0 } });
    expect(await rig.export({ full: true })).toMatchObject({ jobs: { archived: 0 } });
    expect(await rig.verify()).toMatchObject({ problems: [] });
  },
);
