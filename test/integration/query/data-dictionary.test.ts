/** The data dictionary says what `query` has, and shows an example from the archive. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataDictionary } from '../../../src/query/data-dictionary.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

const ALL_NAMES = `tables and views: ${[
  ...['sessions', 'jobs', 'blocks', 'sources', 'proposed_questions', 'artifacts'],
  ...[
    'raw_jobs',
    'datasets',
    'deletions',
    'groups',
    'stages',
    'current_sessions',
    'current_jobs',
    'current_blocks',
  ],
  ...['current_sources', 'current_proposed_questions', 'current_artifacts', 'current_raw_jobs'],
  ...['current_groups', 'current_stages', 'current_datasets', 'users', 'runs'],
  ...[
    'absent_sessions',
    'doubted_sessions',
    'sessions_listed_again',
    'user_spellings',
    'accepted_losses',
    'open_jobs',
    'v_questions',
  ],
  ...['v_active_users_by_month', 'v_answers', 'v_answers_by_content', 'v_conversation_length'],
  ...['v_failures_by_question_type', 'v_failures_by_week', 'v_follow_ups_taken', 'v_lost_files'],
  ...['v_most_used_sources', 'v_sources_by_week'],
  ...['v_time_to_next_question', 'v_usage_by_user', 'v_usage_by_week'],
].join(', ')}`;

describe('the data dictionary', () => {
  let people: SearchRig;
  let out: string;
  beforeAll(async () => {
    people = await SearchRig.start();
    out = people.rig.out;
    people.talk('ada', 's1', 'Revenue', [{ question: 'How much?', table: 'Sales' }]);
    await people.rig.archived();
  });
  afterAll(() => people[Symbol.asyncDispose]());

  it('has every table and view of query, with its columns and their types', async () => {
    const sql =
      "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_name <> 'rows_found' ORDER BY table_name, ordinal_position";
    const { rows } = await cliJson<{ rows: Record<string, string>[] }>(['query', out, sql]);
    const found = rows.map((row) => [row['table_name'], row['column_name'], row['data_type']]);
    const told = dataDictionary()
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap(({ name, columns }) =>
        columns.map((column) => [
          name,
          column.name,
          column.type.replace('TIMESTAMPTZ', 'TIMESTAMP WITH TIME ZONE'),
        ]),
      );
    expect(told).toEqual(found);
  });

  it('says once by which time the views count', () => {
    const told = JSON.stringify(dataDictionary());
    expect(told.match(/the dated question before it in the conversation/g)).toHaveLength(2);
    const asked = dataDictionary().find(({ name }) => name === 'v_questions');
    expect(asked?.columns.map(({ name }) => name)).toContain('asked_at');
    expect(told.match(/The views v_\* go by v_questions/g)).toHaveLength(4);
  });

  it('is listed by name and meaning', async () => {
    const { exitCode, stdout } = await cli(['tables', out]);
    expect(exitCode).toBe(0);
    const lines = stdout.split('\n');
    expect(lines[0]).toMatch(/^table +meaning$/);
    expect(stdout).toMatch(/^jobs +Questions and their answers; one row per version$/m);
    expect(stdout).toMatch(
      /^current_jobs +The newest versions of the rows of jobs; what two spellings/m,
    );
    expect(stdout).toMatch(
      /^v_usage_by_week +One row for each week \(from Monday on\), also where nobody asked, from the first question to the last: /m,
    );
    const { tables } = await cliJson<{ tables: { name: string }[] }>(['tables', out]);
    expect(tables).toEqual(
      dataDictionary().map(({ name, meaning: of, columns }) => ({
        name,
        meaning: of,
        columns: columns.map(({ name: column, type, isKey, meaning }) => ({
          ...{ name: column, type, is_key: isKey, meaning },
        })),
      })),
    );
  });

  it('shows the columns of a table and of a view with an example from the archive', async () => {
    const { stdout } = await cli(['tables', out, 'current_jobs']);
    expect(stdout).toMatch(/^current_jobs: The newest versions of the rows of jobs; .*\n\ncolumn /);
    expect(stdout).toMatch(/^user_id +VARCHAR, key +The user, as the export .* {2}ada$/m);
    expect(stdout).toMatch(/^question_text +VARCHAR +The question +How much\?$/m);
    expect(stdout).toMatch(/^created_at +TIMESTAMPTZ .* 2026-01-10T12:00:00/m);
    const view = await cli(['tables', out, 'v_usage_by_week']);
    expect(view.stdout).toBe(
      'v_usage_by_week: One row for each week (from Monday on), also where nobody asked, from the first question to the last: users, conversations and questions\n\n' +
        'column         type     meaning                                                                         example\n' +
        'week           DATE     Monday of the week; null (an empty cell) where v_questions does not know which  2026-01-05\n' +
        'users          BIGINT   Users who asked something                                                       1\n' +
        'conversations  BIGINT   Conversations with a question                                                   1\n' +
        'questions      BIGINT   Questions asked                                                                 1\n' +
        'undated        BIGINT   Of them, without a time of their own                                            0\n' +
        'note           VARCHAR  “date unknown” in the row without a week, else null (an empty cell)\n',
    );
  });

  it('shows a view without an archive, without examples, and lists all', async () => {
    expect(await cli(['tables', 'v_usage_by_user'])).toMatchObject({
      exitCode: 0,
      stdout:
        'v_usage_by_user: One row for each user: conversations, questions, the first and the last day, and weeks with a question\n\n' +
        'column         type     meaning\n' +
        'user_id        VARCHAR  The user; of several spellings the one that an export has listed last\n' +
        'conversations  BIGINT   Conversations with a question\n' +
        'questions      BIGINT   Questions asked\n' +
        'first_day      DATE     Day of the first question whose id tells its time\n' +
        'last_day       DATE     Day of the last question whose id tells its time\n' +
        'active_weeks   BIGINT   Weeks with a question\n',
    });
    expect(await cli(['tables'])).toEqual(await cli(['tables', out]));
    const wrong = await cli(['tables', 'v_usage_by_weeks']);
    expect([wrong.exitCode, wrong.stderr.split('\n')[0]]).toEqual([
      2,
      `jobvault: there is no table or view "v_usage_by_weeks", and no archive lies there; did you mean "v_usage_by_week"? ${ALL_NAMES}`,
    ]);
    const none = await cli(['tables', 'archive']);
    expect([none.exitCode, none.stderr.split('\n')[0]]).toEqual([
      2,
      `jobvault: there is no table or view "archive", and no archive lies there; ${ALL_NAMES}`,
    ]);
    expect((await cli(['tables', './jobs'])).stderr).toContain('is not a jobvault archive');
  });

  it('shows no signature of a URL, and says which tables there are', async () => {
    const files = await cliJson<{ columns: { name: string; example: string | null }[] }>([
      ...['tables', out, 'artifacts'],
    ]);
    expect(files.columns.find(({ name }) => name === 'name')?.example).toBe('Sales');
    const raw = await cliJson<unknown>(['tables', out, 'raw_jobs']);
    expect(JSON.stringify(raw)).not.toMatch(/Signature=|token=/i);
    const wrong = await cli(['tables', out, 'job']);
    expect([wrong.exitCode, wrong.stderr.split('\n')[0]]).toEqual([
      2,
      `jobvault: there is no table or view "job"; did you mean "jobs"? ${ALL_NAMES}`,
    ]);
    const far = await cli(['tables', out, 'nosuch']);
    expect([far.exitCode, far.stderr.split('\n')[0]]).toEqual([
      2,
      `jobvault: there is no table or view "nosuch"; ${ALL_NAMES}`,
    ]);
    const second = await cli(['tables', out, './archive-2']);
    expect([second.exitCode, second.stderr.split('\n')[0]]).toEqual([
      2,
      `jobvault: there is no table or view "./archive-2", and tables takes one archive; ${ALL_NAMES}`,
    ]);
    expect((await cli(['tables', `${out}-none`])).exitCode).toBe(2);
  });
});
