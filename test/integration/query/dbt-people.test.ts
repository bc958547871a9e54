/** The dbt models count people and failures as `query` does: over all users they say what its views say. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { DbtProject } from '../../support/tables/dbt-project.js';
import { WAREHOUSE, warehouseFolder } from '../../support/tables/warehouse-folder.js';

const HOUR = 3_600_000;

let people: SearchRig;
let connection: DuckDBConnection;

beforeAll(async () => {
  people = await SearchRig.start();
  const { rig } = people;
  const { state, clock } = rig;
  // two spellings that list one conversation, and each another
  for (const user of ['ana', 'Ana']) {
    people.talk(user, 's-both', 'Shared', [{ question: 'Which?', id: 'j-1', followUp: 'Who?' }]);
  }
  people.talk('ana', 's-low', 'Low', [{ question: 'Why?', cited: 'Because.' }]);
  people.talk('Ana', 's-high', 'High', [{ question: 'When?', cited: 'Then.' }]);
  // nothing tells which came first, and their ids are those of another conversation
  people.talk('dan', 's-unordered', 'Unordered', [
    { question: 'Why?', id: 'u-1', followUp: 'How?', cited: 'So.' },
    { question: 'How?', id: 'u-2', followUp: 'Why?' },
  ]);
  people.talk('dan', 's-again', 'Again', [{ question: 'Why?', id: 'u-1', cited: 'So.' }]);
  // two lost files, of which somebody accepts one
  people.talk('ben', 's-accepted', 'Accepted', [{ table: 'A', csv: null }]);
  people.talk('ben', 's-lost', 'Lost', [{ table: 'A', csv: null }]);
  people.talk('ben', 's-empty', 'Empty', [{ table: 'A', csv: '' }]);
  // one failed long ago, one may still be answered
  const unanswered = [72, 0].map((hours) => ({
    job_id: state.newJobId(clock.now() - hours * HOUR),
    question: { blocks: [{ type: 'MESSAGE', content: 'Hm?' }] },
    answer: { blocks: [] },
  }));
  const session = { id: 's-open', name: 'Open', jobs: unanswered };
  state.importJson(JSON.stringify({ users: [{ user_id: 'cat', sessions: [session] }] }));
  await rig.archived();
  const why = ['--session', 's-accepted', '--reason', 'T-1', '--by', 'Dana', '--yes'];
  expect(await cli(['gap', 'accept', rig.out, ...why])).toMatchObject({ exitCode: 0 });

  const file = join(rig.directory, 'users.csv');
  await writeFile(file, 'user_id,team\nana,Sales\nben,Labs\ncat,Labs\n');
  const { stdout } = await cli(['query', rig.out, '--views', '--users-file', file]);
  connection = await (await DuckDBInstance.create(':memory:')).connect();
  const scripts = await warehouseFolder();
  for (const script of ['tables', 'load', 'current']) {
    if (script === 'load') await connection.run(stdout);
    await connection.run(scripts.get(`duckdb/${script}.sql`) ?? '');
  }
  const dbt = await DbtProject.read(`${WAREHOUSE}dbt`, 'analytics');
  await connection.run('CREATE SCHEMA analytics');
  for (const name of dbt.inOrder()) {
    for (const statement of dbt.statements(name, true)) await connection.run(statement);
  }
});
afterAll(() => people[Symbol.asyncDispose]());

async function rows(sql: string): Promise<unknown[][]> {
  return (await connection.runAndReadAll(sql)).getRowsJson();
}

describe('over all users', () => {
  const FAILURES = [
    ...['questions', 'without_answer', 'may_still_be_answered', 'with_lost_file'],
    'with_suspicious_file',
  ];
  const sums = FAILURES.map((column) => `sum(${column})::BIGINT`).join(', ');

  it.each([
    ['v_usage_by_week', 'users', 'count(DISTINCT user_id)', 'week'],
    ['v_usage_by_week', 'conversations, questions', 'sum(conversations), sum(questions)', 'week'],
    ['v_active_users_by_month', 'users, new_users', 'count(*), sum(is_new)', 'month'],
    ['v_failures_by_week', FAILURES.join(', '), sums, 'week'],
    ['v_failures_by_question_type', FAILURES.join(', '), sums, 'job_mode, question_type'],
    ['v_usage_by_user', 'conversations, questions', 'conversations, questions', 'user_id'],
    ['v_sources_by_week', 'questions, users', 'sum(questions), count(DISTINCT user_id)', 'week'],
    [
      'v_lost_files',
      'files, questions',
      'sum(files), sum(questions)::BIGINT',
      'kind, status, reason',
    ],
    ['v_answers_by_content', 'questions, with_table', 'sum(questions), sum(with_table)', 'month'],
    ['v_answers_by_content', 'undated', 'sum(undated)::BIGINT', 'month'],
    ['v_active_users_by_month', 'undated', 'sum(is_undated)::BIGINT', 'month'],
    ['v_most_used_sources', 'questions', 'sum(questions)', 'source, file_type, dataset_id'],
    ['v_sources_by_week', 'questions', 'sum(questions)', 'week, source, file_type, dataset_id'],
    ['v_usage_by_user', 'first_day, last_day', 'first_day, last_day', 'user_id'],
    ['v_most_used_sources', 'questions, last_used', 'sum(questions), max(last_used)', 'source'],
    ['v_conversation_length', 'conversations', 'count(*)', 'questions'],
    ['v_follow_ups_taken', 'questions_with_proposals', 'sum(questions_with_proposals)', 'month'],
  ])('the model %s has the %s of the view', async (name, ofView, ofModel, by) => {
    const asked = /^v_(usage_by_week|active_users)/.test(name) ? 'WHERE users > 0' : '';
    const view = await rows(`SELECT ${by}, ${ofView} FROM temp.${name} ${asked} ORDER BY ALL`);
    expect(view).not.toEqual([]);
    const group = name === 'v_usage_by_user' ? '' : `GROUP BY ${by}`;
    expect(
      await rows(`SELECT ${by}, ${ofModel} FROM analytics.${name} ${group} ORDER BY ALL`),
    ).toEqual(view);
  });

  it('what failed is told apart from what may still be answered, and an accepted loss is none', async () => {
    expect(await rows(`SELECT ${sums} FROM analytics.v_failures_by_week`)).toEqual([
      ['11', '1', '1', '1', '1'],
    ]);
  });

  it('what nobody can know is null, as in the views: an order, the id of a source', async () => {
    const taken = 'SELECT proposals_taken FROM analytics.v_follow_ups_taken';
    expect(await rows(`${taken} WHERE user_id = 'dan'`)).toEqual([[null]]);
    expect(await rows(`${taken} WHERE user_id = 'Ana'`)).toEqual([['0']]);
    for (const name of ['v_most_used_sources', 'v_sources_by_week']) {
      for (const schema of ['temp', 'analytics']) {
        const ids = `SELECT DISTINCT datasource_id FROM ${schema}.${name}`;
        expect([schema, name, await rows(ids)]).toEqual([schema, name, [[null]]]);
      }
    }
  });

  it.each(['sessions', 'jobs', 'blocks'])(
    'the newest %s of a conversation that two spellings list are there once, in dbt and DuckDB',
    async (table) => {
      const counted = await rows(`SELECT count(*) FROM temp.current_${table}`);
      for (const schema of ['jobvault', 'analytics']) {
        expect(await rows(`SELECT count(*) FROM ${schema}.current_${table}`)).toEqual(counted);
      }
    },
  );
});
