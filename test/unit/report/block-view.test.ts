import { expect, it } from 'vitest';
import { blockViews, type BlockContext } from '../../../src/report/jobs/block-view.js';
import type { Row } from '../../../src/model/table-schema.js';

const URL = 'https://h/a.csv?X-Amz-Date=20261101T000000Z&X-Amz-Signature=CANARYa1B2c3D4e5F6&v=2';
const SHOWN = 'https://h/a.csv?v=2';

/** Of a block without files. */
async function viewOf(block: Row): Promise<unknown> {
  const context = { longTexts: { fileOf: () => undefined }, datasets: new Map() };
  const [view] = await blockViews(block, [], context as unknown as BlockContext);
  return view;
}

it.each(['', 'python', 'bash'])(
  "A block's view leaves no signature in the page's data of code, in language %j",
  async (language) => {
    const text = `fetch("${URL}")\ncurl ${URL}`;
    const row = { type: 'CODE', content_text: text, code_language: language };
    const view = { kind: 'code', text: text.replaceAll(URL, SHOWN), language };
    expect(await viewOf(row)).toEqual(view);
  },
);

it("A block's view leaves no signature in the page's data of an answer in Markdown", async () => {
  const row = { type: 'MESSAGE', role: 'answer', content_text: `[t](${URL})` };
  expect(await viewOf(row)).toEqual({ kind: 'markdown', text: `[t](${SHOWN})` });
});

it("A block's view leaves no signature in the page's data of JSON", async () => {
  const row = { type: 'MOOD', role: 'answer', content_json: JSON.stringify({ at: URL }) };
  expect(JSON.stringify(await viewOf(row))).not.toContain('CANARY');
});
