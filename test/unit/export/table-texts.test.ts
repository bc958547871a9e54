import { expect, it } from 'vitest';
import { TableTexts } from '../../../src/export/jobs/table-texts.js';
import type { FileFacts, StoredFacts } from '../../../src/flatten/file-facts.js';
import type { ByteRange } from '../../../src/storage/storage.js';
import { STORED } from '../../support/tables/flattened-job.js';

const table = (sha256: string, change = {}): FileFacts => ({
  ...STORED,
  stored: { ...STORED.stored!, sha256, bytes: 100_000, ...change },
});

it('texts are at hand until others need their place; the one that is used last stays', () => {
  const texts = new TableTexts(10);
  texts.keep('a', 'aaaa');
  texts.keep('b', 'bbbb');
  texts.keep('a', 'aaaa');
  expect(texts.textsOf([table('a'), table('b')])).toEqual(new Map([['a', 'aaaa'], ['b', 'bbbb']])); // prettier-ignore
  texts.keep('c', 'cccc');
  expect(texts.textsOf([table('a'), table('c')])).toEqual(new Map([['a', 'aaaa'], ['c', 'cccc']])); // prettier-ignore
  expect(texts.textsOf([table('a'), table('b')])).toBeUndefined();
});

it('the texts of tables of one table are kept although it alone is larger than the place', () => {
  const texts = new TableTexts(2);
  texts.keep('a', 'aaaa');
  expect(texts.textsOf([table('a')])).toEqual(new Map([['a', 'aaaa']]));
});

it('the texts of tables are of no file without one', () => {
  const lost: FileFacts = { status: 'missing', reason: 'the host says 404' };
  expect(new TableTexts().textsOf([lost, table('image', { hasTableText: false })])).toEqual(
    new Map(),
  );
});

it('texts are read back from the beginning of the file, once, where they were let go of', async () => {
  const texts = new TableTexts();
  texts.keep('b', 'b\tat hand');
  const asked: [string, ByteRange][] = [];
  // eslint-disable-next-line @typescript-eslint/require-await -- a stream
  async function* read({ sha256 }: StoredFacts, range: ByteRange) {
    asked.push([sha256, range]);
    yield Buffer.from('name,value\nx,');
    yield Buffer.from('1\ncut o');
  }
  const files = [table('a'), table('b'), table('a')];
  expect(await texts.readBack(files, read)).toEqual(
    new Map([
      ['a', 'name\tvalue\nx\t1'],
      ['b', 'b\tat hand'],
    ]),
  );
  expect(asked).toEqual([['a', { start: 0, end: 16_384 }]]);
});
