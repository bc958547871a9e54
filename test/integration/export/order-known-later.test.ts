/** The numbers of jobs whose order shows only some nights later, and of histories from which questions vanish. */
import { describe, expect, it } from 'vitest';
import { asSessionId, asUserId } from '../../../src/model/ids.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { fault } from '../../support/base/fault.js';

const rowsOf = async (out: string, sql: string) =>
  (await cliJson<{ rows: Record<string, unknown>[] }>(['query', out, sql])).rows;

it('a question of unknown place keeps its number when dates show the order later', async () => {
  await using people = await SearchRig.start();
  const { rig } = people;
  people.talk('ada', 's1', 'Grows', [{ id: 'odd-1' }, { id: 'odd-2' }]);
  await rig.export();
  const dated = people.talk('ada', 's1', 'Grows', [{}, {}]);
  expect(await rig.export()).toMatchObject({ jobs: { archived: 2 } });
  expect(await rig.export({ full: true })).toMatchObject({ jobs: { archived: 0 } });
  const jobs = await rowsOf(rig.out, 'SELECT job_id FROM current_jobs ORDER BY job_index');
  // the service listed the newest first, and nothing told so
  expect(jobs.map(({ job_id: id }) => id)).toEqual(['odd-2', 'odd-1', ...dated]);
});

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
      // 10, 10 and 11 January; later ones from Monday, 12 January; between the two nothing tells the week
      const weeks = [
        { week: '2026-01-05', questions: 3 },
        { week: '2026-01-12', questions: 3 },
        { week: null, questions: 1 },
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

it.each(['oldest', 'newest'] as const)(
  'a late question between archived ones has a higher number and its place by time (%s first)',
  async (order) => {
    await using people = await SearchRig.start({ faults: { order } });
    const { rig } = people;
    const [first = '', late = '', ...newer] = [10, 11, 12, 13].map((day) =>
      rig.state.newJobId(Date.UTC(2026, 0, day)),
    );
    const talk = (ids: readonly string[]) => {
      const jobs = ids.map((id) => ({ id, question: `Of ${id}` }));
      people.talk('ada', 's1', 'Grows', jobs);
    };
    talk([first, ...newer]);
    await rig.export();
    for (const id of newer) rig.state.deleteJob('ada', 's1', id);
    talk([late, ...newer]);
    expect(await rig.export()).toMatchObject({ jobs: { archived: 1 } });
    const numbers = await rowsOf(rig.out, 'SELECT job_id FROM current_jobs ORDER BY job_index');
    expect(numbers.map(({ job_id: id }) => id)).toEqual([first, ...newer, late]);
    const { stdout } = await cli(['show', rig.out, 's1']);
    const shown = [...stdout.matchAll(/^Q: Of (.*)$/gm)].map(([, id]) => id);
    expect(shown).toEqual([first, late, ...newer]);
    expect(await rig.export({ full: true })).toMatchObject({ jobs: { archived: 0 } });
    expect(await rig.verify()).toMatchObject({ problems: [] });
  },
);
