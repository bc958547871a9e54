/** What counts as an answer: the export, the views and the page judge the same jobs alike. */
import { join } from 'node:path';
import { readdir, readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isAnswered } from '../../../src/model/blocks/answered.js';
import { blocksOf } from '../../../src/flatten/job-blocks.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

let rig: ExportRig;
beforeEach(async () => {
  rig = await ExportRig.start();
  rig.state.putFile('table.csv', 'name,value\nx,1\n');
});
afterEach(() => rig[Symbol.asyncDispose]());

const file = { name: 'table.csv', url: '{{url:table.csv}}', expires_at: '{{expires_at}}' };

/** Blocks of an answer, and whether they are one. */
const ANSWERS: Readonly<Record<string, readonly [unknown, boolean]>> = {
  text: [[{ type: 'MESSAGE', content: 'So.', stage: 'Respond' }], true],
  shouted: [[{ type: 'message', content: 'So.', stage: 'RESPOND' }], true],
  code: [[{ type: 'CODE', content: 'x = 1', stage: 'Respond' }], true],
  table: [[{ type: 'TABLE', content: file, stage: 'Respond' }], true],
  'lost-image': [[{ type: 'IMAGE', content: {}, stage: 'Respond' }], true],
  'empty-text': [[{ type: 'MESSAGE', content: '', stage: 'Respond' }], false],
  'no-content': [[{ type: 'MESSAGE', stage: 'Respond' }], false],
  'null-json': [[{ type: 'TASK', content: null, stage: 'Respond' }], false],
  'only-steps': [[{ type: 'MESSAGE', content: 'I look.', stage: 'Analyze' }], false],
  'table-of-a-step': [[{ type: 'TABLE', content: file, stage: 'Analyze' }], false],
  'no-stage': [[{ type: 'MESSAGE', content: 'So.' }], false],
  'no-object': [['So.', null, 7], false],
  none: [[], false],
};

it('an answer without text, table or image is none, to the export, in SQL and on the page', async () => {
  const jobs = Object.entries(ANSWERS).map(([id, [blocks]]) => ({
    job_id: id,
    question: { blocks: [{ type: 'MESSAGE', content: id }] },
    answer: { blocks },
  }));
  const sessions = jobs.map((job) => ({ id: `s-${job.job_id}`, name: job.job_id, jobs: [job] }));
  rig.state.importJson(JSON.stringify({ users: [{ user_id: 'ana', sessions }] }));
  await rig.export();
  const expected = Object.entries(ANSWERS).map(([id, [, is]]) => [id, is]);
  const byRecord = jobs.map((value) => [
    value.job_id,
    isAnswered(blocksOf({ value, text: JSON.stringify(value) } as never)),
  ]);
  expect(byRecord).toEqual(expected);
  const sql = 'SELECT job_id, is_answered FROM v_answers';
  type Answered = { job_id: string; is_answered: boolean };
  const { rows } = await cliJson<{ rows: Answered[] }>(['query', rig.out, sql]);
  const bySql = new Map(rows.map(({ job_id: id, is_answered: is }) => [id, is]));
  expect(expected.map(([id]) => [id, bySql.get(String(id))])).toEqual(expected);
  for (const [id, is] of expected) {
    const out = join(rig.directory, String(id));
    const words = ['report', rig.out, '--session', `s-${String(id)}`, '--out', out];
    expect((await cli(words)).stderr).not.toContain('rror');
    const found = await readdir(out, { recursive: true });
    const pieces = found.filter((name) => name.startsWith('data') && name.endsWith('.js'));
    const texts = await Promise.all(pieces.map((name) => readFile(join(out, name), 'utf8')));
    const told = /"isAnswered":(true|false)/.exec(texts.join(''))?.[1];
    expect([id, told]).toEqual([id, String(is)]);
  }
});
