/** Renders an answer for people: a command says what it has found, and this says how that looks. */
import type { Caveat } from '../../archive/reading/caveats/caveat.js';
import { NO_PLACE, type CommandPlace, type NextStep } from '../../base/next-step.js';
import { aligned, firstLines, type ReportLine } from './aligned.js';
import { caveatRows } from './caveat-rows.js';
import { tableText } from './table-text.js';
import { plain, type Paint } from './terminal.js';
import { visible } from './visible.js';

/** In this order; what is absent or empty is left out. No text ends with a line end. */
export interface View {
  readonly headline?: string | undefined;
  /** How good that is; default: neither. */
  readonly tone?: keyof Paint | undefined;
  readonly facts?: readonly ReportLine[];
  /** What qualifies the answer. */
  readonly caveats?: readonly Caveat[];
  readonly table?: ViewTable;
  readonly list?: ViewList;
  /** Sentences, each on a line of its own. */
  readonly lines?: readonly string[];
  readonly next?: NextStep | undefined;
}

interface ViewTable {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Headings of columns that a narrow terminal can do without, the last one first. */
  readonly spare?: readonly string[];
}

interface ViewList {
  readonly items: readonly string[];
  /** How many are shown; default: all. */
  readonly most?: number;
}

export interface ViewOptions {
  /** Completes the commands that are proposed. */
  readonly place?: CommandPlace;
  /** The columns of the terminal; undefined where lines may have any length. */
  readonly width?: number | undefined;
  /** Colours for a terminal whose owner wants them. */
  readonly paint?: Paint;
}

export function viewText(
  view: View,
  { place = NO_PLACE, width, paint = plain }: ViewOptions = {},
): string {
  const { headline, tone, facts = [], caveats = [], table, list, lines = [], next } = view;
  const rows = [...facts, ...caveatRows(caveats, place)].filter(([, text]) => text !== null);
  const first = visible(headline ?? '');
  const hasTable = table !== undefined && table.rows.length > 0;
  const listed = list?.items.map((item) => `    ${item}\n`) ?? [];
  const rest = visible(
    [
      ...(rows.length === 0 ? [] : [aligned(rows)]),
      ...(hasTable && rows.length > 0 ? ['\n'] : []),
      ...(hasTable ? [tableText(table.headings, table.rows, width, table.spare)] : []),
      ...firstLines(listed, list?.most ?? Infinity, ', which --json names'),
      ...lines.map((line) => `${line}\n`),
      ...(next === undefined ? [] : [`Next: ${next.text(place)}\n`]),
    ].join(''),
  );
  if (headline === undefined) return rest;
  return `${tone === undefined ? first : paint[tone](first)}\n${rest}`;
}
