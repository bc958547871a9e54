import { expect, it } from 'vitest';
import { ColumnBuffer, type ColumnContent } from '../../../src/formats/parquet/column-buffer.js';
import type { CellValue } from '../../../src/model/table-schema.js';

function contentOf(cells: readonly CellValue[], buffer = new ColumnBuffer({ dictionary: true })) {
  for (const cell of cells) buffer.push(cell);
  return buffer.content();
}

/** The texts that are kept, each once where there is a dictionary. */
function textsOf({ values, starts }: ColumnContent): string[] {
  return Array.from(starts, (start) => values.textAt(start, values.endOfText(start)));
}

/** The cells as they were pushed, nulls left out. */
function cellsOf(content: ColumnContent): string[] {
  const texts = textsOf(content);
  return content.indexes ? Array.from(content.indexes, (index) => texts[index] ?? '') : texts;
}

function distinct(count: number, bytes = 12): string[] {
  return Array.from({ length: count }, (_, at) => String(at).padStart(bytes, '.'));
}

it('a column stores repeated texts once, with a dictionary index for each row', () => {
  const cells = ['one', 'two', 'one', null, 'three', 'one', 'two', 'three', 'one', 'one'];
  const many = [...cells, ...cells, ...cells, ...cells];
  const content = contentOf(many);
  expect(textsOf(content)).toEqual(['one', 'two', 'three']);
  expect(Array.from(content.indexes ?? []).slice(0, 9)).toEqual([0, 1, 0, 2, 0, 1, 2, 0, 0]);
  expect(Array.from(content.definitionLevels).slice(0, 6)).toEqual([1, 1, 1, 0, 1, 1]);
  expect(cellsOf(content)).toEqual(many.filter((cell) => cell !== null));
});

it('a column stores repeated numbers once, too', () => {
  const { values, starts, indexes } = contentOf([5n, 7n, 9n, 5n, 5n, 7n, 5n, 7n, 5n, 7n, 7n, 5n]);
  expect(Array.from(starts, (start) => values.int64At(start))).toEqual([5n, 7n, 9n]);
  expect(Array.from(indexes ?? [])).toEqual([0, 1, 2, 0, 0, 1, 0, 1, 0, 1, 1, 0]);
});

it('a column has no dictionary where it may not have one', () => {
  const content = contentOf(['a', 'a', 'a', 'a'], new ColumnBuffer({ dictionary: false }));
  expect(content.indexes).toBeUndefined();
  expect(textsOf(content)).toEqual(['a', 'a', 'a', 'a']);
});

it('a column stores each value if a dictionary would not halve the bytes', () => {
  const cells = ['aaaa', 'bbbb', 'cccc', 'aaaa', 'bbbb'];
  const content = contentOf(cells);
  expect(content.indexes).toBeUndefined();
  expect(textsOf(content)).toEqual(cells);
  // four texts of 8 bytes with their lengths, one bit a value: 16 + 4 / 8 is more than half of 32
  const four = ['aaaa', 'bbbb', 'aaaa', 'bbbb'];
  expect(contentOf(four).indexes).toBeUndefined();
  expect(textsOf(contentOf(four))).toEqual(four);
  expect(contentOf([...four, 'bbbb']).indexes).toEqual(Uint32Array.of(0, 1, 0, 1, 1));
});

it('a column has a dictionary if it exactly halves the bytes', () => {
  expect(contentOf(['aaaa', 'aaaa']).indexes).toEqual(Uint32Array.of(0, 0));
  expect(contentOf(['aaaa']).indexes).toBeUndefined();
});

it('a column looks up texts of at most 128 characters in its dictionary', () => {
  const [short, long] = ['s'.repeat(128), 'l'.repeat(129)];
  const content = contentOf([short, 'x', 'y', short, 'x', 'y', short]);
  expect(textsOf(content)).toEqual([short, 'x', 'y']);
  const mixed = [long, ...Array.from({ length: 40 }, () => short), long, long];
  const kept = contentOf(mixed);
  expect(textsOf(kept)).toEqual([long, short, long, long]);
  expect(cellsOf(kept)).toEqual(mixed);
});

it('a column drops its dictionary after 1000 values that hardly repeat', () => {
  const buffer = new ColumnBuffer({ dictionary: true });
  const first = distinct(999);
  const rest = Array.from({ length: 9000 }, () => 'again and again');
  const content = contentOf([...first, 'again and again', ...rest], buffer);
  expect(content.indexes).toBeUndefined();
  expect(cellsOf(content)).toEqual([...first, 'again and again', ...rest]);
  expect(buffer.push('again and again')).toBe(16 + 4 + 15);
});

it('a dictionary stays where the first 1000 values repeat, or only fewer were distinct', () => {
  const hundred = distinct(100);
  const cells = Array.from({ length: 1500 }, (_, at) => hundred[at % 100] ?? '');
  expect(textsOf(contentOf(cells))).toEqual(hundred);
  const late = [...distinct(899), ...Array.from({ length: 2000 }, () => '....the same')];
  expect(contentOf(late).indexes).toHaveLength(2899);
  const most = [...distinct(900), ...Array.from({ length: 2000 }, () => '....the same')];
  expect(contentOf(most).indexes).toBeUndefined();
  expect(cellsOf(contentOf(most))).toEqual(most);
});

it("a cell's memory is told: 16 bytes, and the bytes of its value if that is new", () => {
  const buffer = new ColumnBuffer({ dictionary: true });
  const cells = ['abc', 'abc', null, 'defg', 'abc', 'abc'];
  expect(cells.map((cell) => buffer.push(cell))).toEqual([23, 16, 16, 24, 16, 16]);
});

it('a column is empty after it is cleared', () => {
  const buffer = new ColumnBuffer({ dictionary: true });
  contentOf(distinct(3000), buffer);
  buffer.clear();
  const cells = ['b', 'b', 'a', 'b', 'a', 'b', 'b', 'a', 'b', 'a', 'b'];
  for (let round = 0; round < 2; round++) {
    const content = contentOf(cells, buffer);
    expect([textsOf(content), cellsOf(content)]).toEqual([['b', 'a'], cells]);
    expect(content.definitionLevels).toHaveLength(11);
    buffer.clear();
  }
});
