/** The first page: numbers, pictures, and the same numbers as tables for those who cannot see them. */
import { barsSvg, columnsSvg, type Counted } from './charts.js';
import { escapeHtml } from './escape-html.js';
import { overTime } from './over-time.js';
import type { Tallies, Tally } from './tallies.js';

const MOST_BARS = 10;

export function overviewHtml(tallies: Tallies): string {
  const artifacts = tallies.artifacts.sum;
  const tiles: [string, number, string][] = [
    ['Users', tallies.users.entries().length, 'with jobs'],
    ['Sessions', tallies.sessions, 'conversations'],
    ['Jobs', tallies.jobs, 'questions and answers'],
    ['Tables and images', artifacts, `${number(tallies.artifacts.get('stored'))} stored`],
    [
      'Gaps',
      tallies.gaps.sum,
      tallies.gaps.sum === 0 ? 'nothing is missing' : 'see what is missing',
    ],
  ];
  return [
    `<dl class="tiles">${tiles.map(tile).join('')}</dl>`,
    timeFigure(tallies),
    '<div class="charts">',
    barsFigure('Jobs by user', tallies.users, 'No jobs.'),
    barsFigure('Data sources most used', tallies.sources, 'No answer names a source.', 'answers'),
    barsFigure('Block types', tallies.blockTypes, 'No blocks.', 'blocks'),
    barsFigure('Languages', tallies.languages, 'No sessions.', 'sessions'),
    barsFigure('Job modes', tallies.modes, 'No sessions.', 'sessions'),
    barsFigure('Tables and images by status', tallies.artifacts, 'No files.', 'files'),
    barsFigure(
      'Gaps by reason',
      tallies.gaps,
      'Nothing is missing: every session was read to its end, every file is here.',
      'gaps',
    ),
    '</div>',
  ].join('\n');
}

function tile([name, count, note]: [string, number, string]): string {
  const link = name === 'Gaps' && count > 0 ? `<a href="#/gaps">${note}</a>` : escapeHtml(note);
  const state = name === 'Gaps' ? (count > 0 ? ' bad' : ' good') : '';
  return `<div class="tile${state}"><dt>${name}</dt><dd><b>${number(count)}</b> <span>${link}</span></dd></div>`;
}

function timeFigure({ days, timeless, jobs }: Tallies): string {
  const { unit, counted } = overTime(days.entries());
  const told = jobs - timeless;
  const note =
    timeless === 0
      ? `Jobs a ${unit}, by the time in their ids (UTC).`
      : `Jobs a ${unit}, by the time in their ids (UTC). ${number(timeless)} of ${number(jobs)} jobs have ids without a timestamp and are not in the picture.`;
  return figure('Jobs over time', {
    note: told === 0 ? 'The ids of these jobs tell no time.' : note,
    counted,
    isWide: true,
    svg: counted.length === 0 ? '' : bothWidths(counted),
    unit: 'jobs',
  });
}

/** The style sheet shows the one that fits. */
function bothWidths(counted: Counted): string {
  return `<div class="roomy">${columnsSvg(counted, 1160)}</div><div class="tight">${columnsSvg(counted, 360)}</div>`;
}

function barsFigure(title: string, tally: Tally, empty: string, unit = 'jobs'): string {
  const entries = tally.entries();
  const rest = entries.length - MOST_BARS;
  const note =
    entries.length === 0 ? empty : rest > 0 ? `The first ${MOST_BARS} of ${entries.length}.` : '';
  const counted = entries.slice(0, MOST_BARS);
  const svg = counted.length === 0 ? '' : barsSvg(counted);
  return figure(title, { note, counted: entries.slice(0, 100), svg, unit, isWide: false });
}

interface Figure {
  readonly note: string;
  readonly counted: Counted;
  readonly svg: string;
  readonly unit: string;
  readonly isWide: boolean;
}

function figure(title: string, { note, counted, svg, unit, isWide }: Figure): string {
  const rows = counted
    .map(
      ([name, count]) =>
        `<tr><th scope="row">${escapeHtml(name)}</th><td>${number(count)}</td></tr>`,
    )
    .join('');
  const table = `<details><summary>As a table<span class="unseen">: ${title}</span></summary><table><thead><tr><th scope="col">${title}</th><th scope="col">${unit}</th></tr></thead><tbody>${rows}</tbody></table></details>`;
  return [
    `<section class="card${isWide ? ' over-time' : ''}"><h2>${title}</h2>`,
    note === '' ? '' : `<p class="note">${escapeHtml(note)}</p>`,
    svg,
    counted.length === 0 ? '' : table,
    '</section>',
  ].join('');
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}
