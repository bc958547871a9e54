/** The dbt project over a pseudonymised copy, which has neither files nor times within a day. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { DbtProject } from '../../support/tables/dbt-project.js';
import { WAREHOUSE, warehouseFolder } from '../../support/tables/warehouse-folder.js';

const MINUTE = 60_000;

let people: SearchRig;
beforeAll(async () => {
  people = await SearchRig.start();
  const { state } = people.rig;
  const at = Date.UTC(2026, 1, 4, 9);
  people.talk('ana', 's-day', 'Day', [
    { question: 'Which?', id: state.newJobId(at), table: 'sales.csv', csv: 'a,b\n1,2\n' },
    { question: 'Which day?', id: 'x-undated' },
    { question: 'Who?', id: state.newJobId(at + 2 * MINUTE) },
  ]);
  people.talk('ana', 's-pace', 'Pace', [
    { id: state.newJobId(at) },
    { id: state.newJobId(at + MINUTE) },
  ]);
  people.talk('ana', 's-lost', 'Lost', [{ id: state.newJobId(at), table: 'A', csv: null }]);
  // listed by id, and in no order within a day: nothing tells when the questions between were asked
  const later = at + 14 * 24 * 60 * MINUTE;
  const [first, second] = [state.newJobId(later), state.newJobId(later + MINUTE)];
  people.talk('ana', 's-id', 'By id', [{ id: first }, { id: `${first}-x` }, { id: second }]);
  const [third, fourth] = [state.newJobId(later + 2 * MINUTE), state.newJobId(later + MINUTE)];
  const last = { id: state.newJobId(later + 48 * 60 * MINUTE) };
  people.talk('ana', 's-turn', 'Turn', [{ id: third }, { id: fourth }, { id: 'x-turn' }, last]);
  // two spellings of one person, of whom one has nothing of its own
  const both = [{ id: state.newJobId(later) }];
  for (const user of ['eve', 'Eve']) people.talk(user, 's-eve', 'Both', both);
  people.talk('Eve', 's-own', 'Own', [{ id: state.newJobId(later) }]);
  await people.rig.archived();
  const key = beside('key');
  await writeFile(key, 'k'.repeat(32), { mode: 0o600 });
  for (const [name, ...words] of [['days'], ['times', '--keep-times']] as const) {
    const copied = await cli([
      'copy',
      people.rig.out,
      beside(name),
      '--pseudonymise',
      key,
      ...words,
    ]);
    expect(copied).toMatchObject({ exitCode: 0 });
  }
});
afterAll(() => people[Symbol.asyncDispose]());

function beside(name: string): string {
  return join(people.rig.directory, name);
}

type Built = Awaited<ReturnType<typeof build>>;
const databases = new Map<string, Promise<Built>>();
/** Once for all tests, which leave it as it is. */
function built(archive: string): Promise<Built> {
  const there = databases.get(archive) ?? build(archive);
  databases.set(archive, there);
  return there;
}

/** As config/warehouse/README.md loads it. */
async function build(archive: string) {
  const { stdout } = await cli(['query', archive, '--views']);
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const scripts = await warehouseFolder();
  await connection.run(scripts.get('duckdb/tables.sql') ?? '');
  await connection.run(stdout);
  await connection.run(scripts.get('duckdb/load.sql') ?? '');
  await connection.run('ALTER TABLE jobvault.users ADD COLUMN team VARCHAR');
  const dbt = await DbtProject.read(`${WAREHOUSE}dbt`, 'analytics');
  await connection.run('CREATE SCHEMA analytics');
  for (const name of dbt.inOrder()) {
    for (const statement of dbt.statements(name, true)) await connection.run(statement);
  }
  return { connection, dbt };
}

async function rows(connection: DuckDBConnection, sql: string): Promise<unknown[][]> {
  return (await connection.runAndReadAll(sql)).getRowsJson();
}

it.each(['days', 'times'])(
  'the dbt project passes its own tests on a copy with %s',
  async (copy) => {
    const { connection, dbt } = await built(beside(copy));
    for (const { name, sql } of dbt.tests()) {
      expect([name, await rows(connection, sql)]).toEqual([name, []]);
    }
  },
);

it('a stored file without a path fails a test of the dbt project in an archive with files', async () => {
  const { connection, dbt } = await built(people.rig.out);
  const test = dbt.tests().find(({ name }) => name === 'stored_artifacts_have_a_file');
  expect(await rows(connection, test?.sql ?? '')).toEqual([]);
  await connection.run('BEGIN');
  await connection.run("UPDATE analytics.artifacts SET sha256 = NULL WHERE status = 'stored'");
  expect(await rows(connection, test?.sql ?? '')).not.toEqual([]);
  await connection.run('ROLLBACK');
});

it('weeks of a copy are those of the original, and paces only where times are kept', async () => {
  const weeks = 'SELECT week, questions, undated FROM analytics.v_usage_by_week ORDER BY ALL';
  const paces = 'SELECT seconds::DOUBLE FROM analytics.v_time_to_next_question ORDER BY ALL';
  const told: Record<string, unknown> = {};
  for (const archive of [people.rig.out, beside('days'), beside('times')]) {
    const { connection } = await built(archive);
    told[archive] = [await rows(connection, weeks), await rows(connection, paces)];
  }
  const [original, copy, exact] = Object.values(told);
  const counts = [
    ['2026-02-02', '6', '1'],
    ['2026-02-16', '2', '0'],
    ['2026-02-16', '5', '0'],
    [null, '2', '2'],
  ];
  expect(original).toEqual([counts, [[60]]]);
  expect(copy).toEqual([counts, []]);
  expect(exact).toEqual(original);
});

it('people of a copy are those of the original, whatever their digests', async () => {
  const counts =
    'SELECT (SELECT count(DISTINCT person) FROM analytics.v_users), count(DISTINCT user_id) FROM analytics.v_usage_by_week';
  for (const archive of [people.rig.out, beside('days'), beside('times')]) {
    const { connection } = await built(archive);
    expect([archive, await rows(connection, counts)]).toEqual([archive, [['2', '2']]]);
  }
});
