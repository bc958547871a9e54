/** What stands ready on the first page: numbers above the lists, pictures below them. */
import { LOST_STATUS } from '../../model/gap-counts.js';
import {
  COMPLETENESS_WORDS,
  type Completeness,
} from '../../archive/reading/caveats/completeness.js';
import { BUT_ERASED } from '../../archive/reading/caveats/caveat-text.js';
import { agreeing, thousands } from '../../base/text/counted.js';
import type { Tallies } from './tallies.js';
import type { Tally } from './tally.js';
import { shownHtml } from './shown-html.js';
import { type OverTime, overTime } from './over-time.js';
import { columnsSvg, barsHtml } from './columns-picture.js';

const MOST_BARS = 10;
const MOST_ROWS = 100;

export interface Shown {
  /** Stored tables and images that it shows, each once. */
  readonly files: number;
  /** How many points the cards above have: what they count overlaps, and has no sum. */
  readonly missing: number;
  /** Whether the list of gaps has any of it. */
  readonly isListed: boolean;
  /** How many have conversations in it. */
  readonly people: number;
  readonly completeness: Completeness;
  /** Whether the archive has erasures: what they took may have been of what it shows. */
  readonly maybeErased: boolean;
  /** Whether it is of a pseudonymised copy, which has no files. */
  readonly isCopy: boolean;
}

const STATES: Readonly<Record<Completeness, string>> = {
  complete: ' good',
  'not-proven': '',
  incomplete: ' bad',
  'incomplete-by-decision': '',
};

export function tilesHtml(tallies: Tallies, shown: Shown): string {
  const { artifacts } = tallies;
  const { missing, isListed, completeness, maybeErased } = shown;
  const isUnsure = maybeErased && completeness === 'complete';
  const note = shownHtml(noteOf(completeness, isUnsure));
  const tiles: [string, number, string][] = [
    ['Users', shown.people, 'with conversations'],
    ['Conversations', tallies.sessions, 'with their files'],
    ['Questions', tallies.jobs, 'with their answers'],
    ['Tables and images', shown.files, filesNote(artifacts, shown)],
  ];
  // not all that the cards above name is a gap
  const link = isListed ? ', and the <a href="#/gaps">list of gaps</a>' : '';
  const state = `${isUnsure ? '' : STATES[completeness]} gaps`;
  const last = tileHtml(['Missing or in doubt (kinds)', missing, note + link], state);
  const others = tiles.map(([name, count, text]) => tileHtml([name, count, shownHtml(text)]));
  return `<dl class="tiles">${others.join('')}${last}</dl>`;
}

function noteOf(completeness: Completeness, isUnsure: boolean): string {
  if (completeness !== 'complete') return `${COMPLETENESS_WORDS[completeness]}; see above`;
  return isUnsure ? `none known, ${BUT_ERASED}` : 'none known';
}

/** A file that stands in several places is one; of what has no file, nothing but the places can be counted. */
function filesNote(artifacts: Tally, { isCopy }: Shown): string {
  const what = isCopy ? 'left out of this copy' : 'each once';
  const without = artifacts.sum - artifacts.get('stored');
  if (without === 0) return what;
  const lost = artifacts.get(LOST_STATUS);
  const [places, have] = [numbered(without, 'places'), agreeing(without, 'has', 'have')];
  const ofThem = lost === 0 ? '' : ` (${thousands(lost)} lost)`;
  return `${what}; ${places} in answers ${have} none${isCopy ? ' in its archive' : ofThem}`;
}

function tileHtml([name, count, html]: [string, number, string], state = ''): string {
  return `<div class="tile${state}"><dt>${name}</dt><dd><b>${thousands(count)}</b> <span>${html}</span></dd></div>`;
}

/** @param people the tally of users, each person once */
export function picturesHtml(tallies: Tallies, people: Tally): string {
  return [
    timeCard(tallies),
    '<div class="charts">',
    barsCard('Questions by user', people, 'questions'),
    barsCard('Data sources most used', tallies.sources.shown(), 'answers'),
    barsCard('Kinds of content', tallies.blockTypes, 'parts of answers'),
    barsCard('Languages', tallies.languages, 'conversations'),
    barsCard('Job modes', tallies.modes, 'conversations'),
    barsCard('Places of tables and images by status', tallies.artifacts, 'places'),
    barsCard('Missing or in doubt, by status', tallies.gaps, 'cases'),
    '</div>',
  ].join('\n');
}

function timeCard(tallies: Tallies): string {
  const shown = overTime(tallies.days.entries());
  const { unit, counted } = shown;
  const title = 'Questions over time';
  const notes = undatedNote(tallies, shown);
  const [only] = counted;
  if (!only) return card(title, [notes === '' ? 'No questions.' : notes], '', 'over-time');
  if (counted.length === 1) {
    return card(
      title,
      [`${numbered(only[1], 'questions')} on ${only[0]} (UTC).`, notes],
      '',
      'over-time',
    );
  }
  const rows = counted
    .map(([name, count]) => `<tr><th scope="row">${name}</th><td>${thousands(count)}</td></tr>`)
    .join('');
  const table = `<details><summary>As a table<span class="unseen">: ${title}</span></summary><table><thead><tr><th scope="col">${unit}</th><th scope="col">questions</th></tr></thead><tbody>${rows}</tbody></table></details>`;
  // the style sheet shows the one that fits
  const drawn = `<div class="roomy">${columnsSvg(counted, 1160)}</div><div class="tight">${columnsSvg(counted, 360)}</div>`;
  return card(title, [`Questions per ${unit} (UTC).`, notes], drawn + table, 'over-time');
}

/** How many jobs the picture cannot show, and whether it shows some without a time of their own. */
function undatedNote({ jobs, timeless }: Tallies, { unit, counted }: OverTime): string {
  if (timeless === 0) return '';
  if (counted.length === 0) {
    return `${numbered(jobs, 'questions')}, without a time: there is no picture of ${jobs === 1 ? 'it' : 'them'}.`;
  }
  const beside = jobs - counted.reduce((sum, [, count]) => sum + count, 0);
  const without = `${thousands(timeless)} of ${numbered(jobs, 'questions')} ${timeless === 1 ? 'has' : 'have'} no time of ${timeless === 1 ? 'its' : 'their'} own`;
  const rule = `such a question is in the picture where the ones beside it in its conversation were asked ${unit === 'day' ? 'on' : 'in'} the same ${unit}`;
  if (beside === 0) return `${without}: ${rule}.`;
  return `${without}: ${rule}. Not in the picture: ${thousands(beside)} without a time.`;
}

/** One bar says nothing that a sentence would not, and no bar says less. */
function barsCard(title: string, tally: Tally, unit: string): string {
  const entries = tally.entries();
  const [only] = entries;
  if (!only) return '';
  if (entries.length === 1) {
    const [name, count] = only;
    return card(title, [`${name}: ${numbered(count, unit)}`], '');
  }
  const most = only[1];
  const rest = entries.slice(MOST_BARS, MOST_ROWS);
  const remaining = entries.length - MOST_BARS;
  const more =
    remaining <= 0
      ? ''
      : `<details><summary>${remaining <= rest.length ? '' : `${thousands(rest.length)} of `}${thousands(remaining)} more<span class="unseen">: ${title}</span></summary>${barsHtml(`${title}, continued`, rest, most)}</details>`;
  return card(
    title,
    [`By number of ${unit}.`],
    barsHtml(title, entries.slice(0, MOST_BARS), most) + more,
  );
}

function card(title: string, notes: readonly string[], content: string, name = ''): string {
  const shown = notes.filter((note) => note !== '').map(shownHtml);
  const note = shown.length === 0 ? '' : `<p class="note">${shown.join(' ')}</p>`;
  return `<section class="card${name === '' ? '' : ` ${name}`}"><h2>${title}</h2>${note}${content}</section>`;
}

/** @param unit in the plural */
function numbered(count: number, unit: string): string {
  return `${thousands(count)} ${count === 1 ? unit.replace(/s(?= of |$)/, '') : unit}`;
}
