import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../../src/base/error.js';
import {
  idListPieces,
  idListText,
  parseIdList,
  plainCells,
} from '../../../../src/cli/input/id-list.js';

const parsed = (text: string) => {
  const { heading, lines } = parseIdList(text, '--file f', 'allowed is an id');
  return { heading, lines: [...lines] };
};
const contents = (text: string) => parsed(text).lines.map(({ content }) => content.trim());

function cellsIn(text: string): (readonly string[])[] {
  const { heading, lines } = parsed(text);
  if (!heading) throw new Error('there is no heading');
  return lines.map((line) => heading.cellsOf(line));
}

const utf16 = Buffer.from('\uFEFFzoë\n', 'utf16le');

it('the text of a file is UTF-8, or UTF-16 of either order with its mark', () => {
  expect(idListText(Buffer.from('zoë\n'), 'f')).toBe('zoë\n');
  expect(idListText(utf16, 'f')).toBe('zoë\n');
  expect(idListText(Buffer.from(utf16).swap16(), 'f')).toBe('zoë\n');
});

it.each([
  ['half a mark of one order', [0xff, 0x41]],
  ['half a mark of the other', [0xfe, 0x41]],
  ['the other half', [0x41, 0xfe, 0x41, 0xff]],
  ['two halves of different marks', [0xfe, 0xfe]],
  ['an end in the middle of a letter', [0x41, 0xc3]],
])('the text of a file is not UTF-8 with %s', (_, bytes) => {
  let thrown: unknown;
  try {
    idListText(Uint8Array.from(bytes), '--file f');
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toEqual(new UsageError('--file f is not UTF-8 text'));
  expect((thrown as Error).cause).toBeInstanceOf(TypeError);
});

it('the text of a file is not UTF-16 without a mark', () => {
  expect(() => idListText(Buffer.from('zoe', 'utf16le'), '--file f')).toThrow(
    new UsageError('--file f is not UTF-8 text: it holds NUL'),
  );
});

describe('a list that comes in pieces', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '"', ',', '\r', '\n', '#', ' ', 'é', '😀'),
    maxLength: 40,
  });
  const told = (list: ReturnType<typeof parseIdList>) =>
    Array.from(list.lines, ({ content, whole, source }) => ({ content, whole, source }));

  it('has the lines that it has as a whole, wherever it is cut', () => {
    fc.assert(
      fc.property(
        text,
        fc.constantFrom('', 'user_id\n'),
        fc.array(fc.nat(40)),
        (end, start, cuts) => {
          const bytes = Buffer.from(start + end);
          const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
          const chunks = places.slice(1).map((to, at) => bytes.subarray(places[at], to));
          const pieces = idListPieces(chunks, 'f');
          const allowed = 'allowed is an id';
          expect(told(parseIdList(pieces, 'f', allowed))).toEqual(
            told(parseIdList(start + end, 'f', allowed)),
          );
        },
      ),
    );
  });

  it('is refused where a later piece is not UTF-8', () => {
    const chunks = [Buffer.from('ada\n'), Buffer.from([0xff])];
    expect(() => [...idListPieces(chunks, '--file f')]).toThrow(
      new UsageError('--file f is not UTF-8 text'),
    );
  });
});

describe('the lines of a list', () => {
  it('come with where they stand, and the first hundred letters of what they are', () => {
    const long = 'x'.repeat(101);
    const { heading, lines } = parsed(`\n  ann  # Rome\n${long}\n`);
    expect(heading).toBeUndefined();
    expect(lines.map(({ content, whole, source }) => ({ content, whole, source }))).toEqual([
      {
        content: '  ann  ',
        whole: 'ann  # Rome',
        source: '--file f, line 2 ("ann  # Rome")',
      },
      { content: long, whole: long, source: `--file f, line 3 ("${'x'.repeat(100)}")` },
    ]);
  });

  it('end without another one after the last', () => {
    expect(contents('ann')).toEqual(['ann']);
    expect(contents('')).toEqual([]);
  });

  it.each([
    ['ann #x', 'ann'],
    ['ann,#x', 'ann,'],
    ['ann;#x', 'ann;'],
    ['ann#x', 'ann#x'],
    ['"ann #x" #y', '"ann #x"'],
    ['"a" #"b', '"a"'],
  ])('%j is %j without its comment', (line, content) => {
    expect(contents(line)).toEqual([content]);
  });

  it('after the first are no headings, whatever is in them', () => {
    const { heading, lines } = parsed('ann\nuser_id\nsession_id,x\n');
    expect([heading, lines.length]).toEqual([undefined, 3]);
  });

  it('without a heading are not joined by an open quote: the next id must not vanish', () => {
    expect(contents('a"\nb"\nc')).toEqual(['a"', 'b"', 'c']);
    expect(() => plainCells(parsed('"ann').lines[0]!, 'allowed is an id')).toThrow(
      /^--file f, line 1 \("\\"ann"\) is not understood; allowed is an id$/,
    );
  });

  it('have cells by a comma, a semicolon or a tab, without empty ones at the end', () => {
    const cells = (line: string) => plainCells(parsed(line).lines[0]!, '');
    expect(cells('a, b,,')).toEqual(['a', 'b']);
    expect(cells('a;b')).toEqual(['a', 'b']);
    expect(cells('a\tb')).toEqual(['a', 'b']);
    expect(cells(`'a','b'`)).toEqual(['a', 'b']);
    expect(cells(`x'a','b'x`)).toEqual([`x'a'`, `'b'x`]);
    expect(cells(',a')).toEqual(['', 'a']);
  });
});

it('the cells of a line without quotes are those that csv-parse finds', () => {
  const letters = fc.constantFrom('a', 'é', ' ', ',', ';', "'", '\\', '\u00a0');
  fc.assert(
    fc.property(fc.string({ unit: letters, minLength: 1 }), (text) => {
      const [line] = parsed(`x\n${text}`).lines.slice(1);
      fc.pre(line !== undefined);
      const options = { delimiter: [',', ';', '\t'], trim: true };
      const [cells = []] = parse(text, options);
      const bare = cells.map((cell) => /^'(.*)'$/.exec(cell)?.[1] ?? cell);
      while (bare.at(-1) === '') bare.pop();
      expect(plainCells(line, '')).toEqual(bare);
    }),
  );
});

it('a heading is a first line in which a cell is the name of a column', () => {
  const { heading, lines } = parsed('# list\nUser-ID;Why;session id\nann;x;s1');
  expect(heading?.names).toEqual(['User-ID', 'Why', 'session id']);
  expect(heading?.columns).toEqual(['user', undefined, 'session']);
  expect(lines.map(({ source }) => source)).toEqual(['--file f, line 3 ("ann;x;s1")']);
  expect(parsed('"user_id\nann').heading).toBeUndefined();
});

it('a heading says what separates cells: other separators belong to ids', () => {
  expect(cellsIn('user_id;why\na,b;c')).toEqual([['a,b', 'c']]);
  expect(cellsIn('user_id,why;x\na;b,c')).toEqual([['a;b', 'c']]);
  expect(cellsIn('user_id\nann,')).toEqual([['ann']]);
});

it('a heading allows for empty cells more than it has, and for no others', () => {
  expect(cellsIn('user_id,why\nann,x,,\nben')).toEqual([['ann', 'x'], ['ben']]);
  expect(cellsIn('user_id,why\nann,')).toEqual([['ann', '']]);
  expect(() => cellsIn('user_id,why\nann,,x')).toThrow(/line 2 .* is not understood/);
});

it('a heading lets a quoted cell go on in the next lines, for at most a hundred', () => {
  const lines = (count: number) => `"${Array.from({ length: count }, () => 'x').join('\n')}",ann`;
  const text = `why,user_id\n${lines(100)}\nben,cyd`;
  expect(cellsIn(text).map((cells) => cells[1])).toEqual(['ann', 'cyd']);
  expect(parsed(text).lines[1]?.source).toBe('--file f, line 102 ("ben,cyd")');
  expect(() => cellsIn(`why,user_id\n${lines(101)}\nben,cyd`)).toThrow(/is not understood/);
  expect(() => cellsIn('why,user_id\n"x\ny')).toThrow(/^--file f, line 2 .* is not understood/);
  expect(parsed('why,user_id\n"x\ny').lines[0]?.whole).toBe('"x\ny');
});
