/**
 * Finds out how a table is laid out: what separates its cells, and which line is its heading.
 *
 * The separator is the one by which most lines have two cells or more; of several, the one by which most have the same
 * number of cells. A line `sep=;` says it. Commas in numbers alone (`1,5` below `price`) are decimal ones of a single column.
 *
 * Above the heading are, at the top: lines with text in their first cell alone, comments (`#`), and lines before an empty
 * line that have fewer cells than every line after it.
 */
import { numberOfText } from '../../base/text/number-text.js';
import { csvRecords, type CsvRecord } from './csv-records.js';

export interface TableLayout {
  /** Between two cells: one character. */
  readonly separator: string;
  /** The line of the heading, from 1; null of an empty file. */
  readonly headingLine: number | null;
}

/** The separators, in the order in which one of two is taken that fit equally well. */
const SEPARATORS = [',', ';', '\t', '|'] as const;
const DECLARED = /^sep=([^\r\n"])(?:\r\n|\r|\n|$)/i;
const SAMPLE_RECORDS = 50;
/** More lines above a heading are taken for rows. */
const MOST_ABOVE = 20;

/** @param text the beginning of the table @param isWhole whether it is all of the table */
export function layoutOf(text: string, isWhole: boolean): TableLayout {
  const declared = DECLARED.exec(text)?.[1];
  if (declared !== undefined && declared <= '~') {
    const records = sampleOf(text, declared, isWhole);
    return layout(declared, records, records.slice(1));
  }
  const [best] = SEPARATORS.filter((separator) => text.includes(separator))
    .flatMap((separator) => fitOf(separator, sampleOf(text, separator, isWhole)) ?? [])
    .toSorted(
      (a, b) =>
        b.wide - a.wide ||
        b.agreeing - a.agreeing ||
        Number(a.isDoubtful) - Number(b.isDoubtful) ||
        b.width - a.width,
    );
  if (best) return layout(best.separator, best.records, best.records);
  // a table of a single column gets a separator that is in no line
  const separator = SEPARATORS.find((candidate) => !text.includes(candidate)) ?? '\u001f';
  const records = sampleOf(text, separator, isWhole);
  return { separator, headingLine: records[0]?.line ?? null };
}

function layout(
  separator: string,
  all: readonly CsvRecord[],
  records: readonly CsvRecord[],
): TableLayout {
  const heading = records[linesAbove(records)] ?? records[0] ?? all[0];
  return { separator, headingLine: heading?.line ?? null };
}

/** The first records; the last of what is cut may be part of one. */
function sampleOf(text: string, separator: string, isWhole: boolean): CsvRecord[] {
  const records: CsvRecord[] = [];
  for (const record of csvRecords(text, separator)) {
    records.push(record);
    if (records.length > SAMPLE_RECORDS) return records;
  }
  return isWhole || records.length < 2 ? records : records.slice(0, -1);
}

/** A table as people read it. */
export interface ReadTable {
  /** Lines above the heading. */
  readonly above: readonly string[];
  readonly heading: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * The first rows of a table.
 *
 * @param text the beginning of the table, or all of it
 * @param most rows
 */
export function rowsOf(
  text: string,
  { separator, headingLine }: TableLayout,
  most: number,
): ReadTable {
  const above: string[] = [];
  const rows: (readonly string[])[] = [];
  let heading: readonly string[] = [];
  for (const { line, cells } of csvRecords(text, separator)) {
    if (headingLine !== null && line < headingLine) {
      const isDeclaration = line === 1 && DECLARED.test(text);
      const words = cells.filter((cell) => cell.trim() !== '').join(`${separator} `);
      if (words !== '' && !isDeclaration) above.push(words);
    } else if (heading.length === 0) heading = cells;
    else if (rows.push(cells) === most) break;
  }
  return { above, heading, rows };
}

/** Without a line that tells the separator. */
export function withoutDeclaration(text: string): string {
  return text.replace(DECLARED, '');
}

interface Fit {
  readonly separator: string;
  readonly records: readonly CsvRecord[];
  /** Which part of the records has two cells or more. */
  readonly wide: number;
  /** Which part has as many as most have, and how many that are. */
  readonly agreeing: number;
  readonly width: number;
  /** Whether it may be a part of numbers, of sentences, or of cells in quotes. */
  readonly isDoubtful: boolean;
}

/** Undefined where the separator makes no table of the records. */
function fitOf(separator: string, records: readonly CsvRecord[]): Fit | undefined {
  const first = records.findIndex(({ cells }) => cells.length > 1);
  if (first < 0 || first > MOST_ABOVE) return undefined;
  const counts = new Map<number, number>();
  const table = records.slice(first);
  for (const { cells } of table) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  const [width, count] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), [1, 0]);
  if (width < 2) return undefined;
  const rows = table.filter(({ cells }) => cells.length > 1);
  const isProse = rows.every(({ cells }) => cells.slice(1).some((cell) => cell.startsWith(' ')));
  const isDecimal = separator === ',' && rows.every(hasCommasInNumbers);
  // words or numbers of a single column, below a heading without a comma
  const isOneColumn =
    count * 2 <= table.length ||
    (isProse && table[0]?.isAfterEmptyLine === false) ||
    (isDecimal && table.every(isNumber));
  if (first > 0 && isOneColumn) return undefined;
  const wide = rows.length / records.length;
  const agreeing = count / records.length;
  const isDoubtful =
    isDecimal || rows.some(({ cells }) => cells.some((cell) => /^[ "]/.test(cell)));
  return { separator, records, wide, agreeing, width, isDoubtful };
}

function hasCommasInNumbers({ cells }: CsvRecord): boolean {
  return cells.every(
    (cell, at) => (at === 0 || /^\d/.test(cell)) && (at === cells.length - 1 || /\d$/.test(cell)),
  );
}

function isNumber({ cells }: CsvRecord): boolean {
  const text = cells.join(',');
  return numberOfText(text, ',') !== undefined || numberOfText(text, '.') !== undefined;
}

/** How many of the records are above the heading. */
function linesAbove(records: readonly CsvRecord[]): number {
  let above = 0;
  while (above < Math.min(records.length - 1, MOST_ABOVE)) {
    const next = above + partAbove(records.slice(above, above + MOST_ABOVE));
    if (next === above) break;
    above = next;
  }
  return above < records.length - 1 || above === 0 ? above : 0;
}

function partAbove(records: readonly CsvRecord[]): number {
  const [first, second] = records;
  if (!first || !second) return 0;
  const filled = first.cells.filter((cell) => cell.trim() !== '').length;
  const isOnlyFirst = filled === 0 || (filled === 1 && (first.cells[0] ?? '').trim() !== '');
  const widest = Math.max(...records.map(({ cells }) => cells.length));
  if (isOnlyFirst && (first.cells.length === 1 ? widest > 1 : widest > 2)) return 1;
  if (isComment(first, records)) return 1;
  const part = records.findIndex(({ isAfterEmptyLine }, at) => at > 0 && isAfterEmptyLine);
  const [before, after] = [records.slice(0, part), records.slice(part)].map((some) =>
    some.map(({ cells }) => cells.length),
  );
  return part > 0 && Math.max(...(before ?? [])) < Math.min(...(after ?? [])) ? part : 0;
}

/** `# exported by Ada, 2026-01-01`, but not the heading `#,name` or `# of items,price`. */
function isComment({ cells }: CsvRecord, records: readonly CsvRecord[]): boolean {
  const isMarked = (record: CsvRecord): boolean => record.cells[0]?.startsWith('#') === true;
  if (cells[0]?.startsWith('#') !== true) return false;
  const next = records.find((record) => !isMarked(record));
  if (!next) return false;
  return cells.length < next.cells.length || cells.slice(1).some((cell) => cell.startsWith(' '));
}
