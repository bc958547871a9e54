/** `status` and `query` over several archives: the shards of a company, and what is wrong with one of them. */
import { cp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import { openArchives } from '../../../src/index.js';
import { isInShard, parseShard, type Shard } from '../../../src/model/shard.js';
import { TABLE_NAMES } from '../../../src/model/tables.js';
import { cli, cliJson, cliOnTerminal } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

let rig: ExportRig;
let one: string;
let two: string;
/** Both. */
let both: string[];

beforeEach(async () => {
  rig = await ExportRig.start({
    users: 6,
    sessions: 2,
    jobs: 3,
    exactJobs: true,
    artifactsPerJob: 0,
  });
  [one, two] = ['1', '2'].map((name) => join(rig.directory, `archive-${name}`)) as [string, string];
  both = [one, two];
  const ofShard = (text: string): string[] =>
    rig.state.userIds().filter((user) => isInShard(user, parseShard(text) as Shard));
  await rig.archived({ out: one, users: ofShard('1/2') });
  await rig.archived({ out: two, users: ofShard('2/2'), formats: ['jsonl'] });
});
afterEach(() => rig[Symbol.asyncDispose]());

const rowsOf = async (sql: string, archives = both): Promise<unknown[]> =>
  (await cliJson<{ rows: unknown[] }>(['query', ...archives, sql])).rows;

const usersOf = async (archive: string): Promise<string[]> => {
  const found = await rowsOf('SELECT DISTINCT user_id FROM sessions ORDER BY ALL', [archive]);
  return found.map((row) => (row as { user_id: string }).user_id);
};

const isWithoutQuestions = ({ kind }: Caveat): boolean => kind === 'without_questions';

it('query has the rows of all, whatever their formats, and says of which archive a row is', async () => {
  const counts = await rowsOf('SELECT archive, count(*) AS n FROM jobs GROUP BY ALL ORDER BY ALL');
  expect(counts).toEqual([
    { archive: one, n: (await usersOf(one)).length * 6 },
    { archive: two, n: (await usersOf(two)).length * 6 },
  ]);
  const having = `SELECT string_agg(table_name, ' ' ORDER BY table_name) AS names FROM duckdb_columns()
      WHERE column_name = 'archive' AND table_name NOT IN (${TABLE_NAMES.map((name) => `'${name}'`).join()})`;
  const current = [...TABLE_NAMES, 'groups', 'stages']
    .filter((name) => name !== 'deletions')
    .map((name) => `current_${name}`);
  expect(await rowsOf(having)).toEqual([
    {
      names: ['archives', 'users', 'runs', 'groups', 'stages', ...current, 'absent_sessions']
        .sort()
        .join(' '),
    },
  ]);
  expect(await rowsOf('FROM v_usage_by_user')).toHaveLength(6);
  expect(await rowsOf('SELECT archive, project, commit FROM archives ORDER BY ALL')).toEqual([
    { archive: one, project: null, commit: 1 },
    { archive: two, project: null, commit: 1 },
  ]);
  expect(
    await rowsOf("SELECT column_name FROM (DESCRIBE jobs) WHERE column_name = 'archive'", [one]),
  ).toEqual([]);
});

it('query takes a last archive with a blank in its name for one where the SQL is elsewhere', async () => {
  const spaced = join(rig.directory, 'the second archive');
  await cp(two, spaced, { recursive: true });
  const sql = join(rig.directory, 'count.sql');
  await writeFile(sql, 'SELECT count(*) AS n FROM jobs');
  const { rows } = await cliJson<{ rows: unknown[] }>(['query', one, spaced, '--sql-file', sql]);
  expect(rows).toEqual([{ n: 36 }]);
  expect((await cli(['query', one, spaced, '--views'])).stdout).toContain(`'${spaced}' AS archive`);
});

it.each(['SELECT 1', 'from jobs', '/* all */ SELECT 1', '(SELECT 1)'])(
  'query refuses %j beside a file with SQL, and views beside it',
  async (words) => {
    const twice = await cli(['query', ...both, words, '--sql-file', 'none.sql']);
    expect([twice.exitCode, twice.stderr]).toEqual([2, expect.stringContaining('given twice')]);
    const views = await cli(['query', one, words, '--views']);
    expect([views.exitCode, views.stderr]).toEqual([2, expect.stringContaining('runs none')]);
  },
);

it('query tells the commit of each, and prints the views for another DuckDB', async () => {
  const line = await cliJson(['query', ...both, 'SELECT 1 AS n']);
  expect(line).toMatchObject({
    archives: both.map((archive) => ({ archive, commit: 1 })),
    users_in_several: [],
    rows: [{ n: 1 }],
  });
  const { stdout } = await cli(['query', ...both, '--views']);
  expect(stdout).toContain(`-- The archive ${two} as of commit 1, for DuckDB.`);
  expect(stdout).toContain(`'${one}' AS archive`);
});

it('query over several archives says the caveats of each, with where it is', async () => {
  const [user = ''] = await usersOf(one);
  const empty = { id: 's-empty', name: 'Empty', jobs: [] };
  rig.state.importJson(JSON.stringify({ users: [{ user_id: user, sessions: [empty] }] }));
  await rig.export({ out: one, users: [user] });
  const words = ['query', ...both, 'SELECT 1 AS n'];
  const { stdout, stderr } = await cliOnTerminal([...words, '--output', 'csv']);
  expect(stdout).toBe('n\n1\n');
  expect(stderr).toContain(`${one}: complete\n  note  1 conversation has no question`);
  const { archives } = await cliJson<{ archives: { caveats: Caveat[] }[] }>(words);
  const toldOf = archives.map(({ caveats }) => caveats.some(isWithoutQuestions));
  expect(toldOf).toEqual([true, false]);
});

it('query over several archives reads nothing but the files of these archives', async () => {
  const sql = `FROM read_text('${one}/jobvault.json')`;
  expect(await cli(['query', ...both, sql])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('the table function read_text is not allowed') as unknown,
  });
});

it('query over several archives counts a user of several archives once in views, and says so', async () => {
  const [user = ''] = await usersOf(one);
  const before = await rowsOf('FROM v_usage_by_user ORDER BY user_id');
  await rig.export({ out: two, users: [user], formats: ['jsonl'] });
  const words = ['query', ...both, 'FROM v_usage_by_user ORDER BY user_id', '--json'];
  const { stdout, stderr } = await cli(words);
  const line = JSON.parse(stdout) as { rows: unknown[]; users_in_several: unknown[] };
  expect(line.rows).toEqual(before);
  expect(line.users_in_several).toEqual([{ user, archives: both }]);
  expect(stderr).toContain(`${user} is in more than one of these archives`);
  const mine = `WHERE user_id = '${user}'`;
  expect(await rowsOf(`SELECT count(*) AS n FROM jobs ${mine}`)).toEqual([{ n: 12 }]);
  // the archive that has read them last
  const newest = `SELECT archive, count(*) AS n FROM current_jobs ${mine} GROUP BY ALL`;
  expect(await rowsOf(newest)).toEqual([{ archive: two, n: 6 }]);
  const sessions = `SELECT archive, count(*) AS n FROM current_sessions ${mine} GROUP BY ALL`;
  expect(await rowsOf(sessions)).toEqual([{ archive: two, n: 2 }]);
});

it('query over several archives has each dataset of the service once', async () => {
  const [[first = ''], [second = '']] = [await usersOf(one), await usersOf(two)];
  await rig.export({ out: one, users: [first], withDatasets: true });
  await rig.export({ out: two, users: [second], withDatasets: true, formats: ['jsonl'] });
  const [row] = (await rowsOf(
    'SELECT count(*) AS n, count(DISTINCT dataset_id) AS ids FROM current_datasets',
  )) as { n: number; ids: number }[];
  expect(row?.n).toBeGreaterThan(0);
  expect(row?.n).toBe(row?.ids);
  expect(await rowsOf('SELECT count(*) AS n FROM datasets')).toEqual([{ n: (row?.n ?? 0) * 2 }]);
});

it('query refuses a missing archive, one named twice, and words of SQL that are apart', async () => {
  const missing = join(rig.directory, 'none');
  expect(await cli(['query', ...both, missing, 'SELECT 1'])).toMatchObject({
    exitCode: 2,
    stderr: `jobvault: ${missing} is not a jobvault archive: nothing is there, so nothing has been exported to it yet; of several words the last is the SQL, in one pair of quotes, and the others are archives\nTry jobvault query --help.\n`,
  });
  const again = join(rig.directory, 'again');
  await cp(one, again, { recursive: true });
  expect(await cli(['query', one, again, 'SELECT 1'])).toMatchObject({
    exitCode: 2,
    stderr: `jobvault: ${one} and ${again} are the same archive or copies of one: everything would count twice; name it once\nTry jobvault query --help.\n`,
  });
  expect(await cli(['query', one, 'SELECT 1', '--views'])).toMatchObject({ exitCode: 2 });
});

it('status of several archives adds up what each says, and finds nothing wrong', async () => {
  const each = await Promise.all(both.map((archive) => cliJson<object>(['status', archive])));
  const all = await cliJson<{ archives: unknown[] }>(['status', ...both]);
  expect(all.archives).toEqual(each);
  const { sessions, jobs } = rig.state.totals();
  expect(all).toMatchObject({
    users: { total: 6, complete: 6, failed: 0 },
    sessions: { total: sessions, complete: sessions },
    jobs: { total: jobs },
    gaps: {},
    users_in_several: [],
  });
  const { exitCode, stdout } = await cli(['status', ...both]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^2 archives\n/);
  expect(stdout).toMatch(/^ {2}users +6: 6 complete$/m);
  expect(stdout).toContain('Nothing is wrong in any of them, as far as their logs say.\n');
});

it('status has a line for each archive with something wrong, and the worst exit code', async () => {
  const missing = join(rig.directory, 'none');
  const words = ['status', ...both, missing];
  const lost = await cli(words);
  expect(lost.exitCode).toBe(2);
  expect(lost.stdout).toMatch(/^3 archives, of which 1 could not be read\n/);
  const sentence = `${missing} is not a jobvault archive: nothing is there, so nothing has been exported to it yet`;
  expect(lost.stdout).toContain(`\nSomething is wrong in 1 of them\n  ${missing}  ${sentence}\n`);
  const [commit = ''] = await readdir(join(two, '_commits'));
  await writeFile(join(two, '_commits', commit), '{}');
  const damaged = await cli(words);
  expect(damaged.exitCode).toBe(4);
  expect(damaged.stdout).toMatch(/^3 archives, of which 2 could not be read\n/);
  const line = await cliJson<{ archives: unknown[] }>(words, 4);
  expect(line.archives).toMatchObject([
    { location: one, users: {} },
    { location: two, exit_code: 4, error: expect.stringContaining(commit) as unknown },
    { location: missing, exit_code: 2, error: sentence },
  ]);
});

it('status shows a named user wherever the user is, and refuses one whom no archive has', async () => {
  const [user = ''] = await usersOf(two);
  const found = await cliJson<{ details: unknown[] }>(['status', ...both, '--user', user]);
  expect(found.details).toMatchObject([
    { archive: two, user, status: 'complete', detail: [{}, {}] },
  ]);
  const { stdout } = await cli(['status', ...both, '--user', user]);
  expect(stdout).toMatch(`${two}\n${user}: complete\n`);
  expect(await cli(['status', ...both, '--user', 'nobody'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('each of the 2 archives has no user "nobody"') as unknown,
  });
  const why = ['--user', 'nobody', '--reason', 'asked', '--by', 'Grace', '--yes'];
  await cli(['erase', two, '--suppress-only', ...why]);
  expect((await cli(['status', ...both, '--user', 'nobody'])).stderr).toContain(
    'Exports skip this user since somebody decided so (erase --suppress-only)',
  );
});

it('status of several archives says that a user lies in two of them', async () => {
  const [user = ''] = await usersOf(one);
  await rig.export({ out: two, users: [user], formats: ['jsonl'] });
  const { users_in_several: several } = await cliJson<{ users_in_several: unknown[] }>([
    'status',
    ...both,
  ]);
  expect(several).toEqual([{ user, archives: both }]);
  expect((await cli(['status', ...both])).stdout).toContain(
    `${user} is in more than one of these archives (${user}: ${one}, ${two})`,
  );
});

it('the library opens several archives, and answers of all', async () => {
  await using archives = await openArchives(both);
  const seen: string[] = [];
  const status = await archives.status({
    onUser: ({ user }, archive) => seen.push(`${archive} ${user}`),
  });
  expect(status.users.total).toBe(6);
  expect(seen).toHaveLength(6);
  expect(await archives.query('SELECT count(*) AS n FROM jobs')).toEqual([{ n: 36 }]);
  expect((await archives.views()).commits).toEqual(both.map((archive) => ({ archive, commit: 1 })));
  await using broken = await openArchives([one, join(rig.directory, 'none')]);
  expect((await broken.status()).archives).toMatchObject([
    { location: one },
    { error: { code: 'USAGE' } },
  ]);
  await expect(broken.views()).rejects.toThrow('is not a jobvault archive');
  await expect(openArchives([])).rejects.toThrow('no archive is named');
});
