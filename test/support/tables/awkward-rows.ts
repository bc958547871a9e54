/** Rows that have broken some writer or reader before, for any table. */
import type {
  CellValue,
  Column,
  ColumnType,
  Row,
  TableSchema,
} from '../../../src/model/table-schema.js';

const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code));

const AWKWARD_TEXTS: readonly string[] = [
  '',
  ' ',
  'a',
  'null',
  'NaN',
  'true',
  '0123',
  '1e5',
  '2024-01-01',
  '\\N',
  '"',
  "'",
  '\\',
  '🙂 smile',
  '👩‍👩‍👧‍👦 family',
  '🇩🇪',
  'שלום עולם',
  'مرحبا',
  '\u202Eright to left\u202C',
  '日本語',
  'e\u0301',
  '\u{10FFFF}',
  '\u{E000}',
  '\uFEFFbyte order mark',
  '\u2028\u2029',
  '\u0085\u007F',
  '\uFFFE',
  '\uFFFF',
  'a\uFFFEb\uFFFFc',
  'NUL\u0000inside',
  controls.join(''),
  controls.join('x'),
  '_x0041_',
  '_x005F_',
  '_x0041_x0042_',
  '__x0041_',
  '_x0041\u0001',
  '_xABCD_',
  '_xabcd_',
  '_x00g1_',
  '\u0001x0041_',
  '_x0041',
  '\r\n',
  'two\r\nlines',
  'old\rmac',
  '\n',
  '\ttab',
  'tab\t',
  ' leading',
  'trailing ',
  '=1+1',
  '=HYPERLINK("http://x")',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '{"formula":"1+1"}',
  '<t>&amp;</t>',
  ']]>',
  '<![CDATA[x]]>',
  '{"a":[1,2,{"b":null}]}',
  'a,b;c\td',
  '%s %d ${x} {{y}}',
];

/** Longer than a cell of Excel may be, or just not. */
const LONG_TEXTS: readonly string[] = [
  'x'.repeat(40_000),
  'ä'.repeat(40_000),
  '\u0001'.repeat(40_000),
  'y'.repeat(32_767),
  'y'.repeat(32_768),
  `${'z'.repeat(32_766)}🙂 across the border`,
  `${'z'.repeat(32_765)}🙂`,
  '🙂'.repeat(20_000),
  'line\r\n'.repeat(20_000),
];

const AWKWARD_VALUES: Readonly<Record<ColumnType, readonly CellValue[]>> = {
  string: AWKWARD_TEXTS,
  int32: [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), 255],
  int64: [0n, 1n, -1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 63n - 1n, -(2n ** 63n)],
  bool: [true, false],
  ts: [
    0n,
    1n,
    -1n,
    1_732_182_994_290_544n,
    -1_000_001n,
    999_999n,
    -62_135_596_800_000_000n, // 0001-01-01
    253_402_300_799_999_999n, // 9999-12-31T23:59:59.999999Z
  ],
};

/**
 * Every column sees its every awkward value, and null where it may; then one row for each long text, in
 * another column each time, keys among them.
 */
export function awkwardRows(table: TableSchema): Row[] {
  const short = Array.from({ length: AWKWARD_TEXTS.length + 1 }, (_, turn) => rowOf(table, turn));
  const texts = table.columns.filter(({ type }) => type === 'string');
  const long = LONG_TEXTS.map((text, turn) => ({
    ...rowOf(table, turn),
    [texts[turn % texts.length]?.name ?? '']: text,
  }));
  return [...short, ...long];
}

function rowOf(table: TableSchema, turn: number): Row {
  return Object.fromEntries(
    table.columns.map((column, place) => [column.name, valueOf(column, turn + place)]),
  );
}

function valueOf({ type, isKey }: Column, turn: number): CellValue {
  const values = isKey ? AWKWARD_VALUES[type] : [...AWKWARD_VALUES[type], null];
  return values[turn % values.length] ?? null;
}
