/** The report's picture of jobs over time and the view that analysts query count the same jobs in the same weeks. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

it('counts a job whose id tells no time in the week in which v_usage_by_week has it', async () => {
  await using rig = await ExportRig.start();
  const job = (id: string) => ({
    job_id: id,
    question: { blocks: [{ type: 'MESSAGE', content: 'Well?' }] },
    answer: { blocks: [{ type: 'MESSAGE', content: 'Yes.', stage: 'Respond' }] },
  });
  const timed = (month: number, day: number) => rig.state.newJobId(Date.UTC(2026, month, day, 9));
  // in one week, over the end of another, and after all
  const history = [
    ...[timed(0, 10), 'between', timed(1, 2), 'within', timed(1, 4), timed(2, 2), 'after'],
  ].map(job);
  const sessions = [
    { id: 's1', name: 'Sales', jobs: history },
    { id: 's2', name: 'Unknown', jobs: [job('never')] },
  ];
  rig.state.importJson(JSON.stringify({ users: [{ user_id: 'ada', sessions }] }));
  await rig.export();
  const { rows } = await cliJson<{ rows: { week: string | null; questions: string }[] }>([
    ...['query', rig.out, 'FROM v_usage_by_week'],
  ]);
  const out = join(rig.directory, 'report');
  expect((await cli(['report', rig.out, '--out', out])).exitCode).toBe(0);
  const page = await readFile(join(out, 'index.html'), 'utf8');
  const [, picture = ''] = /<h2>Questions over time<\/h2>(.*?)<\/section>/s.exec(page) ?? [];
  const drawn = [...picture.matchAll(/<th scope="row">(.*?)<\/th><td>(\d+)<\/td>/g)].map(
    ([, week, count]) => [week, Number(count)],
  );
  const told = rows.flatMap(({ week, questions }) =>
    week === null ? [] : [[week, Number(questions)]],
  );
  expect(drawn).toEqual(told);
  expect(Object.fromEntries(drawn)).toMatchObject({
    '2026-01-05': 1,
    '2026-02-02': 3,
    '2026-03-02': 1,
  });
  expect(/<p class="note">(.*?)<\/p>/.exec(picture)?.[1]).toBe(
    'Questions per week (UTC). 4 of 8 questions have no time of their own: such a question is in the picture where the ones beside it in its conversation were asked in the same week. Not in the picture: 3 without a time.',
  );
});
