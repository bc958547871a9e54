import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine } from '../../../src/evidence/csv.js';

describe('a CSV line', () => {
  it.each([
    [[null, 'a', 1, true, false], ',a,1,yes,no\r\n'],
    [['', null], '"",\r\n'],
    [['a,b', 'c"d', 'e\nf', 'g\rh'], '"a,b","c""d","e\nf","g\rh"\r\n'],
    [['=1+1', '+1', '-1', '@A1'], "'=1+1,'+1,'-1,'@A1\r\n"],
    [['\tx', '\rx', '\nx'], `'\tx,"'\rx","'\nx"\r\n`],
    [["'=1", '\uFF1D1', 'a=1'], "''=1,'\uFF1D1,a=1\r\n"],
  ])('of %j is %j', (cells, line) => {
    expect(csvLine(cells)).toBe(line);
  });

  it('has all digits of a large number', () => {
    expect(csvLine([2n ** 60n])).toBe('1152921504606846976\r\n');
  });

  it('gives every text back through another reader, less one leading apostrophe', () => {
    const cells = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2, maxLength: 6 });
    const risky = fc.array(
      fc.string({ unit: fc.constantFrom(...Array.from('\'"=+-@,;\t\r\n \uFF1Da')) }),
      {
        minLength: 2,
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(fc.oneof(cells, risky), (texts) => {
        const [read = []] = parse(csvLine(texts), { record_delimiter: '\r\n' });
        for (const cell of read) expect(cell).not.toMatch(/^[=+\-@\t\r\n\uFF1D]/);
        expect(read.map((cell) => (cell.startsWith("'") ? cell.slice(1) : cell))).toEqual(texts);
      }),
    );
  });
});
