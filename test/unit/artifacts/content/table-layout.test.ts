import { describe, expect, it } from 'vitest';
import { layoutOf, rowsOf } from '../../../../src/artifacts/content/table-layout.js';
import { fault } from '../../../support/base/fault.js';

function read(text: string) {
  const layout = layoutOf(text, true);
  const { above, heading, rows } = rowsOf(text, layout, 1000);
  return { above, table: [heading, ...rows] };
}

describe('the cells of a table are set apart', () => {
  it.each<readonly [string, string, readonly (readonly string[])[]]>([
    [
      'by semicolons, with decimal commas',
      'Filiale;Umsatz;Anteil\nMünchen;1.234,50;12,5\n',
      [
        ['Filiale', 'Umsatz', 'Anteil'],
        ['München', '1.234,50', '12,5'],
      ],
    ],
    [
      'by semicolons, although commas are in each line',
      'Köln;1,5\nBonn;2,5\n',
      [
        ['Köln', '1,5'],
        ['Bonn', '2,5'],
      ],
    ],
    [
      'by semicolons in ragged rows',
      'Filiale;Umsatz\nKöln;1,5\nBonn;2,5;x\nUlm;3,5;y\n',
      [
        ['Filiale', 'Umsatz'],
        ['Köln', '1,5'],
        ['Bonn', '2,5', 'x'],
        ['Ulm', '3,5', 'y'],
      ],
    ],
    [
      'by semicolons below a title with a comma',
      'Filiale;Umsatz, netto\nKöln;1,5\n',
      [
        ['Filiale', 'Umsatz, netto'],
        ['Köln', '1,5'],
      ],
    ],
    [
      'by tabs, although commas are in each line',
      'name\tnote\nDoe, J\tgood, nice\n',
      [
        ['name', 'note'],
        ['Doe, J', 'good, nice'],
      ],
    ],
    [
      'by tabs, with a tab in quotes',
      'a\tb\n"x\ty"\t2\n',
      [
        ['a', 'b'],
        ['x\ty', '2'],
      ],
    ],
    [
      'by bars',
      'store|revenue\nnorth|12\n',
      [
        ['store', 'revenue'],
        ['north', '12'],
      ],
    ],
    [
      'by commas, with semicolons in quotes',
      'id,tags\n1,"a;b;c"\n2,"d;e"\n',
      [
        ['id', 'tags'],
        ['1', 'a;b;c'],
        ['2', 'd;e'],
      ],
    ],
    [
      'by commas, with a semicolon in each quoted cell',
      '"a;1","b;1"\n"c;2","d;2"\n',
      [
        ['a;1', 'b;1'],
        ['c;2', 'd;2'],
      ],
    ],
    [
      'by semicolons, with commas in quotes',
      'id;note\n"1,2";"3,4"\n',
      [
        ['id', 'note'],
        ['1,2', '3,4'],
      ],
    ],
    [
      'by a line that says so',
      'sep=|\na|b\n1|2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'by another character that a line names',
      'SEP=^\r\na^b\r\n1^2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'by commas of numbers alone',
      'x,y\n1,2\n3,4\n',
      [
        ['x', 'y'],
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    ['in a heading alone', 'a;b;c', [['a', 'b', 'c']]],
    [
      'with mixed line ends',
      'a;b\r\n1;2\n3;4\r5;6',
      [
        ['a', 'b'],
        ['1', '2'],
        ['3', '4'],
        ['5', '6'],
      ],
    ],
  ])('%s', fault('F-156'), (_what, text, table) => {
    expect(read(text)).toEqual({ above: [], table });
  });

  it.each<readonly [string, string, readonly string[]]>([
    ['decimal commas', 'Preis\n1,5\n2,25\n3\n', ['Preis', '1,5', '2,25', '3']],
    ['thousands', 'Einwohner\n1,234\n5,678,901\n', ['Einwohner', '1,234', '5,678,901']],
    [
      'words with a comma here and there',
      'note\nfine\ngood, but slow\nok\nyes\n',
      ['note', 'fine', 'good, but slow', 'ok', 'yes'],
    ],
    ['sentences', 'note\ngood, but slow\nnice, cheap\n', ['note', 'good, but slow', 'nice, cheap']],
    ['one name alone', 'region\nnorth\n', ['region', 'north']],
  ])('by nothing in a single column of %s', (_what, text, column) => {
    expect(read(text)).toEqual({ above: [], table: column.map((cell) => [cell]) });
  });
});

describe('above the heading of a table', () => {
  it.each<readonly [string, string, readonly string[], string]>([
    ['a title', 'Sales report 2026\n\nregion,q1,q2\nnorth,1,2\n', ['Sales report 2026'], 'region'],
    [
      'a title without an empty line',
      'Sales report 2026\nregion,q1,q2\nnorth,1,2\n',
      ['Sales report 2026'],
      'region',
    ],
    [
      'a title with commas before an empty line',
      'Sales, 2026\n\nregion,q1,q2\nnorth,1,2\n',
      ['Sales,  2026'],
      'region',
    ],
    [
      'a title that a spreadsheet has filled up',
      'Sales 2026,,\n,,\nregion,q1,q2\nnorth,1,2\n',
      ['Sales 2026'],
      'region',
    ],
    [
      'pairs before an empty line',
      'Report;Sales\nDay;1.2.2026\n\nregion;q1;q2\nnorth;1,5;2\n',
      ['Report; Sales', 'Day; 1.2.2026'],
      'region',
    ],
    [
      'a comment',
      '# exported 2026-01-01\nregion,q1\nnorth,1\n',
      ['# exported 2026-01-01'],
      'region',
    ],
    [
      'a comment with a comma',
      '# exported 2026-01-01, by Ada\nregion,q1\nnorth,1\n',
      ['# exported 2026-01-01,  by Ada'],
      'region',
    ],
    ['comments', '# a\n# b\nregion,q1\nnorth,1\n', ['# a', '# b'], 'region'],
    [
      'a title of semicolons',
      'Umsatz 2026\nFiliale;Umsatz\nKöln;1,5\n',
      ['Umsatz 2026'],
      'Filiale',
    ],
  ])('stands %s', (_what, text, above, first) => {
    const { above: shown, table } = read(text);
    expect([shown, table[0]?.[0]]).toEqual([above, first]);
  });

  it.each([
    '#,name\n1,x\n',
    '# of items,price\n3,4\n',
    'a,b\n1,2,3\n4,5,6\n',
    'a,b,\n1,2,\n3,4,extra note\n',
    ',q1\nnorth,1\n',
    'name,\nAda,3\n',
    'a\n\nb\n',
    '',
  ])('stands nothing in %j', (text) => {
    expect(layoutOf(text, true).headingLine).toBe(text === '' ? null : 1);
  });
});
