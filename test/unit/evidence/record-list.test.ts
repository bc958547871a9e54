/** The file of a conversation's records is a list for programs, and each record stands in it to the letter. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { offsetsIn, recordList } from '../../../src/evidence/record-list.js';

async function* inPieces(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 7) {
    yield await Promise.resolve(bytes.subarray(at, at + 7));
  }
}

async function fileOf(records: readonly string[]): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of recordList(records.map(inPieces))) pieces.push(piece);
  return Buffer.concat(pieces);
}

it('a list of records is JSON, also where the service has sent them on several lines', async () => {
  const records = [{ a: 'ü\n' }, [1, [2]]].map((record) => JSON.stringify(record, null, 2));
  expect(JSON.parse((await fileOf(records)).toString())).toEqual([{ a: 'ü\n' }, [1, [2]]]);
});

it('each record of a list is found at its place, to the letter', async () => {
  const texts = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(texts, async (records) => {
      const file = await fileOf(records);
      const lengths = records.map((record) => Buffer.byteLength(record));
      const read = offsetsIn(lengths).map((offset, at) =>
        file.subarray(offset, offset + (lengths[at] ?? 0)).toString(),
      );
      expect(read).toEqual(records);
    }),
  );
});
