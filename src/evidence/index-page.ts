/** `index.html` and `index.csv`: every session of the pack by date and title, with its transcript, and its holds. */
import type { Archive } from '../archive/archive.js';
import { heldForm, holdsOn } from '../archive/holds.js';
import type { HoldRecord } from '../archive/log/hold-history.js';
import type { Bag, BagText } from './bag.js';
import { escapeHtml, STEERING } from '../base/text/short-texts.js';
import { doubtText } from '../archive/reading/doubts.js';
import type { CsvFiles } from './pages.js';
import type { SessionPlan, EvidenceSurvey } from './plan.js';
import type { LeftOutJob } from '../search/search-archive.js';
import { undatedText } from '../search/search-choice.js';
import type { PackSearchStatement } from './search-statement.js';

export interface IndexedSession {
  readonly session: SessionPlan;
  /** When it began, ISO 8601; null where no id tells a time. */
  readonly at: string | null;
  readonly title: string | null;
  /** Of its transcript. */
  readonly path: string;
}

export interface IndexFacts {
  readonly archive: Archive;
  readonly survey: EvidenceSurvey;
  /** ISO 8601 */
  readonly madeAt: string;
  readonly tool: string;
}

export class IndexPage {
  /** Of the current user. */
  #sessions: IndexedSession[] = [];
  #isOpen = false;
  readonly #html: BagText;
  readonly #pages: CsvFiles;
  /** Every hold of the archive. */
  readonly #holds: readonly HoldRecord[];

  private constructor(html: BagText, pages: CsvFiles, holds: readonly HoldRecord[]) {
    this.#html = html;
    this.#pages = pages;
    this.#holds = holds;
  }

  static async open(bag: Bag, pages: CsvFiles, facts: IndexFacts): Promise<IndexPage> {
    const html = await bag.openText('index.html');
    await html.write(headOf(facts));
    return new IndexPage(html, pages, facts.survey.view.holds);
  }

  /** Sessions of one user after the other. */
  async add(indexed: IndexedSession): Promise<void> {
    const [other] = this.#sessions;
    if (other && other.session.user !== indexed.session.user) await this.flush();
    this.#sessions.push(indexed);
  }

  /** Before the pages are finished. Oldest first, sessions without a time last. */
  async flush(): Promise<void> {
    const placeOf = ({ at }: IndexedSession): string => at ?? '~';
    const sorted = this.#sessions.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
    const [first] = sorted;
    if (!first) return;
    const { user } = first.session;
    const sessions = sorted.map(({ session }) => session.session);
    const holds = holdsOn(this.#holds, user, sessions);
    await this.#html.write((this.#isOpen ? TABLE_END : '') + userHead(user, holds, sorted));
    for (const indexed of sorted) {
      await this.#pages.write('index', rowOf(indexed, holds));
      await this.#html.write(rowHtml(indexed));
    }
    this.#isOpen = true;
    this.#sessions = [];
  }

  async finish(search: IndexedSearch | null): Promise<void> {
    const end = this.#isOpen ? TABLE_END : '<p>There is no session in this pack.</p>\n';
    const found = search === null ? '' : searchHtml(search);
    await this.#html.write(`${end}${found}</main></body></html>\n`);
    await this.#html.finish();
  }
}

/** The search that chose the jobs of the pack. */
export interface IndexedSearch extends PackSearchStatement {
  /** Whose jobs were searched; empty: everybody's. */
  readonly users: readonly string[];
  readonly leftOut: readonly LeftOutJob[];
}

const MAX_LEFT_OUT = 200;
const TABLE_END = '</tbody></table>\n';

function rowOf(
  { session: { user, session, jobs, state }, at, title, path }: IndexedSession,
  holds: readonly HoldRecord[],
) {
  const isHeld = holds.some(
    (hold) => hold.release === null && (hold.session === null || isOn(hold, session)),
  );
  return {
    date: at === null ? null : at.slice(0, 10),
    title,
    transcript: `data/${path}`,
    user_id: user,
    session_id: session,
    jobs: jobs.size,
    complete: state.complete ? 'yes' : 'no',
    on_hold: isHeld ? 'yes' : 'no',
  };
}

function isOn(hold: HoldRecord, session: string): boolean {
  return hold.session !== null && heldForm(hold.session) === heldForm(session);
}

function rowHtml(indexed: IndexedSession): string {
  const { session, at } = indexed;
  const { jobs, state } = session;
  const note = state.complete ? '' : ' <em>history not read to its end</em>';
  return [
    `<tr><td>${at === null ? '–' : at.slice(0, 10)}</td>`,
    `<td>${titleHtml(indexed)}${note}</td>`,
    `<td class="number">${jobs.size}</td></tr>\n`,
  ].join('');
}

function titleHtml({ title, path }: IndexedSession): string {
  const link = path.split('/').map(encodeURIComponent).join('/');
  return `<a href="${link}"><bdi>${shown(title === null || title.trim() === '' ? '(no name)' : title)}</bdi></a>`;
}

function headOf({ archive, survey, madeAt, tool }: IndexFacts): string {
  const { head } = survey.view;
  const { base_url: service, project } = archive.identity.service;
  const from = project === null ? service : `${service}, project ${project}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Evidence pack</title>
<style>${STYLE}</style></head><body><main>
<h1>Evidence pack</h1>
<p>Sessions of <bdi>${shown(from)}</bdi>, archive ${shown(archive.identity.id)}, ${
    head === null ? 'no commit' : `commit ${head.number}, digest <code>${shown(head.digest)}</code>`
  }. Made ${shown(madeAt.slice(0, 16).replace('T', ' '))} UTC by ${shown(tool)}.</p>
<p><a href="README.txt">README.txt</a> says what is in this pack, how to check it, and what it proves.</p>
`;
}

function userHead(
  user: string,
  holds: readonly HoldRecord[],
  sessions: readonly IndexedSession[],
): string {
  const list = holds.map((hold) => holdHtml(hold, sessions)).join('');
  return `<h2><bdi>${shown(user)}</bdi></h2>
${list === '' ? '' : `<ul>\n${list}</ul>\n`}<table><thead><tr><th scope="col">Date (UTC)</th><th scope="col">Session</th><th scope="col" class="number">Jobs</th></tr></thead><tbody>
`;
}

/** Who asked, why, and for how long; `holds.csv` has the same. */
function holdHtml(hold: HoldRecord, sessions: readonly IndexedSession[]): string {
  const { session, reason, by, since, release } = hold;
  const held = sessions.find((one) => isOn(hold, one.session.session));
  const what = session === null || !held ? 'The user' : `The session ${titleHtml(held)}`;
  const period =
    release === null
      ? `<strong>is on hold</strong> since ${shown(since.slice(0, 10))}`
      : `was on hold from ${shown(since.slice(0, 10))} to ${shown(release.at.slice(0, 10))}`;
  return `<li>${what} ${period}: <bdi>${shown(reason)}</bdi> (asked by <bdi>${shown(by)}</bdi>)</li>\n`;
}

function searchHtml(search: IndexedSearch): string {
  const { match, from, to, commit, searched, matches, users, not_searched: notSearched } = search;
  const undated = undatedText(search);
  const doubt = doubtText(search);
  const period = [from === null ? '' : `from ${from}`, to === null ? '' : `to ${to}`]
    .join(' ')
    .trim();
  const named = users.map((user) => `<bdi>${shown(user)}</bdi>`).join(', ');
  const whose = named === '' ? '' : ` of ${named}`;
  return `<h2>The search</h2>
<p>${matches} of ${searched} jobs${whose} match <bdi><code>${shown(match ?? '(any words)')}</code></bdi>${
    period === '' ? '' : `, ${shown(period)}`
  }, in commit ${commit}.${undated === null ? '' : ` <strong>${sentence(undated)}</strong>`}${
    doubt === ''
      ? ''
      : ` <strong>In doubt: ${shown(doubt)}. What is not archived was not searched.</strong>`
  } Only those that match are in this pack.${
    notSearched === null ? '' : ` Not searched: ${shown(notSearched)}.`
  } <a href="search.json">search.json</a></p>
${leftOutHtml(search)}`;
}

/** Jobs that nobody has said may be left out; `gaps.csv` has all of them. */
function leftOutHtml({ leftOut }: IndexedSearch): string {
  const lines = leftOut.slice(0, MAX_LEFT_OUT).map(({ user, session, job }) => {
    const [ofUser, inSession, id] = [user, session, job].map((one) => `<bdi>${shown(one)}</bdi>`);
    return `<li>job ${id} in session ${inSession} of ${ofUser}</li>\n`;
  });
  if (lines.length === 0) return '';
  const more = leftOut.length - lines.length;
  return `<p>Left out, because their date is unknown${more === 0 ? '' : ` (and ${more} more)`}; <a href="gaps.csv">gaps.csv</a> names all:</p>
<ul>
${lines.join('')}</ul>
`;
}

/** With a capital and a full stop. */
function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

const ALL_STEERING = new RegExp(`[${STEERING}]`, 'gu');

/** Control characters, and those that turn the direction of a text, are shown as U+FFFD. */
function shown(text: string): string {
  return escapeHtml(text.toWellFormed().replace(ALL_STEERING, '\uFFFD'));
}

const STYLE = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: start; vertical-align: top; padding: .4rem .6rem .4rem 0; border-bottom: 1px solid #8886; overflow-wrap: anywhere; }
td:first-child, th:first-child { white-space: nowrap; width: 7.5rem; }
.number { text-align: end; width: 4rem; padding-inline-end: 0; font-variant-numeric: tabular-nums; }
code { overflow-wrap: anywhere; font-size: .85em; }
em { opacity: .75; }
ul { margin: .5rem 0; padding-inline-start: 1.2rem; overflow-wrap: anywhere; }
@media print { main { max-width: none; padding: 0; } thead { display: table-header-group; } tr { break-inside: avoid; } }
`;
