/** The views that answer what analysts ask first, of a few conversations that one can count by hand. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUESTION_VIEWS } from '../../../src/query/views/question-views.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

/** In the order of the jobs below, a day each, from Saturday, 10 January 2026 at noon (UTC). */
const FIRST = ['2026-01-05', '2026-01-12'] as const;

describe('the views for analysts', () => {
  let people: SearchRig;
  beforeAll(async () => {
    people = await SearchRig.start();
    const { state } = people.rig;
    // 10, 11 and 12 January
    people.talk('ada', 's1', 'Revenue', [
      { question: 'How much?', table: 'Sales', followUp: 'And costs?', cited: 'x' },
      { question: 'And costs?', code: 'SELECT 1', followUp: 'Why?' },
      { question: 'No, profit' },
    ]);
    // 13 January
    people.talk('bob', 's2', 'Terms', [
      { question: 'Which terms?', cited: 'y', table: 'Empty', csv: '' },
    ]);
    state.importJson(
      JSON.stringify({
        users: [{ user_id: 'bob', sessions: [{ id: 's3', name: 'Empty', jobs: [] }] }],
      }),
    );
    const at = Date.UTC(2026, 1, 2, 9);
    const asked = (ms: number, blocks: unknown[]) => ({
      job_id: state.newJobId(at + ms),
      question: { blocks: [{ type: 'MESSAGE', content: 'Hm?' }] },
      answer: { blocks },
    });
    const message = {
      type: 'MESSAGE',
      content: 'Yes.',
      stage: 'Respond',
      group_id: '',
      group_name: '',
    };
    state.importJson(
      JSON.stringify({
        users: [
          {
            user_id: 'ada',
            sessions: [
              {
                id: 's4',
                name: 'February',
                jobs: [asked(0, [message]), asked(90_000, []), asked(120_000, [message])],
              },
            ],
          },
        ],
      }),
    );
    await people.rig.archived();
    // a day later the log settles what has no answer
    people.rig.clock.ahead = 25 * 3_600_000;
    await people.rig.export();
  });
  afterAll(() => people[Symbol.asyncDispose]());

  const rows = async (view: string) =>
    (await cliJson<{ rows: unknown[] }>(['query', people.rig.out, `FROM ${view}`])).rows;

  it('are v_questions and thirteen more, ordered by name, and the help of query names them', () => {
    const names = QUESTION_VIEWS.map(({ name }) => name);
    expect(names).toHaveLength(14);
    expect(names.slice(1)).toEqual(names.slice(1).toSorted());
  });

  it('count usage by week', async () => {
    expect(await rows('v_usage_by_week')).toEqual([
      { week: FIRST[0], users: 1, conversations: 1, questions: 2, undated: 0, note: null },
      { week: FIRST[1], users: 2, conversations: 2, questions: 2, undated: 0, note: null },
      { week: '2026-01-19', users: 0, conversations: 0, questions: 0, undated: 0, note: null },
      { week: '2026-01-26', users: 0, conversations: 0, questions: 0, undated: 0, note: null },
      { week: '2026-02-02', users: 1, conversations: 1, questions: 3, undated: 0, note: null },
    ]);
  });

  it('count usage by user', async () => {
    expect(await rows('v_usage_by_user')).toEqual([
      {
        user_id: 'ada',
        conversations: 2,
        questions: 6,
        first_day: '2026-01-10',
        last_day: '2026-02-02',
        active_weeks: 3,
      },
      {
        user_id: 'bob',
        conversations: 1,
        questions: 1,
        first_day: '2026-01-13',
        last_day: '2026-01-13',
        active_weeks: 1,
      },
    ]);
  });

  it('count active users by month, new and returning', async () => {
    expect(await rows('v_active_users_by_month')).toEqual([
      { month: '2026-01-01', users: 2, new_users: 2, returning_users: 0, undated: 0 },
      { month: '2026-02-01', users: 1, new_users: 0, returning_users: 1, undated: 0 },
    ]);
  });

  it('say of each question what came of it', async () => {
    const sql = `SELECT question_text, is_answered AS answered, has_table, has_code, has_image,
      source_count, has_lost_file AS lost, has_suspicious_file AS odd FROM v_answers ORDER BY asked_at`;
    const { rows: told } = await cliJson<{ rows: object[] }>(['query', people.rig.out, sql]);
    const rest = { has_image: false, lost: false, odd: false };
    const none = { ...rest, has_table: false, has_code: false, source_count: 0 };
    expect(told).toEqual([
      { ...none, question_text: 'How much?', answered: true, has_table: true, source_count: 1 },
      { ...none, question_text: 'And costs?', answered: true, has_code: true },
      { ...none, question_text: 'No, profit', answered: true },
      {
        ...none,
        question_text: 'Which terms?',
        answered: true,
        has_table: true,
        source_count: 1,
        odd: true,
      },
      { ...none, question_text: 'Hm?', answered: true },
      { ...none, question_text: 'Hm?', answered: false },
      { ...none, question_text: 'Hm?', answered: true },
    ]);
  });

  it('count answers by what they contain', async () => {
    const none = { with_table: 0, with_image: 0, with_code: 0, with_sources: 0 };
    expect(await rows('v_answers_by_content')).toEqual([
      {
        ...none,
        month: '2026-01-01',
        questions: 4,
        with_table: 2,
        with_code: 1,
        with_sources: 2,
        words_alone: 1,
        undated: 0,
      },
      { ...none, month: '2026-02-01', questions: 3, words_alone: 2, undated: 0 },
    ]);
  });

  it('count conversations by their length, also empty ones', async () => {
    expect(await rows('v_conversation_length')).toEqual([
      { questions: 0, conversations: 1, share: 0.25 },
      { questions: 1, conversations: 1, share: 0.25 },
      { questions: 3, conversations: 2, share: 0.5 },
    ]);
  });

  it('tell the share of failures by the type of question', async () => {
    const [{ job_mode: mode } = { job_mode: null }] = (await rows('current_sessions')) as {
      job_mode: string | null;
    }[];
    expect(await rows('v_failures_by_question_type')).toEqual([
      {
        job_mode: mode,
        question_type: 'first question',
        questions: 3,
        without_answer: 0,
        may_still_be_answered: 0,
        with_lost_file: 0,
        with_suspicious_file: 1,
        unanswered_rate: 0,
        lost_file_rate: 0,
      },
      {
        job_mode: mode,
        question_type: 'follow-up',
        questions: 4,
        without_answer: 1,
        may_still_be_answered: 0,
        with_lost_file: 0,
        with_suspicious_file: 0,
        unanswered_rate: 0.25,
        lost_file_rate: 0,
      },
    ]);
  });

  it('tell the share of failures by week', async () => {
    const none = {
      ...{ without_answer: 0, may_still_be_answered: 0, with_lost_file: 0 },
      ...{ with_suspicious_file: 0, unanswered_rate: 0, lost_file_rate: 0, note: null },
    };
    expect(await rows('v_failures_by_week')).toEqual([
      { ...none, week: FIRST[0], questions: 2 },
      { ...none, week: FIRST[1], questions: 2, with_suspicious_file: 1 },
      { ...none, week: '2026-02-02', questions: 3, without_answer: 1, unanswered_rate: 0.3333 },
    ]);
  });

  it('tell the sources of each week', async () => {
    const terms = { datasource_id: null, source: 'terms.pdf', file_type: null, dataset_id: null };
    expect(await rows('v_sources_by_week')).toEqual([
      { ...terms, week: FIRST[0], questions: 1, users: 1, note: null },
      { ...terms, week: FIRST[1], questions: 1, users: 1, note: null },
    ]);
  });

  it('tell how often a proposed question was asked next', async () => {
    expect(await rows('v_follow_ups_taken')).toEqual([
      {
        ...{ month: '2026-01-01', questions_with_proposals: 2, proposals_taken: 1 },
        ...{ share: 0.5, order_unknown: 0 },
      },
    ]);
  });

  it('tell the sources that are used most, and when last', async () => {
    expect(await rows('v_most_used_sources')).toEqual([
      {
        datasource_id: null,
        source: 'terms.pdf',
        file_type: null,
        dataset_id: null,
        questions: 2,
        users: 2,
        last_used: '2026-01-13',
      },
    ]);
  });

  it('tell the time to the next question, within an hour', async () => {
    expect(await rows('v_time_to_next_question')).toEqual([
      { week: '2026-02-02', questions: 2, median_seconds_under_1h: 60, p90_seconds_under_1h: 84 },
    ]);
  });

  it('list lost files by their reason', async () => {
    expect(await rows('v_lost_files')).toEqual([]);
    people.rig.state.removeFile('table.csv');
    people.talk('bob', 's5', 'Lost', [{ table: 'Gone' }]);
    await people.rig.export();
    expect(await rows('v_lost_files')).toMatchObject([
      { kind: 'TABLE', status: 'missing', files: 1, questions: 1 },
    ]);
  });
});

it('Sources are told apart by their ids: two of one name are two, one that was renamed is one', async () => {
  await using people = await SearchRig.start();
  const { state, out } = people.rig;
  const at = Date.UTC(2026, 0, 7, 9);
  const source = (name: string, id: string, dataset = 'sales') => {
    return { source: name, datasource_id: id, dataset_id: dataset, file_type: 'pdf' };
  };
  const used = (day: number, ...content: object[]) => ({
    job_id: state.newJobId(at + day * 86_400_000),
    question: { blocks: [{ type: 'MESSAGE', content: 'Hm?' }] },
    answer: {
      blocks: [{ type: 'SOURCES', content, stage: 'Respond', group_id: '', group_name: '' }],
    },
  });
  const jobs = [
    used(0, source('terms.pdf', 'd1'), source('terms.pdf', 'd2')),
    used(1, source('terms-2026.pdf', 'd1')),
    used(2, source('a page', '', ''), source('a page', '', 'sales')),
  ];
  state.importJson(
    JSON.stringify({ users: [{ user_id: 'ada', sessions: [{ id: 's', name: 'S', jobs }] }] }),
  );
  await people.rig.export();
  const { rows } = await cliJson<{ rows: Record<string, unknown>[] }>([
    ...['query', out, 'FROM v_most_used_sources'],
  ]);
  expect(
    rows.map((row) => [row['datasource_id'], row['source'], row['dataset_id'], row['questions']]),
  ).toEqual([
    ['d1', 'terms-2026.pdf', 'sales', 2],
    [null, 'a page', '', 1],
    [null, 'a page', 'sales', 1],
    ['d2', 'terms.pdf', 'sales', 1],
  ]);
  expect(rows.map((row) => row['last_used'])).toEqual([
    ...['2026-01-08', '2026-01-09', '2026-01-09', '2026-01-07'],
  ]);
});

it('a question without a time counts where those beside it leave no doubt', async () => {
  await using people = await SearchRig.start();
  const { rig } = people;
  const day = 86_400_000;
  // a Wednesday
  rig.clock.ahead = Date.UTC(2026, 1, 4, 3) - rig.clock.now();
  const begin = rig.clock.now();
  const talk = (session: string, ids: readonly (number | string)[], user = 'ada') => {
    const asked = ids.map((id) => ({
      id: typeof id === 'string' ? id : rig.state.newJobId(begin + id * day),
    }));
    return people.talk(user, session, 'Grows', asked);
  };
  // on one day; within a week; within the month; over its end; before the first and after the last
  const jobs = [
    ...talk('s1', [-2.01, 'one-day', -2, 'one-week', 1, 'one-month', 20, 'no-month', 40, 'last']),
    ...talk('s2', ['first', -1, 'a-day', 0]),
  ];
  // no two dated ones
  talk('s3', ['lone', -1]);
  talk('s4', ['a', -2, 'b-within', -1]);
  // all dated ones of one day, also where times are days
  talk('s5', ['before', -1.01, 'same-day', -1.005]);
  // two pairs within an hour, and one with a question in between
  talk('s6', [50, 50.01, 50.02, 'between', 50.03], 'bob');
  await rig.export();
  const placed = async (archive: string) => {
    const sql =
      'SELECT job_id, asked_at, week, month FROM v_questions WHERE created_at IS NULL ORDER BY job_id';
    const { rows } = await cliJson<{ rows: Record<string, unknown>[] }>(['query', archive, sql]);
    return rows.map((row) => Object.values(row));
  };
  const [first, second] = ['2026-02-02', '2026-02-01'];
  const known = [
    ['a', null, null, null],
    ['a-day', null, first, second],
    ['b-within', null, first, second],
    ['before', null, null, null],
    ['between', null, '2026-03-23', '2026-03-01'],
    ['first', null, null, null],
    ['last', null, null, null],
    ['lone', null, null, null],
    ['no-month', null, null, null],
    ['one-day', null, first, second],
    ['one-month', null, null, second],
    ['one-week', null, first, second],
    ['same-day', null, first, second],
  ];
  expect(await placed(rig.out)).toEqual(known);
  const usage = async (archive: string) => {
    const sql = `SELECT week, questions, undated FROM v_usage_by_week WHERE undated > 0`;
    return (await cliJson<{ rows: unknown[] }>(['query', archive, sql])).rows;
  };
  const weeks = [
    { week: first, questions: 15, undated: 5 },
    { week: '2026-03-23', questions: 5, undated: 1 },
    { week: null, questions: 7, undated: 7 },
  ];
  expect(await usage(rig.out)).toEqual(weeks);
  // later nights, another spelling and a search of the same month change nothing
  rig.clock.ahead += 30 * day;
  rig.state.growAnswer('ada', 's1', jobs[1] ?? '', 'More.');
  await rig.export();
  expect(await usage(rig.out)).toEqual(weeks);
  const found = await cliJson<{ searched: number; time_unknown: number }>(
    ['search', rig.out, 'show', '--from', '2026-02', '--to', '2026-02'],
    3,
  );
  const sql = "SELECT count(*) AS n FROM v_questions WHERE month = '2026-02-01'";
  const { rows } = await cliJson<{ rows: { n: number }[] }>(['query', rig.out, sql]);
  expect([found.searched, found.time_unknown]).toEqual([rows[0]?.n, 5]);
  const key = join(rig.directory, 'key');
  await writeFile(key, 'k'.repeat(32), { mode: 0o600 });
  const copy = join(rig.directory, 'copy');
  expect(await cli(['copy', rig.out, copy, '--pseudonymise', key])).toMatchObject({ exitCode: 0 });
  expect(await usage(copy)).toEqual(weeks);
  const times = 'FROM v_time_to_next_question';
  const paced = await cliJson<{ rows: unknown[] }>(['query', rig.out, times]);
  expect(paced.rows).toMatchObject([{ questions: 2 }]);
  expect(await cliJson(['query', copy, times])).toMatchObject({ rows: [] });
  const exact = join(rig.directory, 'exact');
  await cli(['copy', rig.out, exact, '--pseudonymise', key, '--keep-times']);
  expect(await cliJson(['query', exact, times])).toMatchObject({ rows: paced.rows });
});
