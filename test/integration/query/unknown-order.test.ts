/** What analysts count where the ids of a conversation do not tell in which order its questions were asked. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { queriesIn, warehouseFolder } from '../../support/tables/warehouse-folder.js';

let people: SearchRig;

beforeAll(async () => {
  people = await SearchRig.start();
  // 10 January
  people.talk('ada', 's1', 'One is dated', [{ id: 'odd-1', csv: null, table: 'Lost' }, {}]);
  people.talk('ada', 's2', 'None is dated', [
    { id: 'odd-2', question: 'After' },
    { id: 'odd-3', followUp: 'After' },
  ]);
  people.talk('bob', 's3', 'Alone', [{ id: 'odd-4' }]);
  // 11 and 12 January: another week
  people.talk('bob', 's4', 'Two are dated', [
    ...[{}, { id: 'odd-5', followUp: 'Now' }],
    ...[{ question: 'Now' }, { id: 'odd-6' }],
  ]);
  await people.rig.archived();
});
afterAll(() => people[Symbol.asyncDispose]());

const rowsOf = async (sql: string) =>
  (await cliJson<{ rows: unknown[] }>(['query', people.rig.out, sql])).rows;

it('its questions are neither first questions nor follow-ups, unless there is but one', async () => {
  const sql =
    'SELECT question_type, questions, with_lost_file, lost_file_rate FROM v_failures_by_question_type';
  expect(await rowsOf(sql)).toEqual([
    { question_type: 'first question', questions: 2, with_lost_file: 0, lost_file_rate: 0 },
    { question_type: 'follow-up', questions: 3, with_lost_file: 0, lost_file_rate: 0 },
    { question_type: 'order unknown', questions: 4, with_lost_file: 1, lost_file_rate: 0.25 },
  ]);
});

it('a proposal of one of its questions is neither taken nor not', async () => {
  expect(await rowsOf('FROM v_follow_ups_taken')).toEqual([
    {
      ...{ month: '2026-01-01', questions_with_proposals: 1 },
      ...{ proposals_taken: 1, share: 1, order_unknown: 0 },
    },
    {
      ...{ month: null, questions_with_proposals: 1 },
      ...{ proposals_taken: null, share: null, order_unknown: 1 },
    },
  ]);
});

it('what the questions beside it do not date is in the row without a date', async () => {
  expect(await rowsOf('FROM v_usage_by_week')).toEqual([
    { week: '2026-01-05', users: 2, conversations: 2, questions: 2, undated: 0, note: null },
    { week: '2026-01-12', users: 1, conversations: 1, questions: 1, undated: 0, note: null },
    { week: null, users: 2, conversations: 4, questions: 6, undated: 6, note: 'date unknown' },
  ]);
});

it("bounds from its own page date no row where the conversation's order is unknown", async () => {
  await using paged = await SearchRig.start({ maxPageSize: 3 });
  // the newest page shows no order
  paged.talk('ada', 'long', 'Two pages', [
    ...[{}, { id: 'odd-1' }, {}],
    ...[{ id: 'odd-2' }, { id: 'odd-3' }, { id: 'odd-4' }],
  ]);
  await paged.rig.export();
  const { rows } = await cliJson<{ rows: unknown[] }>([
    ...['query', paged.rig.out],
    'SELECT questions, undated, note FROM v_usage_by_week ORDER BY note NULLS FIRST',
  ]);
  expect(rows).toEqual([
    { questions: 2, undated: 0, note: null },
    { questions: 4, undated: 4, note: 'date unknown' },
  ]);
});

it('the query of config/warehouse counts questions in the same weeks', async () => {
  const query = queriesIn(await warehouseFolder()).get('questions_per_user_and_week') ?? '';
  const counted = await rowsOf(
    `SELECT week, sum(questions)::BIGINT AS questions, sum(sessions)::BIGINT AS conversations, count(*) AS users FROM (${query}) GROUP BY week ORDER BY week`,
  );
  expect(counted).toEqual(
    await rowsOf('SELECT week, questions, conversations, users FROM v_usage_by_week'),
  );
});

it.each(['v_usage_by_week', 'v_failures_by_week', 'v_sources_by_week'])(
  'a file of %s says by itself what the row without a date is',
  async (view) => {
    const sql = `SELECT DISTINCT week IS NULL AS is_undated, note FROM ${view} ORDER BY ALL`;
    const noted = await rowsOf(sql);
    expect(noted).toEqual(
      expect.arrayContaining(
        view === 'v_sources_by_week' ? [] : [{ is_undated: true, note: 'date unknown' }],
      ),
    );
    expect(noted).not.toContainEqual({ is_undated: false, note: 'date unknown' });
    expect(noted).not.toContainEqual({ is_undated: true, note: null });
  },
);
