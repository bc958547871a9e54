/** The page itself: its first view stands in it, everything else is loaded when it is wanted. */
import { handedOver, handedOverText } from '../archive/change-requests.js';
import type { RequestRecord } from '../archive/log/request-history.js';
import { aboutRequest, type SearchChoice } from '../search/search-choice.js';
import type { Completeness } from '../archive/reading/caveat-text.js';
import { hasLettersToTheLeft, visibleDirections } from '../base/text/direction.js';
import { escapeHtml } from '../base/text/short-texts.js';

/** What the page of something larger tells first, as a card. */
export interface PageNote {
  readonly heading: string;
  readonly lines: readonly string[];
  /** Command lines to copy, each with what it does. */
  readonly commands?: readonly { readonly text: string; readonly command: string }[];
  /** Files beside the page. */
  readonly links?: readonly { readonly href: string; readonly text: string }[];
}

export interface IndexOptions {
  readonly title: string;
  /** The archive, its newest commit and when the report was made: it stands below every page, also on paper. */
  readonly about: readonly string[];
  /** What of the archive it shows; undefined where it shows all. */
  readonly part: string | undefined;
  /** What is missing, or that nothing is, as one sentence. */
  readonly headline: string;
  readonly completeness: Completeness;
  /** What qualifies it; see `caveatCards`. */
  readonly caveats: string;
  readonly tiles: string;
  /** Above the numbers; see `notesHtml`. */
  readonly notes: string;
  /** Below the numbers: what a reader should know. */
  readonly further: string;
  /** Whether it is read on paper as well: then the browser's own print command has every conversation, if they are few. */
  readonly isForPaper: boolean;
  /** The search that chose its jobs: the page marks what was found. Undefined where nobody looked for words. */
  readonly found: Pick<SearchChoice, 'match' | 'in'> | undefined;
  /** Whether a pseudonymised copy has texts; undefined of any other archive, which has them. */
  readonly texts: 'kept' | 'dropped' | undefined;
  /** Below the lists; see `requestsHtml`. */
  readonly requests: string;
  readonly pictures: string;
}

/**
 * Scripts and styles from beside the page alone. A page opened from disk has no origin that 'self'
 * surely means, hence `file:`; from a server that means nothing.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' file:",
  "style-src 'self' file:",
  "img-src 'self' file: data:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** What can be searched, by what a pseudonymised copy has of texts. */
const PLACEHOLDERS = {
  all: 'Search questions, answers, tables …',
  kept: 'Search questions, answers, code …',
  dropped: 'Search ids: this copy has no texts',
} as const;

export function indexHtml({ title, about, part, ...cards }: IndexOptions): string {
  const selection =
    part === undefined ? '' : `<p id="part"><strong>${shownHtml(part)}</strong></p>\n`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${shownHtml(title)}</title>
<link rel="stylesheet" href="data/style.css">
<script src="data/page.js"></script>
</head>
<body${dataOf(cards)}>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="brand" id="brand" href="#/" hidden>${shownHtml(title)}</a>
<search><form id="search"><input id="query" type="search" placeholder="${PLACEHOLDERS[cards.texts ?? 'all']}" aria-label="Search everything" autocomplete="off" spellcheck="false"></form></search>
<button id="theme" type="button" aria-label="Switch between light and dark">◐</button>
</header>
<main id="main" tabindex="-1">
<form id="filters" class="filters" aria-label="Narrow down lists and search" hidden></form>
<div id="overview"><h1 dir="auto">${shownHtml(title)}</h1>
<p id="standing" class="${cards.completeness}"><strong>${escapeHtml(cards.headline)}</strong></p>
${selection}<div class="whole">${cards.caveats}${cards.notes}${cards.tiles}${cards.further}<p class="note"><button id="print-all" type="button" class="plain" hidden>Print every conversation</button></p></div>
<noscript><p class="lost">To browse the conversations, allow JavaScript for this page: it loads nothing from elsewhere.</p></noscript>
<div class="lists"><section class="card" id="people"><h2>Users</h2></section>
<section class="card" id="latest"><h2>Latest conversations</h2></section></div>
<div class="whole">${cards.requests}${cards.pictures}</div>
<div class="whole on-paper" id="paper"></div>
</div>
<div id="view" hidden></div>
</main>
<p id="spoken" class="unseen" role="status"></p>
<footer><span id="subject"></span>${about.map((one) => `<span>${withWholeDays(one)}</span>`).join('')}</footer>
</body>
</html>
`;
}

/** A text as HTML in which a day breaks at no hyphen. */
function withWholeDays(text: string): string {
  return shownHtml(text).replace(/\d{4}-\d\d-\d\d/g, '<span class="short">$&</span>');
}

/** For the page's script. */
function dataOf({
  isForPaper,
  found,
  texts,
}: Pick<IndexOptions, 'isForPaper' | 'found' | 'texts'>): string {
  const data: [string, string | undefined][] = [
    ['paper', isForPaper ? '' : undefined],
    ['match', found?.match],
    ['in', found?.match === undefined ? undefined : found.in?.join(' ')],
    ['texts', texts],
  ];
  return data
    .map(([name, value]) => {
      if (value === undefined) return '';
      return value === '' ? ` data-${name}` : ` data-${name}="${escapeHtml(value)}"`;
    })
    .join('');
}

/** What a pack says of itself, with links to its other files. */
export function notesHtml(notes: readonly PageNote[]): string {
  return notes
    .map(({ heading, lines, commands = [], links = [] }) => {
      const listed = [
        ...lines.map((line) => `<li>${withNames(shownHtml(line))}</li>`),
        ...commands.map(
          ({ text, command }) =>
            `<li>${shownHtml(text)}:<pre><code>${shownHtml(command)}</code></pre></li>`,
        ),
      ].join('');
      const linked = links.map(
        ({ href, text: shown }) => `<a href="${escapeHtml(href)}">${shownHtml(shown)}</a>`,
      );
      const files = linked.length === 0 ? '' : `<p class="note">${linked.join(' · ')}</p>`;
      return `<section class="card notes"><h2>${shownHtml(heading)}</h2><ul>${listed}</ul>${files}</section>`;
    })
    .join('\n');
}

/** A text for the page: what would turn its direction is shown. */
export function shownHtml(text: string): string {
  return escapeHtml(visibleDirections(text));
}

/** A name that runs to the left does not change the direction of the sentence that quotes it. */
export function withNames(html: string): string {
  return html.replace(/“([^“”]*)”/g, (quoted, name: string) =>
    hasLettersToTheLeft(name) ? `“<bdi>${name}</bdi>”` : quoted,
  );
}

/** The requests that are open; empty where none is. */
export function requestsHtml(open: readonly RequestRecord[]): string {
  if (open.length === 0) return '';
  const lines = open.map((request) => {
    const { name, by, since, packs } = request;
    const made = handedOverText(handedOver(packs));
    const rest = `asked by ${by}, ${since.slice(0, 10)}; about ${aboutRequest(request)}; ${made}`;
    return `<li><strong dir="auto">${shownHtml(name)}</strong>: ${shownHtml(rest)}</li>`;
  });
  return `<section class="card" id="requests"><h2>Open requests</h2><ul>${lines.join('')}</ul></section>`;
}

/** Days summed up so that a picture has some forty columns at most, without leaving out the quiet ones. */

const MOST_COLUMNS = 40;
const DAY_MS = 86_400_000;
const MAX_STEPS = 3000;

export interface OverTime {
  readonly unit: 'day' | 'week' | 'month' | 'year';
  readonly counted: Counted;
}

/** @param days `2026-11-05` and how many, in any order */
export function overTime(days: Counted): OverTime {
  const sorted = days.map(([day]) => day).sort();
  const [first, last] = [sorted.at(0), sorted.at(-1)];
  if (first === undefined || last === undefined) return { unit: 'day', counted: [] };
  const span = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
  const unit =
    span <= MOST_COLUMNS
      ? 'day'
      : span <= MOST_COLUMNS * 7
        ? 'week'
        : span <= MOST_COLUMNS * 30
          ? 'month'
          : 'year';
  const sums = new Map<string, number>();
  const end = unitOf(last, unit);
  let at = unitOf(first, unit);
  for (let step = 0; step < MAX_STEPS && at <= end; step++) {
    sums.set(at, 0);
    at = next(at, unit);
  }
  for (const [day, count] of days) {
    const name = unitOf(day, unit);
    sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return { unit, counted: [...sums].map(([name, count]) => [shown(name, unit), count]) };
}

/** The day on which the stretch begins. */
function unitOf(day: string, unit: OverTime['unit']): string {
  if (unit === 'month') return `${day.slice(0, 7)}-01`;
  if (unit === 'year') return `${day.slice(0, 4)}-01-01`;
  if (unit === 'day') return day;
  const date = new Date(day);
  const monday = date.getTime() - ((date.getUTCDay() + 6) % 7) * DAY_MS;
  return dayOf(monday);
}

function next(day: string, unit: OverTime['unit']): string {
  const date = new Date(day);
  if (unit === 'month') date.setUTCMonth(date.getUTCMonth() + 1);
  else if (unit === 'year') date.setUTCFullYear(date.getUTCFullYear() + 1);
  else date.setUTCDate(date.getUTCDate() + (unit === 'week' ? 7 : 1));
  return dayOf(date.getTime());
}

function shown(day: string, unit: OverTime['unit']): string {
  if (unit === 'month') return day.slice(0, 7);
  return unit === 'year' ? day.slice(0, 4) : day;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Pictures drawn when the report is made: nothing runs on the page for them, and their colours follow its theme. */

export type Counted = readonly (readonly [name: string, count: number])[];

const HEIGHT = 240;
const MARGIN = { left: 48, right: 16, top: 16, bottom: 32 };
/** Of the lines behind the columns. */
const MOST_STEPS = 4;
const WIDEST_COLUMN = 36;
/** What a date below a column takes. */
const LABEL_WIDTH = 96;
const FONT_SIZE = 13;
/** Of a digit, at most. */
const LETTER_WIDTH = 8;

/** One bar a row: a table, so that names wrap, and those who cannot see the bars have the numbers. */
export function barsHtml(title: string, counted: Counted, most: number): string {
  const rows = counted.map(([name, count]) => {
    const bar = `<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect width="${shortNumber((100 * count) / most)}" height="10" fill="var(--accent-bar)"/></svg>`;
    const label = shownHtml(name.trim() === '' ? '(no name)' : name);
    return `<tr><th scope="row" dir="auto">${label}</th><td class="bar-of">${bar}</td><td class="number">${grouped(count)}</td></tr>`;
  });
  return `<table class="bars"><caption class="unseen">${shownHtml(title)}</caption><tbody>${rows.join('')}</tbody></table>`;
}

/** One column a stretch of time; a pointer that rests on one reads its number. */
export function columnsSvg(counted: Counted, width: number): string {
  const step = stepOf(Math.max(1, ...counted.map(([, count]) => count)));
  const top = step * Math.ceil(Math.max(1, ...counted.map(([, count]) => count)) / step);
  const plot = {
    width: width - MARGIN.left - MARGIN.right,
    height: HEIGHT - MARGIN.top - MARGIN.bottom,
  };
  const base = MARGIN.top + plot.height;
  const slot = plot.width / Math.max(1, counted.length);
  const column = Math.min(WIDEST_COLUMN, slot * 0.75);
  const labelled = Math.max(1, Math.ceil(LABEL_WIDTH / slot));
  const lines: string[] = [];
  for (let at = 0; at <= top; at += step) {
    const y = shortNumber(base - (plot.height * at) / top);
    lines.push(
      `<path d="M${MARGIN.left} ${y}H${width - MARGIN.right}" stroke="var(--line)"/>`,
      text(grouped(at), MARGIN.left - 8, y + FONT_SIZE / 3, 'end'),
    );
  }
  const columns = counted.map(([name, count], index) => {
    const middle = MARGIN.left + slot * (index + 0.5);
    const height = (plot.height * count) / top;
    // the last one would go beyond the right edge
    const place = Math.min(middle, width - (name.length * LETTER_WIDTH) / 2);
    const label = index % labelled === 0 ? text(name, place, HEIGHT - 10, 'middle') : '';
    return `<rect x="${shortNumber(middle - column / 2)}" y="${shortNumber(base - height)}" width="${shortNumber(column)}" height="${shortNumber(height)}" fill="var(--accent-bar)"><title>${shownHtml(name)}: ${grouped(count)}</title></rect>${label}`;
  });
  return `<svg class="chart" viewBox="0 0 ${width} ${HEIGHT}" aria-hidden="true" focusable="false">${lines.join('')}${columns.join('')}</svg>`;
}

/** 1, 2 or 5 with noughts, so that few lines reach the highest. */
function stepOf(highest: number): number {
  const least = highest / MOST_STEPS;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least);
  return Math.max(1, step ?? power);
}

function text(label: string, x: number, y: number, anchor: 'middle' | 'end'): string {
  return `<text x="${shortNumber(x)}" y="${shortNumber(y)}" text-anchor="${anchor}" font-size="${FONT_SIZE}" fill="var(--ink-soft)">${shownHtml(label)}</text>`;
}

function shortNumber(number: number): number {
  return Math.round(number * 10) / 10;
}

export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
