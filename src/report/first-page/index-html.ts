/** The page itself: its first view stands in it, everything else is loaded when it is wanted. */
import { lostOfRequest, workFor, workText } from '../../archive/notes/change-requests.js';
import type { RequestRecord } from '../../archive/log/request-history.js';
import { requestStateTexts } from '../../archive/reading/requests/request-state.js';
import type { RestOfRequest } from '../../archive/reading/requests/rest-of-request.js';
import { aboutRequest, type SearchChoice } from '../../search/search-choice.js';
import type { Completeness } from '../../archive/reading/caveats/completeness.js';
import { shownHtml, withNames } from './shown-html.js';
import { clauses } from '../../base/text/clauses.js';
import { escapeHtml } from '../../base/text/short-texts.js';
import type { AboutLines } from './about-lines.js';

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
  /** The archive, its newest commit and when the report was made: it stands below every page. */
  readonly about: AboutLines;
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
  /** Of what a pseudonymised copy knows the day alone. */
  readonly days: { readonly asked: boolean; readonly exported: boolean };
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
<p class="note on-paper">${about.once.map(withWholeDays).join(' · ')}</p>
<form id="filters" class="filters" aria-label="Narrow down lists and search" hidden></form>
<div id="overview"><h1 dir="auto">${shownHtml(title)}</h1>
<p id="standing" class="${cards.completeness}"><strong>${escapeHtml(cards.headline)}</strong></p>
${selection}<div class="whole">${cards.caveats}${cards.notes}${cards.tiles}${cards.further}<p class="note" id="printing" hidden><button id="print-all" type="button" class="plain">Print every conversation</button> <label><input id="print-steps" type="checkbox"> with the steps: code and what it gave</label></p></div>
<noscript><p class="lost">To browse the conversations, allow JavaScript for this page: it loads nothing from elsewhere.</p></noscript>
<div class="lists"><section class="card" id="people"><h2>Users</h2></section>
<section class="card" id="latest"><h2>Latest conversations</h2></section></div>
<div class="whole">${cards.requests}${cards.pictures}</div>
<div class="whole on-paper" id="paper"></div>
</div>
<div id="view" hidden></div>
</main>
<p id="spoken" class="unseen" role="status"></p>
<footer><span id="subject"></span>${about.onEverySheet.map((line) => `<span>${withWholeDays(line)}</span>`).join('')}${about.once.map((line) => `<span class="once">${withWholeDays(line)}</span>`).join('')}</footer>
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
  days,
}: Pick<IndexOptions, 'isForPaper' | 'found' | 'texts' | 'days'>): string {
  const data: [string, string | undefined][] = [
    ['paper', isForPaper ? '' : undefined],
    ['match', found?.match],
    ['in', found?.match === undefined ? undefined : found.in?.join(' ')],
    ['texts', texts],
    ['asked', days.asked ? 'days' : undefined],
    ['exported', days.exported ? 'days' : undefined],
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

export interface OpenRequest {
  readonly request: RequestRecord;
  /** What its erasures have left, and what may be archived again. */
  readonly left: RestOfRequest;
}

/** The requests that are open; empty where none is. */
export function requestsHtml(open: readonly OpenRequest[]): string {
  if (open.length === 0) return '';
  const lines = open.map(({ request, left }) => {
    const { name, by, since } = request;
    const told = clauses(
      '; ',
      `asked by ${by}, ${since.slice(0, 10)}`,
      `about ${aboutRequest(request)}`,
      workText(workFor(request)),
      ...requestStateTexts({ ...left, lost: lostOfRequest(request), isOpen: true }),
    );
    return `<li><strong dir="auto">${shownHtml(name)}</strong>: ${shownHtml(told)}</li>`;
  });
  return `<section class="card" id="requests"><h2>Open requests</h2><ul>${lines.join('')}</ul></section>`;
}
