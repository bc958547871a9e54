/** What is shown and counted of a conversation is the same whether it was archived at once or night by night. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let nightly: SearchRig;
const ids: string[] = [];

beforeAll(async () => {
  nightly = await SearchRig.start();
  const { rig } = nightly;
  const say = (question: string, id?: string) => {
    const one = id === undefined ? { question } : { question, id };
    ids.push(...nightly.talk('ada', 's1', 'Sunday', [one]));
  };
  // 10 and 11 January, then one of unknown time
  for (const question of ['First', 'Second']) say(question);
  say('Undated', 'undated-last');
  await rig.export();
  rig.state.growAnswer('ada', 's1', ids[1] ?? '', 'Later.');
  // 12 and 13 January: another week, and the same month
  for (const question of ['Third', 'Fourth']) say(question);
  await rig.export();
});
afterAll(() => nightly[Symbol.asyncDispose]());

it('an answer that changed stays where it was asked, in show and in a workbook', async () => {
  const { stdout } = await cli(['show', nightly.rig.out, 's1']);
  const inOrder = ['First', 'Second', 'Undated', 'Third', 'Fourth'];
  expect([...stdout.matchAll(/^Q: (.*)$/gm)].map(([, question]) => question)).toEqual(inOrder);
  expect(stdout).toContain('undated-last, between 2026-01-11T12:00:00Z and 2026-01-12T12:00:00Z');
});

it('a question without a time counts beside its neighbours of now', async () => {
  const { rows } = await cliJson<{ rows: unknown[] }>([
    ...['query', nightly.rig.out, 'SELECT month, questions, undated FROM v_answers_by_content'],
  ]);
  // the first night, no dated one came after it
  expect(rows).toEqual([{ month: '2026-01-01', questions: 5, undated: 1 }]);
});

it('the JSON of show has times as all other JSON has them', async () => {
  const shown = await cliJson<{ session: object; jobs: { job: object; blocks: object[] }[] }>([
    ...['show', nightly.rig.out, 's1'],
  ]);
  const asked = { created_at: '2026-01-10T12:00:00.000000Z', created_before: asText() };
  expect(shown.jobs[0]).toMatchObject({ job: asked, blocks: [{ exported_at: asText() }, {}] });
  expect(shown.session).toMatchObject({ exported_at: asText() });
});

const asText = () => expect.stringMatching(/^20\d\d-.*Z$/) as unknown;
