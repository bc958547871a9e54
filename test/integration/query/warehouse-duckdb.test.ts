/** Every statement of config/warehouse that is meant for DuckDB, and dbt's SQL, run over a real archive. */
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Archive } from '../../../src/archive/archive.js';
import { artifactsTable, TABLES } from '../../../src/model/tables.js';
import { archiveViews } from '../../../src/query/views/archive-views.js';
import { QUESTION_VIEWS } from '../../../src/query/views/question-views.js';
import { DbtProject } from '../../support/tables/dbt-project.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { ask } from '../../support/rigs/query-rig.js';
import { queriesIn, WAREHOUSE, warehouseFolder } from '../../support/tables/warehouse-folder.js';

let rig: ExportRig;
let archive: Archive;
let connection: DuckDBConnection;
let dbt: DbtProject;
let folder: Map<string, string>;

/** Rows as texts, sorted. */
async function texts(sql: string): Promise<string[]> {
  const reader = await connection.runAndReadAll(sql);
  return reader
    .getRowsJson()
    .map((row) => JSON.stringify(row))
    .sort();
}

beforeAll(async () => {
  rig = await ExportRig.start({ users: 3, sessions: 3, jobs: 4 });
  const [user = ''] = rig.state.userIds();
  const lost = rig.state.addSession(user, { id: 'lost' });
  rig.state.putFile('files/gone.csv', 'a\n1\n');
  rig.state.addJob(
    user,
    lost,
    oldJob(rig.state.newJobId(Date.now() - 86_400_000), ['files/gone.csv']),
  );
  rig.state.removeFile('files/gone.csv');
  // in Auckland it is the next day, week and month
  const sunday = rig.state.addSession(user, { id: 'sunday' });
  rig.state.addJob(user, sunday, oldJob(rig.state.newJobId(Date.UTC(2026, 4, 31, 20)), []));
  // an empty text is no answer
  const blocks = [{ type: 'MESSAGE', stage: 'Respond', content: '' }];
  const empty = { job_id: rig.state.newJobId(Date.UTC(2026, 4, 30)), answer: { blocks } };
  const question = { blocks: [{ type: 'MESSAGE', content: 'Well?' }] };
  rig.state.addJob(user, sunday, JSON.stringify({ ...empty, question }));
  await rig.export();
  archive = await rig.open();
  folder = await warehouseFolder();
  connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run("SET TimeZone = 'UTC'");
  const users = rig.state
    .userIds()
    .map((id, at) => ({ user_id: id, team: at === 0 ? 'Sales' : 'Labs' }));
  const { sql } = await archiveViews([archive], { users });
  // twice, as after the next export
  for (let round = 0; round < 2; round++) {
    for (const script of ['tables', 'load', 'current']) {
      const text = folder.get(`duckdb/${script}.sql`) ?? '';
      if (script === 'load') await connection.run(sql);
      await connection.run(text);
    }
  }
  dbt = await DbtProject.read(`${WAREHOUSE}dbt`, 'analytics');
  await connection.run('CREATE SCHEMA analytics');
  for (const name of dbt.inOrder()) {
    for (const statement of dbt.statements(name, true)) await connection.run(statement);
  }
});
afterAll(() => rig[Symbol.asyncDispose]());

it.each(TABLES)(
  'the scripts for DuckDB fill $name with what the archive holds',
  async ({ name, columns }) => {
    const names = columns.map((column) => `"${column.name}"`).join(', ');
    expect(await texts(`SELECT ${names} FROM jobvault."${name}"`)).toEqual(
      await texts(`SELECT ${names} FROM temp."${name}"`),
    );
    const other = `SELECT count(*) FROM jobvault."${name}" WHERE dt <> (exported_at AT TIME ZONE 'UTC')::DATE`;
    expect(await texts(other)).toEqual(['["0"]']);
  },
);

it('the scripts for DuckDB say of every column what it means', async () => {
  const silent = await texts(
    `SELECT table_name, column_name FROM duckdb_columns() WHERE schema_name = 'jobvault'
         AND comment IS NULL AND table_name NOT LIKE 'current_%'`,
  );
  // a column of the users file means what that says
  expect(silent).toEqual(['["users","team"]']);
});

it('the scripts for DuckDB see the newest versions as query does', async () => {
  for (const view of ['current_jobs', 'current_blocks', 'current_artifacts', 'current_datasets']) {
    const counted = await ask({ archive, sql: `SELECT count(*) FROM ${view}` });
    expect(await texts(`SELECT count(*) FROM jobvault.${view}`)).toEqual([
      JSON.stringify(counted.rows[0]),
    ]);
  }
});

describe('in a session of another time zone', () => {
  /** Cells as they are, not as a time zone shows them. */
  const cells = async (sql: string, zone: string): Promise<string> => {
    await connection.run(`SET TimeZone = '${zone}'`);
    const reader = await connection.runAndReadAll(sql);
    await connection.run("SET TimeZone = 'UTC'");
    const plain = (_: string, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value;
    return JSON.stringify(reader.getRows(), plain);
  };
  const same = async (sql: string): Promise<void> => {
    const told = await cells(sql, 'UTC');
    expect([sql, await cells(sql, 'Pacific/Auckland')]).toEqual([sql, told]);
  };

  it('queries, models and views tell the same weeks and days', async () => {
    for (const [name, sql] of queriesIn(folder)) {
      if (name === 'datasets_never_asked') continue; // has no times, and may have no rows
      await same(sql);
      await same(`FROM analytics.${name} ORDER BY ALL`);
    }
    const views = QUESTION_VIEWS.map(({ name }) => name);
    for (const name of views) await same(`FROM temp.${name} ORDER BY ALL`);
    const weekly = queriesIn(folder).get('questions_per_user_and_week') ?? '';
    expect(await texts(weekly)).toContainEqual(expect.stringContaining('"2026-05-25"'));
  });

  it('the example of the README selects the same rows', async () => {
    const readme = folder.get('README.md') ?? '';
    const [, condition = ''] = /`WHERE (dt >= [^`]+)`/.exec(readme) ?? [];
    expect(condition).toContain('exported_at >=');
    const moments = `(SELECT DATE '2026-03-17' AS dt, TIMESTAMPTZ '2026-03-16 00:00:00+00' + INTERVAL 1 HOUR * n AS exported_at FROM range(48) AS of(n))`;
    await same(`SELECT count(*) FROM ${moments} WHERE ${condition}`);
  });
});

describe.each(['databricks', 'athena', 'bigquery', 'snowflake'])('the views for %s', (dialect) => {
  // plain SQL but for the quotes: what they mean can be seen here
  it('have the same rows as those for DuckDB', async () => {
    const script = (folder.get(`${dialect}/current.sql`) ?? '').replaceAll('`', '"');
    const views = [...script.matchAll(/VIEW jobvault\.(\w+) AS/g)].map(([, name = '']) => name);
    expect(views).toHaveLength(10);
    const all = async () => {
      const rows: (readonly string[])[] = [];
      for (const view of views) rows.push(await texts(`FROM jobvault.${view}`));
      return rows;
    };
    const before = await all();
    await connection.run('BEGIN');
    for (const view of views) await connection.run(`DROP VIEW jobvault.${view}`);
    await connection.run(script);
    const after = await all();
    await connection.run('ROLLBACK');
    expect(after).toEqual(before);
  });
});

it('the dbt project passes its own tests', async () => {
  const tests = dbt.tests();
  expect(tests.length).toBeGreaterThan(60);
  for (const { name, sql } of tests) expect([name, await texts(sql)]).toEqual([name, []]);
});

it('the dbt project takes every status that a file of the archive can have', async () => {
  const meaning = artifactsTable.columns.find(({ name }) => name === 'status')?.meaning ?? '';
  const statuses = meaning.split(/, | or /);
  expect(statuses).toContain('not_fetched');
  const [test] = dbt.tests().filter(({ name }) => /current_artifacts "status" acc/.test(name));
  await connection.run('BEGIN');
  for (const status of statuses) {
    await connection.run(`UPDATE analytics.artifacts SET status = '${status}'`);
    expect([status, await texts(test?.sql ?? '')]).toEqual([status, []]);
  }
  await connection.run('ROLLBACK');
});

it('the dbt project has tests that fail where something is wrong', async () => {
  await connection.run('BEGIN');
  await connection.run('INSERT INTO analytics.blocks FROM analytics.blocks LIMIT 5');
  await connection.run('INSERT INTO analytics.jobs FROM analytics.jobs LIMIT 1');
  await connection.run("UPDATE analytics.artifacts SET status = 'odd' WHERE status = 'stored'");
  await connection.run('DELETE FROM analytics.sessions');
  const failing: string[] = [];
  for (const { name, sql } of dbt.tests()) if ((await texts(sql)).length > 0) failing.push(name);
  await connection.run('ROLLBACK');
  for (const kind of ['unique', 'accepted_values', 'relationships', 'blocks_are_as_many']) {
    expect(failing.join('\n')).toContain(kind);
  }
});

it('the dbt project gives what query answers, for each of the five examples', async () => {
  const queries = queriesIn(folder);
  expect(queries.size).toBe(5);
  for (const [name, sql] of queries) {
    const { columns, rows } = await ask({ archive, sql });
    const shown = columns.map((column) => `CAST("${column}" AS VARCHAR) AS "${column}"`);
    const stamped = columns.includes('created_at') || columns.includes('exported_at');
    const fromDbt = await texts(`SELECT ${shown.join(', ')} FROM analytics.${name}`);
    expect([name, fromDbt.length]).toEqual([name, rows.length]);
    if (!stamped) expect(fromDbt).toEqual(rows.map((row) => JSON.stringify(row)).sort());
  }
});

it.each([
  ['v_questions', 'count(*)', 'count(*)'],
  ['v_questions', 'max(asked_at)', "max(asked_at) AT TIME ZONE 'UTC'"],
  ['v_usage_by_week', 'sum(questions)', 'sum(questions)'],
  ['v_usage_by_week', 'min(week)', 'min(week)'],
  ['v_usage_by_user', 'sum(conversations)', 'sum(conversations)'],
  [
    'v_answers_by_content',
    'sum(with_table) || sum(with_image)',
    'sum(with_table) || sum(with_image)',
  ],
  ['v_answers_by_content', 'sum(words_alone)', 'sum(words_alone)'],
  ['v_failures_by_week', 'sum(with_lost_file)', 'sum(with_lost_file)'],
  ['v_failures_by_week', 'sum(with_suspicious_file)', 'sum(with_suspicious_file)'],
  ['v_conversation_length', 'sum(questions * conversations)', 'sum(questions)'],
  ['v_sources_by_week', 'sum(questions)', 'sum(questions)'],
  ['v_lost_files', 'sum(files)', 'sum(files)'],
  ['v_active_users_by_month', 'sum(users)', 'count(DISTINCT (user_id, month))'],
  ['v_active_users_by_month', 'sum(new_users)', 'sum(is_new)'],
  ['v_active_users_by_month', 'min(month)', 'min(month)'],
  ['v_failures_by_question_type', 'sum(questions)', 'sum(questions)'],
  [
    'v_failures_by_question_type',
    "sum(questions) FILTER (question_type = 'follow-up')",
    "sum(questions) FILTER (question_type = 'follow-up')",
  ],
  ['v_failures_by_question_type', 'sum(with_lost_file)', 'sum(with_lost_file)'],
  ['v_follow_ups_taken', 'sum(questions_with_proposals)', 'sum(questions_with_proposals)'],
  ['v_follow_ups_taken', 'sum(proposals_taken)', 'sum(proposals_taken)'],
  ['v_follow_ups_taken', 'sum(order_unknown)', 'sum(order_unknown)'],
  ['v_most_used_sources', 'sum(questions)', 'sum(questions)'],
  ['v_most_used_sources', 'max(last_used)', 'max(last_used)'],
  ['v_time_to_next_question', 'sum(questions)', 'count(*)'],
])('the model %s has of all users what the view has: %s', async (name, ofView, ofModel) => {
  const view = await texts(`SELECT CAST(${ofView} AS VARCHAR) FROM temp.${name}`);
  expect(await texts(`SELECT CAST(${ofModel} AS VARCHAR) FROM analytics.${name}`)).toEqual(view);
  const teams = await texts(`SELECT DISTINCT team FROM analytics.${name} ORDER BY 1`);
  expect(teams.every((team) => team === '["Sales"]' || team === '["Labs"]')).toBe(true);
});

const answered = async (name: string) => {
  const sql = queriesIn(folder).get(name) ?? '';
  return (await ask({ archive, sql })).rows;
};
const jobs = () =>
  rig.state.userIds().flatMap((user) =>
    rig.state.sessionIds(user).flatMap((session) =>
      rig.state.jobIds(user, session).map((job) => ({
        user,
        session,
        job,
        blocks:
          (
            JSON.parse(rig.state.jobText(user, session, job)) as {
              answer: { blocks: { type: string; stage: string; content: unknown }[] } | null;
            }
          ).answer?.blocks ?? [],
      })),
    ),
  );

it('the five examples count as many questions as the service has', async () => {
  const counts = new Map<string, number>();
  for (const [user, , questions] of await answered('questions_per_user_and_week')) {
    counts.set(user ?? '', (counts.get(user ?? '') ?? 0) + Number(questions));
  }
  for (const user of rig.state.userIds()) {
    expect(counts.get(user)).toBe(jobs().filter((job) => job.user === user).length);
  }
});

it('the five examples cut weeks on Mondays', async () => {
  const weeks = (await answered('questions_per_user_and_week')).flatMap(([, week]) => week ?? []);
  expect(weeks.length).toBeGreaterThan(0);
  for (const week of weeks) expect(new Date(`${week}T00:00:00Z`).getUTCDay()).toBe(1);
});

it('the five examples name the answers that have no table', async () => {
  const bare = jobs().filter(
    ({ blocks }) =>
      blocks.some(({ stage, content }) => stage === 'Respond' && content !== '') &&
      !blocks.some(({ type }) => type === 'TABLE'),
  );
  expect(bare.length).toBeGreaterThan(0);
  const found = (await answered('answers_without_table')).map(([, , job]) => job);
  expect(found.sort()).toEqual(bare.map(({ job }) => job).sort());
});

it('the five examples name the file that could not be had, and why', async () => {
  const rows = await answered('failed_artifacts');
  expect(rows.map((row) => [row[1], row[6], row[8]])).toEqual([['lost', 'TABLE', 'missing']]);
});

it('the five examples tell the share of Analyze steps', async () => {
  for (const [user, all, analyze, share] of await answered('analyze_share')) {
    const blocks = jobs().flatMap((job) => (job.user === user ? job.blocks : []));
    const staged = blocks.filter(({ stage }) => stage);
    const analysis = staged.filter(({ stage }) => stage === 'Analyze');
    expect([Number(all), Number(analyze)]).toEqual([staged.length, analysis.length]);
    expect(Number(share)).toBeCloseTo(analysis.length / staged.length, 9);
  }
});

it('the five examples name the datasets that no answer rests on', async () => {
  const [used] = (
    await ask({
      archive,
      sql: 'SELECT DISTINCT dataset_id FROM current_sources WHERE dataset_id IS NOT NULL LIMIT 1',
    })
  ).rows;
  const sql = (queriesIn(folder).get('datasets_never_asked') ?? '').replace(
    'FROM current_datasets AS datasets',
    `FROM (VALUES ('${used?.[0] ?? ''}', 'used', 1, now()), ('unused', 'Unused', 2, now()))
         AS datasets(dataset_id, name, synched_count, exported_at)`,
  );
  const { rows } = await ask({ archive, sql });
  expect(rows.map(([id, name]) => [id, name])).toEqual([['unused', 'Unused']]);
});
