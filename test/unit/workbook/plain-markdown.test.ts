import { expect, it } from 'vitest';
import { plainAnswer } from '../../../src/workbook/plain-markdown.js';

const textOf = (...lines: string[]): string => plainAnswer(lines.join('\n')).text;

it('an answer on paper has no marks of headings, emphasis and code, and every word', () => {
  expect(
      textOf('# Summary', 'Sales **rose** by *12 %*, see `sum(x)`.', '', '```sql', 'select 1;', '```'),
    ).toBe('Summary\n\nSales rose by 12 %, see sum(x).\n\nselect 1;'); // prettier-ignore
  expect(textOf('5 * 3 is 15, a_b_c, 2 < 3 & x', '', '---', '<b>not HTML</b>')).toBe(
    '5 * 3 is 15, a_b_c, 2 < 3 & x\n\n———\n\n<b>not HTML</b>',
  );
});

it('an answer on paper keeps its lines, and sets paragraphs and quotes apart', () => {
  expect(textOf('one', 'two', '', '> said', '> so', '', 'three')).toBe(
    'one\ntwo\n\n  said\n  so\n\nthree',
  );
});

it('an answer on paper has lists with bullets and numbers, one in another', () => {
  expect(
      textOf('Regions:', '- Berlin', '  - Mitte', '- Rome', '', '', '3. third', '4. fourth', '', 'End'),
    ).toBe('Regions:\n\n• Berlin\n  • Mitte\n• Rome\n\n3. third\n4. fourth\n\nEnd'); // prettier-ignore
  expect(textOf('- one', '', '  more of it', '', '- two')).toBe('• one\n  more of it\n• two');
});

it('an answer on paper says where a link leads, unless its text does', () => {
  expect(textOf('[terms](https://a.example/t) and <https://b.example>')).toBe(
    'terms (https://a.example/t) and https://b.example',
  );
  expect(textOf('![a chart](https://a.example/c.png) ![](x.png)')).toBe('a chart (image)');
});

it('an answer on paper has the rows of a table as lines, and the table as cells', () => {
  const { text, tables } = plainAnswer(
    'Before\n\n| Region | Sum |\n|---|--:|\n| **Berlin** | 1 |\n| Rome \\| Ostia | |\n\nAfter',
  );
  expect(text).toBe('Before\n\nRegion | Sum\nBerlin | 1\nRome | Ostia | \n\nAfter');
  expect(tables).toEqual([[['Region', 'Sum'], ['Berlin', '1'], ['Rome | Ostia', '']]]); // prettier-ignore
});

it('an answer on paper that is too long for any cell stays as it is', () => {
  const long = `**x** ${'y'.repeat(100_000)}`;
  expect(plainAnswer(long)).toEqual({ text: long, tables: [] });
});

it('an answer on paper is read in time in proportion to its length, whatever its marks', () => {
  for (const piece of ['[', '*a ', '> ', '|a', '`', '![[', '- ', '_a', '<']) {
    const { text } = plainAnswer(piece.repeat(20_000 / piece.length));
    expect(text.length).toBeLessThan(500_000);
  }
});
