/** A line of JSON in pieces is the line as a whole. */
import { expect, it } from 'vitest';
import { jsonLine, jsonPieces } from '../../../src/cli/json-line.js';

it('says in pieces what it says as a whole, however long a text is', () => {
  const value = {
    session: { name: 'S\u001b', at: 5n, none: null, left: undefined },
    jobs: [
      { job: { text: 'a"\\\n🎉'.repeat(500_001) }, blocks: [], files: [{ index: 1 }, 'two'] },
      { job: { text: `b${'🎉'.repeat(600_000)}` }, blocks: [1, [2]], files: {} },
    ],
  };
  const pieces = [...jsonPieces(value)];
  expect(pieces.join('') === jsonLine(value)).toBe(true);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(3_000_000);
});
