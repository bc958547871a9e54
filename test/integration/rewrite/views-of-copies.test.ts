/** Analysts count in a pseudonymised copy what the archive counts, whenever the copy is made. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { QUESTION_VIEWS } from '../../../src/query/views/question-views.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

type Rows = Record<string, unknown>[];

const DAY = 86_400_000;

/** Ids are digests, a reason is left out, and the dictionary says of the others that a copy does not tell them. */
const NOT_IN_COPIES = [
  ...['user_id', 'session_id', 'job_id', 'question_text', 'dataset_id', 'datasource_id'],
  ...['source', 'file_type', 'reason'],
  ...['proposals_taken', 'share'],
];

let rig: ExportRig;
let copy: string;

beforeAll(async () => {
  rig = await ExportRig.start({ users: 0 });
  const { state, clock } = rig;
  const answered = [{ type: 'MESSAGE', content: 'Yes.', stage: 'Respond' }];
  const ask = (job_id: string, blocks: unknown[] = []) => ({
    job_id,
    question: { blocks: [{ type: 'MESSAGE', content: 'Hm?' }] },
    answer: { blocks },
  });
  const now = () => state.newJobId(clock.now());
  const source = { source: 'terms.pdf', datasource_id: 'd', dataset_id: 's', file_type: 'pdf' };
  const rich = [
    ...answered,
    { type: 'TABLE', content: { name: 'T', url: '{{url:t.csv}}' }, stage: 'Respond' },
    { type: 'TABLE', content: { name: 'L', url: '{{url:lost.csv}}' }, stage: 'Respond' },
    { type: 'TABLE', content: { name: 'E', url: '{{url:empty.csv}}' }, stage: 'Respond' },
    { type: 'SOURCES', content: [source], stage: 'Respond' },
    { type: 'QUESTIONS', content: ['And then?'], stage: 'Respond' },
  ];
  state.putFile('t.csv', 'a,b\n1,2\n');
  state.putFile('empty.csv', '');
  const talk = (user_id: string, id: string, jobs: unknown[]) => {
    const users = [{ user_id, sessions: [{ id, name: id, jobs }] }];
    state.importJson(JSON.stringify({ users }));
  };
  clock.ahead = -20 * DAY;
  const soon = state.newJobId(clock.now() + 60_000);
  talk('ada', 's1', [ask(now(), rich), ask(soon)]);
  talk('ada', 's2', [ask('odd-1')]);
  talk('bob', 's3', [ask('odd-2', answered)]);
  const early = [4, 3].map((days) => ask(state.newJobId(clock.now() - days * DAY), answered));
  talk('eve', 's7', [...early, ask('odd-6', answered)]);
  await rig.export();
  clock.ahead = -10 * DAY;
  state.addJob('eve', 's7', ask(now(), answered));
  talk('cat', 's4', [ask('odd-3'), ask('odd-4', answered)]);
  talk('cat', 's5', [ask(now())]);
  talk('dan', 's6', [ask(state.newJobId(clock.now() - 3 * DAY), answered), ask('odd-5')]);
  state.addJob('bob', 's3', ask(now(), answered));
  state.growAnswer('eve', 's7', 'odd-6', { type: 'MESSAGE', content: 'Or no.', stage: 'Respond' });
  await rig.export({ full: true });
  clock.ahead = 0;
  const key = join(rig.directory, 'key.bin');
  await writeFile(key, randomBytes(32));
  copy = join(rig.directory, 'copy');
  const run = await cli(['copy', rig.out, copy, '--pseudonymise', key, '--keep-times']);
  expect(run, run.stderr).toMatchObject({ exitCode: 0 });
});
afterAll(() => rig[Symbol.asyncDispose]());

async function rowsOf(place: string, sql: string): Promise<Rows> {
  return (await cliJson<{ rows: Rows }>(['query', place, sql])).rows;
}

it.each(QUESTION_VIEWS.map(({ name }) => name))(
  'a pseudonymised copy that is made days after the export has the same %s',
  async (name) => {
    const comparable = async (place: string) => {
      const rows = await rowsOf(place, `FROM ${name}`);
      return rows
        .map((row) =>
          JSON.stringify(row, (key, value: unknown) =>
            NOT_IN_COPIES.includes(key) ? undefined : value,
          ),
        )
        .toSorted();
    };
    const own = await comparable(rig.out);
    expect(own).not.toEqual([]);
    expect(await comparable(copy)).toEqual(own);
  },
);

it('a later copy counts the questions with doubtful files, as the archive does', async () => {
  for (const view of ['week', 'question_type']) {
    const sql = `SELECT sum(with_suspicious_file)::int AS told FROM v_failures_by_${view}`;
    const told = await Promise.all([rig.out, copy].map((place) => rowsOf(place, sql)));
    expect(told).toEqual([[{ told: 1 }], [{ told: 1 }]]);
  }
});

it('a later copy counts questions without a time by the day on which they were read', async () => {
  const counts = await rowsOf(
    copy,
    'SELECT without_answer, may_still_be_answered FROM v_failures_by_week WHERE week IS NULL',
  );
  expect(counts).toEqual([{ without_answer: 1, may_still_be_answered: 2 }]);
});

it('a later copy has the day of each row’s own export, to its end, and one run', async () => {
  const days = `SELECT DISTINCT strftime(exported_at AT TIME ZONE 'UTC', '%Y-%m-%d') AS day FROM jobs ORDER BY 1`;
  const own = await rowsOf(rig.out, days);
  expect(own).toHaveLength(2);
  expect(await rowsOf(copy, days)).toEqual(own);
  const times = `SELECT DISTINCT strftime(exported_at AT TIME ZONE 'UTC', '%H:%M:%S.%f') AS time, count(DISTINCT run_id)::INT AS runs FROM jobs GROUP BY ALL`;
  expect(await rowsOf(copy, times)).toEqual([{ time: '23:59:59.999999', runs: 1 }]);
});

it('changes of a copy names every version that its tables have', async () => {
  const versions = await rowsOf(
    copy,
    `SELECT concat_ws(' ', session_id, job_id, job_version) AS key FROM jobs
     UNION ALL SELECT concat_ws(' ', session_id, session_version) FROM sessions`,
  );
  const keys = versions.map(({ key }) => key).toSorted();
  expect(keys.filter((key) => String(key).endsWith(' 2'))).not.toEqual([]);
  for (const words of [['--since', '0'], ['--keys']]) {
    const { stdout } = await cli(['changes', copy, ...words, '--output', 'jsonl']);
    const lines = stdout.trim().split('\n');
    const told = lines
      .map((line) => JSON.parse(line) as Partial<Record<string, string | number | null>>)
      .filter((change) => change['session_id'] != null)
      .map((change) =>
        ['session_id', 'job_id', 'session_version', 'job_version']
          .flatMap((member) => change[member] ?? [])
          .join(' '),
      );
    expect(told.toSorted()).toEqual(keys);
  }
});
