/** What the cells of a table's column are sorted by: numbers and days by their value, everything else as text. */
import { numberOfText, type DecimalSign } from '../../base/text/number-text.js';
import type { SortKey } from './sortable-table.js';

export interface ColumnKeys {
  readonly keys: readonly SortKey[];
  /** Whether every cell is a number or empty. */
  readonly isNumber: boolean;
}

/** Stands for an empty cell. */
const NOTHING = /^\s*(?:[-–—]|n\/?a|nan|null|none|k\. ?a\.)?\s*$/i;
/** A column with one of these has codes: `007`, `0x10`, `1e5`. */
const CODE = /^\s*(?:0\d\d*|0x[\da-f]+|\d+e\d+)\s*$/i;

/** @param hasDecimalComma whether a comma stands before decimals where the column can be read in two ways */
export function columnKeys(cells: readonly string[], hasDecimalComma: boolean): ColumnKeys {
  const isNothing = cells.map((cell) => NOTHING.test(cell));
  const filled = cells.filter((_cell, at) => isNothing[at] === false);
  const keysOf = (keyOf: (cell: string) => SortKey): SortKey[] =>
    cells.map((cell, at) => (isNothing[at] === true ? null : keyOf(cell)));
  if (filled.length === 0 || filled.some((cell) => CODE.test(cell))) {
    return { keys: keysOf((cell) => cell), isNumber: false };
  }
  const dayOf = dayReader(filled, hasDecimalComma);
  if (dayOf) return { keys: keysOf((cell) => dayOf(cell) ?? cell), isNumber: false };
  const decimal = decimalSignOf(filled, hasDecimalComma ? ',' : '.');
  return {
    keys: keysOf((cell) => numberOfText(cell, decimal) ?? cell),
    isNumber: filled.every((cell) => numberOfText(cell, decimal) !== undefined),
  };
}

/** The sign with which more cells are numbers. */
function decimalSignOf(cells: readonly string[], otherwise: DecimalSign): DecimalSign {
  const numbers = (sign: DecimalSign): number =>
    cells.filter((cell) => numberOfText(cell, sign) !== undefined).length;
  const [commas, points] = [numbers(','), numbers('.')];
  if (commas === points) return otherwise;
  return commas > points ? ',' : '.';
}

const ISO_DAY = /^\s*(\d{4})([-/.])(\d\d?)\2(\d\d?)(.*)$/;
/** Day and month, or month and day. */
const LOCAL_DAY = /^\s*(\d\d?)([-/.])\s?(\d\d?)\2\s?(\d{4}|\d\d)(.*)$/;
const TIME = /^(?:[T,]?\s*(\d\d?):(\d\d)(?::(\d\d(?:\.\d{1,9})?))?\s*(Z|[+-]\d\d:?\d\d)?)?\s*$/;

/** Undefined unless every cell is a day, perhaps with a time. */
function dayReader(
  cells: readonly string[],
  isDayFirst: boolean,
): ((cell: string) => number | undefined) | undefined {
  const readers = [true, false].map((dayFirst) => (cell: string) => momentIn(cell, dayFirst));
  const [dayFirst, monthFirst] = readers.map((read) =>
    cells.every((cell) => read(cell) !== undefined),
  );
  if (dayFirst === true && monthFirst === true) {
    // 1.2.2026 has the day first everywhere
    return readers[isDayFirst || cells.every((cell) => /^\s*\d\d?\./.test(cell)) ? 0 : 1];
  }
  if (dayFirst === true) return readers[0];
  return monthFirst === true ? readers[1] : undefined;
}

function momentIn(cell: string, isDayFirst: boolean): number | undefined {
  const iso = ISO_DAY.exec(cell);
  const local = iso ? null : LOCAL_DAY.exec(cell);
  if (iso) return moment([iso[1], iso[3], iso[4]], iso[5] ?? '');
  if (!local) return undefined;
  const [, first, , second, year = '', time = ''] = local;
  const whole = year.length === 2 ? `${Number(year) < 70 ? '20' : '19'}${year}` : year;
  return moment(isDayFirst ? [whole, second, first] : [whole, first, second], time);
}

function moment(
  [year, month, day]: readonly (string | undefined)[],
  time: string,
): number | undefined {
  const parts = TIME.exec(time);
  if (!parts) return undefined;
  const [, hour = 0, minute = 0, second = 0, zone = 'Z'] = parts;
  const at = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const isReal = at.getUTCMonth() === Number(month) - 1 && at.getUTCDate() === Number(day);
  if (!isReal || Number(hour) > 24 || Number(minute) > 59) return undefined;
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60 : 60);
  return at.getTime() / 1000 + Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offset;
}
