import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvField, csvFieldPieces, csvLine } from '../../../../src/base/text/csv.js';
import { fault } from '../../../support/base/fault.js';
import { withoutApostrophes } from '../../../support/tables/csv-apostrophes.js';

const plain = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2, maxLength: 6 });
const risky = fc.array(
  fc.string({ unit: fc.constantFrom(...Array.from('\'"=+-@,;\t\r\n \uFF1Da1')) }),
  { minLength: 2, maxLength: 6 },
);

it.each([
  [[null, 'a', 1, true, false], ',a,1,yes,no\r\n'],
  [['', null], '"",\r\n'],
  [['a,b', 'c"d', 'e\nf', 'g\rh'], '"a,b","c""d","e\nf","g\rh"\r\n'],
  [['=1+1', '+1', '-x', '@A1'], "'=1+1,'+1,'-x,'@A1\r\n"],
  [['-1', '-0.5e-7', '-1-1', -2], "-1,-0.5e-7,'-1-1,-2\r\n"],
  [['\tx', '\rx', '\nx'], `'\tx,"'\rx","'\nx"\r\n`],
  [["'=1", '\uFF1D1', 'a=1'], "''=1,'\uFF1D1,a=1\r\n"],
  [[' =1', '"=1"', 'a;=1', 'a\t@x'], `' =1,"'""=1""",a;'=1,a\t'@x\r\n`],
  [['a\r\n=1', 'a; "-x', "a;'b", 'a;b=1'], `"a\r\n'=1","a;' ""-x",a;''b,a;b=1\r\n`],
])('a CSV line of %j is %j', (cells, line) => {
  expect(csvLine(cells)).toBe(line);
});

it.each(['', 'a', '-1', '=1;"x"\n=2', 'a,b', '"'.repeat(1_000_001), 'a;=1 "'.repeat(170_000)])(
  'a CSV line has a field in pieces that are the field',
  (text) => {
    for (const separator of [',', ';', '\t'] as const) {
      expect([...csvFieldPieces(text, separator)].join('') === csvField(text, separator)).toBe(
        true,
      );
    }
  },
);

it('a CSV line has all digits of a large number', () => {
  expect(csvLine([2n ** 60n])).toBe('1152921504606846976\r\n');
});

it('a CSV line comes back whole through another reader, less the apostrophes added', () => {
  fc.assert(
    fc.property(fc.oneof(plain, risky), (texts) => {
      const [read = []] = parse(csvLine(texts), { record_delimiter: '\r\n' });
      expect(read.map(withoutApostrophes)).toEqual(texts);
    }),
  );
});

it.each([',', ';', '\t'])(
  'a CSV line holds no formula for a spreadsheet that splits at %j',
  fault('F-39'),
  (separator) => {
    fc.assert(
      fc.property(risky, (texts) => {
        for (const cell of cellsOf(csvLine(texts), separator)) {
          expect(isFormula(cell), JSON.stringify(cell)).toBe(false);
        }
      }),
      { numRuns: 1000 },
    );
  },
);

it('a CSV line leaves other texts as they are', () => {
  expect(csvField('a - b\n* c\n- d')).toBe(`"a - b\n* c\n'- d"`);
  expect(csvField('2024-11-21T10:56:34+01:00')).toBe('2024-11-21T10:56:34+01:00');
  expect(csvField('https://example.com/?a=1&b=-2')).toBe('https://example.com/?a=1&b=-2');
});

/** As a spreadsheet splits a text: only between commas do the quotes of a field count. */
function cellsOf(text: string, separator: string): string[] {
  if (separator !== ',') return text.split(new RegExp(`[${separator}\r\n]`));
  return parse(text, { record_delimiter: '\r\n' }).flat();
}

function isFormula(cell: string): boolean {
  const [first = ''] = cell.replace(/^[ "]+/, '');
  return '=+-@\uFF1D'.includes(first) && first !== '' && !/^-\d+(,|$)/.test(cell);
}
