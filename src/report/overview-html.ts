/** What stands ready on the first page: numbers above the lists, pictures below them. */
import { barsHtml, columnsSvg, grouped } from './charts.js';
import { escapeHtml } from '../base/text/escape-html.js';
import { overTime } from './over-time.js';
import type { Tallies, Tally } from './tallies.js';

const MOST_BARS = 10;
const MOST_ROWS = 100;

export interface Shown {
  /** Whether the report leaves something out on purpose. */
  readonly isPart: boolean;
  /** Users without a known gap of whom it is not proven that there is none. */
  readonly notProven: number;
  /** Whether nothing is in doubt, neither of what is shown nor of where a search looked. */
  readonly isProven: boolean;
}

export function tilesHtml(tallies: Tallies, shown: Shown): string {
  const gaps = tallies.gaps.sum;
  const state = gaps > 0 ? ' bad' : shown.isProven ? ' good' : '';
  const tiles: [string, number, string][] = [
    ['Users', tallies.users.entries().length, 'with jobs'],
    ['Sessions', tallies.sessions, 'conversations'],
    ['Jobs', tallies.jobs, 'questions and answers'],
    [
      'Tables and images',
      tallies.artifacts.sum,
      `${grouped(tallies.artifacts.get('stored'))} stored`,
    ],
    ['Gaps', gaps, gaps === 0 ? noGapNote(shown) : 'see what is missing'],
  ];
  return `<dl class="tiles">${tiles.map((one) => tile(one, one[0] === 'Gaps' ? state : '')).join('')}</dl>`;
}

function noGapNote({ isPart, notProven, isProven }: Shown): string {
  if (notProven > 0) return `none known; ${numbered(notProven, 'users')} not proven complete`;
  if (!isProven) return 'none known of these';
  return isPart ? 'nothing of these is missing' : 'nothing is missing';
}

function tile([name, count, note]: [string, number, string], state: string): string {
  const link = name === 'Gaps' && count > 0 ? `<a href="#/gaps">${note}</a>` : escapeHtml(note);
  return `<div class="tile${state}"><dt>${name}</dt><dd><b>${grouped(count)}</b> <span>${link}</span></dd></div>`;
}

export function picturesHtml(tallies: Tallies): string {
  return [
    timeCard(tallies),
    '<div class="charts">',
    barsCard('Jobs by user', tallies.users, 'jobs'),
    barsCard('Data sources most used', tallies.sources, 'answers'),
    barsCard('Block types', tallies.blockTypes, 'blocks'),
    barsCard('Languages', tallies.languages, 'sessions'),
    barsCard('Job modes', tallies.modes, 'sessions'),
    barsCard('Tables and images by status', tallies.artifacts, 'files'),
    barsCard('Gaps by status', tallies.gaps, 'gaps'),
    '</div>',
  ].join('\n');
}

function timeCard(tallies: Tallies): string {
  const { unit, counted } = overTime(tallies.days.entries());
  const title = 'Jobs over time';
  const notes = unplacedNote(tallies);
  const [only] = counted;
  if (!only) return card(title, [notes === '' ? 'No jobs.' : notes], '');
  if (counted.length === 1) {
    return card(title, [`${numbered(only[1], 'jobs')} on ${only[0]} (UTC).`, notes], '');
  }
  const rows = counted
    .map(([name, count]) => `<tr><th scope="row">${name}</th><td>${grouped(count)}</td></tr>`)
    .join('');
  const table = `<details><summary>As a table<span class="unseen">: ${title}</span></summary><table><thead><tr><th scope="col">${unit}</th><th scope="col">jobs</th></tr></thead><tbody>${rows}</tbody></table></details>`;
  // the style sheet shows the one that fits
  const drawn = `<div class="roomy">${columnsSvg(counted, 1160)}</div><div class="tight">${columnsSvg(counted, 360)}</div>`;
  return card(title, [`Jobs per ${unit} (UTC).`, notes], drawn + table, 'over-time');
}

/** What the picture cannot show, and why. */
function unplacedNote({ jobs, timeless, unplaced }: Tallies): string {
  if (timeless === 0) return '';
  const told = `${grouped(timeless)} of ${numbered(jobs, 'jobs')} have no timestamp in their id; their neighbours in the history bound the time.`;
  if (unplaced === 0) return `${told} That places each on a day.`;
  return `${told} ${grouped(unplaced)} of them cannot be placed on a day and are not in the picture.`;
}

/** One bar says nothing that a sentence would not, and no bar says less. */
function barsCard(title: string, tally: Tally, unit: string): string {
  const entries = tally.entries();
  const [only] = entries;
  if (!only) return '';
  if (entries.length === 1) {
    const [name, count] = only;
    const all =
      count === 1 ? `The only ${numbered(1, unit).slice(2)}` : `All ${grouped(count)} ${unit}`;
    return card(title, [`${all}: ${name}`], '');
  }
  const most = only[1];
  const rest = entries.slice(MOST_BARS, MOST_ROWS);
  const left = entries.length - MOST_BARS;
  const more =
    left <= 0
      ? ''
      : `<details><summary>${left <= rest.length ? '' : `${grouped(rest.length)} of `}${grouped(left)} more<span class="unseen">: ${title}</span></summary>${barsHtml(`${title}, continued`, rest, most)}</details>`;
  return card(
    title,
    [`By number of ${unit}.`],
    barsHtml(title, entries.slice(0, MOST_BARS), most) + more,
  );
}

function card(title: string, notes: readonly string[], content: string, name = ''): string {
  const told = notes.filter((note) => note !== '').map(escapeHtml);
  const note = told.length === 0 ? '' : `<p class="note">${told.join(' ')}</p>`;
  return `<section class="card${name === '' ? '' : ` ${name}`}"><h2>${title}</h2>${note}${content}</section>`;
}

/** @param unit in the plural */
function numbered(count: number, unit: string): string {
  return `${grouped(count)} ${count === 1 ? unit.replace(/s$/, '') : unit}`;
}
