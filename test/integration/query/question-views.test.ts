/** The views that answer what analysts ask first, of a few conversations that one can count by hand. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUESTION_VIEWS } from '../../../src/query/question-views.js';
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

it('a question counts no later than archived, also if the next dated one came weeks afterwards', async () => {
  await using people = await SearchRig.start();
  const { rig } = people;
  const day = 86_400_000;
  const ask = (id: string) => ({
    job_id: id,
    question: { blocks: [{ type: 'MESSAGE', content: 'Hm?' }] },
    answer: { blocks: [{ type: 'MESSAGE', content: 'Yes.', stage: 'Respond' }] },
  });
  rig.clock.ahead = -40 * day;
  const archived = rig.clock.now();
  const dated = [15, 14].map((days) => ask(rig.state.newJobId(archived - days * day)));
  const jobs = [...dated, ask('odd')];
  rig.state.importJson(
    JSON.stringify({ users: [{ user_id: 'ada', sessions: [{ id: 's', name: 'S', jobs }] }] }),
  );
  await rig.export();
  rig.clock.ahead = -10 * day;
  rig.state.addJob('ada', 's', ask(rig.state.newJobId(rig.clock.now())));
  await rig.export();
  const monday = new Date(archived);
  monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7));
  const sql = 'SELECT week, undated FROM v_usage_by_week WHERE undated > 0';
  const { rows } = await cliJson<{ rows: unknown[] }>(['query', rig.out, sql]);
  expect(rows).toEqual([{ week: monday.toISOString().slice(0, 10), undated: 1 }]);
});

it('a question counts when it was archived if it came after the conversation was read whole', async () => {
  await using people = await SearchRig.start();
  const { rig } = people;
  const day = 86_400_000;
  // a Monday
  rig.clock.ahead = Date.UTC(2026, 1, 2, 3) - rig.clock.now();
  const ask = (daysAgo: number | string) =>
    typeof daysAgo === 'string' ? daysAgo : rig.state.newJobId(rig.clock.now() - daysAgo * day);
  const growing: { id: string }[] = [];
  const talk = (session: string, ids: readonly (number | string)[]) => {
    const asked = ids.map((id) => ({ id: ask(id) }));
    people.talk('ada', session, 'Grows', asked);
    if (session === 's1') growing.push(...asked);
  };
  talk('s1', [6, 5, 'at once']);
  await rig.export();
  talk('s2', [4, 3, 'in a first reading']);
  rig.clock.ahead += 7 * day;
  talk('s1', ['a week later']);
  await rig.export();
  rig.clock.ahead += 1 * day;
  talk('s1', ['on another day of that week']);
  await rig.export();
  const counted = async (archive: string) => {
    const sql = 'SELECT week, questions, undated FROM v_usage_by_week';
    return (await cliJson<{ rows: unknown[] }>(['query', archive, sql])).rows;
  };
  const weeks = [
    { week: '2026-01-26', questions: 6, undated: 2 },
    { week: '2026-02-02', questions: 0, undated: 0 },
    { week: '2026-02-09', questions: 2, undated: 2 },
  ];
  expect(await counted(rig.out)).toEqual(weeks);
  const key = join(rig.directory, 'key');
  await writeFile(key, 'k'.repeat(32), { mode: 0o600 });
  const copy = join(rig.directory, 'copy');
  expect(await cli(['copy', rig.out, copy, '--pseudonymise', key])).toMatchObject({ exitCode: 0 });
  expect(await counted(copy)).toEqual(weeks);
  // a dated one that comes later takes none of them along
  talk('s1', [0]);
  await rig.export();
  const last = [
    { week: '2026-01-26', questions: 5, undated: 1 },
    { week: '2026-02-02', questions: 1, undated: 1 },
    { week: '2026-02-09', questions: 3, undated: 2 },
  ];
  expect(await counted(rig.out)).toEqual(last);
  // nor does it where it comes under another spelling of its user
  rig.state.deleteSession('ada', 's1');
  people.talk('Ada', 's1', 'Grows', growing);
  await rig.export();
  expect(await counted(rig.out)).toEqual(last);
});
