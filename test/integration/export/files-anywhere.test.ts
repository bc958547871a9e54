/** A file is fetched wherever a record points to it; where it cannot be, the run says so and nothing is deleted. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { png } from '../../support/tables/tiny-image.js';
import { fault } from '../../support/base/fault.js';

const PICTURES = ['chart.png', 'lower.png', 'markdown.png', 'question.png'];
const TABLES = ['question.csv', 'nested.csv'];

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  for (const [at, name] of PICTURES.entries())
    rig.state.putFile(name, png({ width: at + 1, height: 1 }));
  for (const name of TABLES) rig.state.putFile(name, `file\n${name}\n`);
});
afterEach(() => rig[Symbol.asyncDispose]());

const block = (type: string, content: unknown): object => ({ type, content, stage: 'Respond' });

function addSession(id: string, question: object[], answer: object[]): void {
  const job = {
    job_id: rig.oldJobId(),
    question: { blocks: question },
    answer: { blocks: answer },
  };
  rig.state.addSession('ann', { id }, [job]);
}

it(
  'stores the files of questions, nested, in lower case and in Markdown',
  fault('F-47'),
  async () => {
    addSession(
      'everywhere',
      [
        block('TABLE', { name: 'q', url: '{{url:question.csv}}' }),
        block('MESSAGE', 'What is ![this]({{url:question.png}})?'),
      ],
      [
        block('CHART_INFO', {
          charts: [{ url: '{{url:nested.csv}}' }],
          image: '{{url:chart.png}}',
        }),
        block('image', { name: 'l', url: '{{url:lower.png}}' }),
        block('MESSAGE', 'See ![it]({{url:markdown.png}}).'),
      ],
    );
    expect(await rig.rig.export()).toMatchObject({
      status: 'complete',
      gaps: [],
      artifacts: { stored: 6, not_fetched: 0 },
    });
    const rows = await rig.rig.rows('artifacts');
    expect(rows.map(({ role, kind, status }) => [role, kind, status].join(' ')).toSorted()).toEqual(
      [
        'answer CHART_INFO stored',
        'answer CHART_INFO stored',
        'answer IMAGE stored',
        'answer MARKDOWN_IMAGE stored',
        'question MARKDOWN_IMAGE stored',
        'question TABLE stored',
      ],
    );
    expect(outcomes(await rig.pruned())).toEqual({ everywhere: 'deleted' });
  },
);

it(
  'counts what it does not fetch, is not complete, and deletes nothing unless told to',
  fault('F-47'),
  async () => {
    addSession('elsewhere', [], [block('MESSAGE', 'See ![it](s3://bucket/markdown.png).')]);
    expect(await rig.rig.export()).toMatchObject({
      status: 'gaps',
      artifacts: { stored: 0, not_fetched: 1 },
      gaps: [{ session: 'elsewhere', kind: 'MARKDOWN_IMAGE', status: 'not_fetched' }],
    });
    expect(outcomes(await rig.pruned())).toEqual({ elsewhere: 'gap' });
    const accepting = (kind: string) =>
      rig.pruned({ rules: { all: true, acceptUnfetched: new Set([kind]) } });
    expect(outcomes(await accepting('TABLE'))).toEqual({ elsewhere: 'gap' });
    expect(rig.deletesSent).toBe(0);
    expect(outcomes(await accepting('MARKDOWN_IMAGE'))).toEqual({ elsewhere: 'deleted' });
  },
);

it('deletes nothing where content is behind an address that is no URL of a file', async () => {
  const blocks: Record<string, object> = {
    blob: block('IMAGE', 'blob:https://app.example/1'),
    'no-scheme': block('CHART_INFO', { image: '//files.example/chart.png' }),
    'in-a-name': block('TABLE', { name: 'Data: sales of the north' }),
    'json-text': block('CHART_INFO', JSON.stringify({ image: 'blob:https://app.example/2' })),
  };
  for (const [id, one] of Object.entries(blocks)) {
    addSession(id, [], [block('MESSAGE', 'Here.'), one]);
  }
  expect(await rig.rig.export()).toMatchObject({
    status: 'gaps',
    artifacts: { stored: 0, not_fetched: 3, unresolved: 1 },
  });
  expect(outcomes(await rig.pruned())).toEqual({
    blob: 'gap',
    'no-scheme': 'gap',
    'in-a-name': 'gap',
    'json-text': 'gap',
  });
});
