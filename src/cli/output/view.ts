/**
 * Renders an answer for people: a command says what it has found, and this says how that looks. An answer has, in this
 * order, and each only where there is something to say:
 *
 * - a headline: what came of it;
 * - what qualifies it (caveats), and facts: rows of a label and a text, some with a number between;
 * - a table;
 * - lists, which end early: `--json` has the rest;
 * - lines, each a sentence or a command to paste;
 * - sections: answers within it, such as each hit of a search, a blank line before each;
 * - what to do next.
 *
 * Commands in its texts are values: here they get the place of the archive, and a line is never broken inside of one.
 * What is too long for memory, such as a conversation, is printed before, in pieces.
 */
import type { Caveat } from '../../archive/reading/caveats/caveat.js';
import { nextOf, type Elsewhere } from '../../archive/reading/caveats/caveat-text.js';
import { NO_PLACE, type CommandPlace, type NextStep } from '../../base/next-step.js';
import { aligned, firstLines, textIn, type Fact, type Text } from './aligned.js';
import { caveatRows } from './caveat-rows.js';
import { folded } from './folded-text.js';
import { tableText } from './table-text.js';
import { plain, type Paint } from './terminal.js';
import { visible } from '../../base/text/visible.js';

/** No text ends with a line end. */
export interface View {
  /** Completes the commands in it; default: the place of the invocation. */
  readonly place?: CommandPlace;
  /** May have several lines. */
  readonly headline?: string | undefined;
  /** How good that is; default: neither. Colours its first line. */
  readonly tone?: keyof Paint | undefined;
  readonly caveats?: readonly Caveat[];
  /** What names that of which caveats name only the first. */
  readonly elsewhere?: Elsewhere;
  readonly facts?: readonly Fact[];
  readonly table?: ViewTable;
  readonly lists?: readonly ViewList[];
  readonly lines?: readonly Text[];
  readonly sections?: readonly View[];
  /** Also in the line of `--json`, where the command has failed. */
  readonly next?: NextStep | undefined;
}

interface ViewTable {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Headings of columns that a narrow terminal can do without, the last one first. */
  readonly spare?: readonly string[];
}

interface ViewList {
  readonly heading?: string;
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

export function viewText(view: View, options: ViewOptions = {}): string {
  return folded(unfolded(view, options), options.width);
}

/** What the answer says to do next: by itself, by what qualifies it, or in one of its sections. */
export function nextIn({ next, caveats = [], sections = [] }: View): NextStep | undefined {
  return next ?? nextOf(caveats) ?? sections.map(nextIn).find((step) => step !== undefined);
}

function unfolded(view: View, options: ViewOptions): string {
  const { width, paint = plain } = options;
  const place = view.place ?? options.place ?? NO_PLACE;
  const { headline, tone, caveats = [], facts = [], table, lists = [], lines = [], next } = view;
  const rows = [...caveatRows(caveats, view.elsewhere), ...facts];
  const about = rows.some((row) => row.at(-1) !== null) ? aligned(rows, place) : '';
  const hasTable = table !== undefined && table.rows.length > 0;
  const rest = [
    about,
    ...(hasTable && about !== '' ? ['\n'] : []),
    ...(hasTable ? [tableText(table.headings, table.rows, width, table.spare)] : []),
    ...lists.map(listText),
    ...lines.map((line) => `${textIn(line, place)}\n`),
  ];
  const sections = (view.sections ?? []).map((section) => unfolded(section, { ...options, place }));
  const blocks = [headlineText(headline, tone, paint) + visible(rest.join('')), ...sections];
  const last = next === undefined ? '' : visible(`Next: ${textIn(next, place)}\n`);
  return blocks.filter((text) => text !== '').join('\n') + last;
}

function headlineText(headline: string | undefined, tone: View['tone'], paint: Paint): string {
  if (headline === undefined) return '';
  const text = `${visible(headline)}\n`;
  return tone === undefined ? text : text.replace(/^.+/, (words) => paint[tone](words));
}

function listText({ heading, items, most = Infinity }: ViewList): string {
  if (items.length === 0) return '';
  const lines = firstLines(
    items.map((item) => `    ${item}\n`),
    most,
  );
  return [...(heading === undefined ? [] : [`${heading}\n`]), ...lines].join('');
}
