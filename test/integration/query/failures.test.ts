/** Which questions count as failed: by what the log says now, and not by what was known when a row was written. */
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

const HOUR = 3_600_000;

let people: SearchRig;
beforeEach(async () => {
  people = await SearchRig.start();
});
afterEach(() => people[Symbol.asyncDispose]());

type Row = Record<string, unknown>;

interface Told {
  readonly caveats: readonly { readonly kind: string; readonly count: number }[];
}

async function rows(sql: string): Promise<Row[]> {
  return (await cliJson<{ rows: Row[] }>(['query', people.rig.out, sql])).rows;
}

/** As a program reads that has only the views of `query --views`. */
async function inOtherProgram(sql: string): Promise<unknown> {
  const { stdout } = await cli(['query', people.rig.out, '--views']);
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(stdout);
  return (await connection.runAndReadAll(sql)).getRowsJson();
}

const respond = (type: string, content: unknown) => ({
  type,
  content,
  stage: 'Respond',
  group_id: '',
  group_name: '',
});

/** A conversation of one question for each of the answers. */
function ask(session: string, answers: readonly (readonly object[])[], hoursAgo = 48): void {
  const { state, clock } = people.rig;
  const jobs = answers.map((blocks, at) => ({
    job_id: state.newJobId(clock.now() - hoursAgo * HOUR + at * 1000),
    question: { blocks: [{ type: 'MESSAGE', content: 'Hm?' }] },
    answer: { blocks },
  }));
  state.importJson(
    JSON.stringify({ users: [{ user_id: 'ada', sessions: [{ id: session, name: 'S', jobs }] }] }),
  );
}

it("Friday's failure is one on Monday's dashboard, though no run has written a row since", async () => {
  const { rig } = people;
  rig.clock.ahead = Date.UTC(2026, 1, 6, 20) - rig.clock.now();
  ask('s', [[], [respond('MESSAGE', 'Yes.')]], 5);
  await rig.export();
  const open = { without_answer: 0, may_still_be_answered: 1, unanswered_rate: 0 };
  expect(await rows('FROM v_failures_by_week')).toMatchObject([{ questions: 2, ...open }]);
  for (let night = 0; night < 2; night++) {
    rig.clock.ahead += 24 * HOUR;
    await rig.export();
  }
  expect(await rows('SELECT count(*) AS versions FROM jobs')).toEqual([{ versions: 2 }]);
  const failed = { without_answer: 1, may_still_be_answered: 0, unanswered_rate: 0.5 };
  expect(await rows('FROM v_failures_by_week')).toMatchObject([{ questions: 2, ...failed }]);
  expect(await rows('FROM v_failures_by_question_type')).toMatchObject([
    { question_type: 'first question', ...failed, unanswered_rate: 1 },
    { question_type: 'follow-up', without_answer: 0, unanswered_rate: 0 },
  ]);
});

it('a question that its history has no more is unanswered after a day, in every output', async () => {
  const { rig } = people;
  rig.clock.ahead = Date.UTC(2026, 1, 6, 20) - rig.clock.now();
  const answers = [[respond('MESSAGE', 'Yes.')], [], [respond('MESSAGE', 'No.')]];
  const jobs = answers.map((blocks, at) => ({
    job_id: `6f9619ff-8b86-4011-b42d-00cf4fc964f${at}`,
    question: { blocks: [{ type: 'MESSAGE', content: 'Hm?' }] },
    answer: { blocks },
  }));
  const users = [{ user_id: 'ada', sessions: [{ id: 's', name: 'S', jobs }] }];
  rig.state.importJson(JSON.stringify({ users }));
  await rig.export();
  const open = async () => {
    const { may_change: change } = await cliJson<Row>(['status', rig.out]);
    const read = rows('SELECT sum(may_still_be_answered) AS open FROM v_failures_by_week');
    return [(change as Row)['jobs'], (await read)[0]?.['open']];
  };
  rig.state.deleteJob('ada', 's', jobs[1]?.job_id ?? '');
  rig.clock.ahead += 23 * HOUR;
  await rig.export();
  expect(await open()).toEqual([1, 1]);
  rig.clock.ahead += 2 * HOUR;
  await rig.export();
  expect(await open()).toEqual([0, 0]);
  const { caveats } = await cliJson<{ caveats: Row[] }>([
    'query',
    rig.out,
    'FROM v_failures_by_week',
  ]);
  expect(caveats.filter(({ kind }) => kind === 'unsettled')).toEqual([]);
  expect(await rows('FROM v_failures_by_week')).toMatchObject([{ without_answer: 1 }]);
  expect(await rows('SELECT count(*) AS versions FROM jobs')).toEqual([{ versions: 3 }]);
});

it('a question without a time does not open again where the id of its user is corrected', async () => {
  const { rig } = people;
  rig.clock.ahead = -72 * HOUR;
  const job_id = '6f9619ff-8b86-4011-b42d-00cf4fc964f0';
  const jobs = [{ job_id, question: { blocks: [] }, answer: { blocks: [] } }];
  const night = async (user_id: string) => {
    const users = [{ user_id, sessions: [{ id: 's', name: 'S', jobs }] }];
    rig.state.importJson(JSON.stringify({ users }));
    await rig.export({ users: [user_id] });
  };
  const counted = async () => rows('FROM v_failures_by_week');
  await night('Ada');
  expect(await counted()).toMatchObject([{ questions: 1, may_still_be_answered: 1 }]);
  rig.clock.ahead += 36 * HOUR;
  await night('Ada');
  const failed = { questions: 1, without_answer: 1, may_still_be_answered: 0, unanswered_rate: 1 };
  expect(await counted()).toMatchObject([failed]);
  rig.clock.ahead = 0;
  await night('ada');
  expect(await counted()).toMatchObject([failed]);
  expect(await inOtherProgram('SELECT count(*) FROM open_jobs')).toEqual([['0']]);
});

it('a question of a conversation that is gone gets no answer any more, in every output', async () => {
  const { rig } = people;
  ask('s', [[], [respond('MESSAGE', 'Yes.')]], 1);
  ask('left', [[]], 1);
  await rig.export();
  const open = async () => {
    const read = rows('SELECT sum(may_still_be_answered) AS open FROM v_failures_by_week');
    const told = [
      (await cliJson<Told>(['query', rig.out, 'FROM current_jobs'])).caveats,
      (await cliJson<Told>(['search', rig.out, 'hm'])).caveats,
      (await cliJson<Told>(['report', rig.out, '--out', join(rig.directory, 'report')])).caveats,
      (await cliJson<Told>(['show', rig.out, 's'])).caveats,
    ].map((caveats) => caveats.find(({ kind }) => kind === 'unsettled')?.count);
    return [(await read)[0]?.['open'], ...told];
  };
  expect(await open()).toEqual([2, 3, 3, 3, 2]);
  rig.state.deleteSession('ada', 's');
  rig.clock.ahead += HOUR;
  await rig.export();
  expect(await open()).toEqual([1, 1, 1, 1, undefined]);
  const left = { may_change: { jobs: 1, left: 2 } };
  expect(await cliJson<Row>(['status', rig.out])).toMatchObject(left);
});

it('a question that a history lacks which shows none of the archived ones is not settled', async () => {
  const { rig } = people;
  ask('s', [[]], 5);
  await rig.export();
  const [job = ''] = rig.state.jobIds('ada', 's');
  rig.state.deleteJob('ada', 's', job);
  rig.clock.ahead += 25 * HOUR;
  await rig.export();
  expect(await cliJson<Row>(['status', rig.out])).toMatchObject({ may_change: { jobs: 1 } });
});

it('what was old when it was first archived has failed from the first night on', async () => {
  const { rig } = people;
  rig.clock.ahead = Date.UTC(2026, 1, 6, 20) - rig.clock.now();
  ask('old', [[]], 72);
  ask('new', [[]], 5);
  await rig.export();
  const failed = { without_answer: 1, may_still_be_answered: 1, unanswered_rate: 1 };
  expect(await rows('FROM v_failures_by_week')).toMatchObject([{ questions: 2, ...failed }]);
  expect(await rows('SELECT count(*) AS open FROM open_jobs')).toEqual([{ open: 2 }]);
});

describe('an answer', () => {
  it('without text, table or image is none', async () => {
    people.rig.state.putFile('files/a.csv', 'a\n1\n');
    const table = { name: 'a', url: '{{url:files/a.csv}}', expires_at: '{{expires_at}}' };
    const answers = {
      none: [],
      empty: [respond('MESSAGE', '')],
      sources: [respond('SOURCES', [{ source: 'terms.pdf' }])],
      suggestions: [respond('QUESTIONS', ['And then?'])],
      step: [{ ...respond('MESSAGE', 'Counting'), stage: 'Analyze' }],
      text: [respond('MESSAGE', 'Yes.')],
      table: [respond('TABLE', table)],
    };
    ask('s', Object.values(answers));
    await people.rig.archived();
    people.rig.clock.ahead = 25 * HOUR;
    await people.rig.export();
    const sql =
      'SELECT sum(without_answer) AS without, sum(questions) AS questions FROM v_failures_by_week';
    expect(await rows(sql)).toEqual([{ without: 5, questions: 7 }]);
    expect(await rows('SELECT sum(words_alone) AS words FROM v_answers_by_content')).toEqual([
      { words: 1 },
    ]);
  });
});

it('a lost file has a rate of its own, and counts no more once somebody accepts the loss', async () => {
  const { rig } = people;
  people.talk('ada', 's', 'Lost', [{ question: 'a', table: 'A', csv: null }, { question: 'b' }]);
  await rig.export();
  const sql = 'SELECT with_lost_file, lost_file_rate, unanswered_rate FROM v_failures_by_week';
  const lost = { with_lost_file: 1, lost_file_rate: 0.5, unanswered_rate: 0 };
  expect(await rows(sql)).toEqual([lost]);
  const why = ['--reason', 'T-1', '--by', 'Dana', '--yes'];
  const accepted = await cli(['gap', 'accept', rig.out, '--session', 's', ...why]);
  expect([accepted.exitCode, accepted.stderr]).toEqual([0, expect.anything()]);
  expect(await rows(sql)).toEqual([{ ...lost, with_lost_file: 0, lost_file_rate: 0 }]);
});

it('views for another program go by time, and say so', async () => {
  ask('old', [[]], 72);
  ask('new', [[]], 0);
  await people.rig.archived();
  expect(await rows('SELECT count(*) AS open FROM open_jobs')).toEqual([{ open: 2 }]);
  const { stdout } = await cli(['query', people.rig.out, '--views']);
  expect(stdout).toContain('-- Which answers may still come is told by time here (open_jobs)');
  const sql = 'SELECT sum(without_answer), sum(may_still_be_answered) FROM v_failures_by_week';
  expect(await inOtherProgram(sql)).toEqual([['1', '1']]);
});
