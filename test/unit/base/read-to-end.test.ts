import { expect, it } from 'vitest';
import { readToEnd } from '../../../src/base/gunzipped.js';

const told: string[] = [];
async function* items(count: number): AsyncGenerator<number> {
  try {
    for (let item = 1; item <= count; item++) yield await Promise.resolve(item);
    told.push('read');
  } finally {
    told.push('closed');
  }
}

it('reading to the end reads everything', async () => {
  told.length = 0;
  await readToEnd(items(3), new AbortController().signal);
  expect(told).toEqual(['read', 'closed']);
});

it('reading to the end stops when its signal is aborted, and closes its source', async () => {
  told.length = 0;
  await expect(readToEnd(items(3), AbortSignal.abort(new Error('enough')))).rejects.toThrow(
    'enough',
  );
  expect(told).toEqual(['closed']);
});
