/** Formats the parts of a report: aligned lines, places, and lists that end early. */
import { visibleId } from '../../base/text/direction.js';
import { formatDuration } from '../../base/units.js';
import { counted } from '../../base/text/counted.js';

/** A line without a text is left out. */
export type ReportLine = readonly [label: string, text: string | null];

/** Labels on the left, texts on the right. */
export function aligned(lines: readonly ReportLine[]): string {
  const shown = lines.filter(([, text]) => text !== null);
  const width = Math.max(...shown.map(([label]) => label.length));
  return shown.map(([label, text]) => `  ${label.padEnd(width)}  ${text}\n`).join('');
}

/** `2 conversations, 7 questions`. @param joint between the two */
export function conversationsAndQuestions(
  sessions: readonly { readonly jobs: number }[],
  joint = ', ',
): string {
  const jobs = sessions.reduce((sum, session) => sum + session.jobs, 0);
  return `${counted(sessions.length, 'conversation')}${joint}${counted(jobs, 'question')}`;
}

/** `2026-01-31 09:30 UTC` @param at ISO 8601 in UTC */
export function minute(at: string): string {
  return `${at.slice(0, 16).replace('T', ' ')} UTC`;
}

/** `2026-01-31T09:30:00Z, 3 days 4 h ago`. @param at ISO 8601 in UTC */
export function timeWithAge(at: string, nowMs: number): string {
  const ageMs = nowMs - Date.parse(at);
  const time = `${at.slice(0, 19)}Z`;
  // the clock of the machine that wrote it may be ahead
  return ageMs < 0 ? time : `${time}, ${formatDuration(ageMs)} ago`;
}

/** The sum of the counts of all tables. */
export function totalRows(rows: Readonly<Record<string, number>>): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}

/** The first lines; after them, how many are left out. @param rest where the others are */
export function firstLines(lines: readonly string[], most: number, rest: string): string[] {
  const more = lines.length - most;
  return more > 0 ? [...lines.slice(0, most), `    … and ${more} more${rest}\n`] : [...lines];
}

/** `user ana, session s1, job j1`, as far as it is given. */
export function placeText(place: {
  readonly user?: string;
  readonly session?: string | null;
  readonly job?: string | null;
}): string {
  return (['user', 'session', 'job'] as const)
    .flatMap((what) => (place[what] == null ? [] : [`${what} ${visibleId(place[what])}`]))
    .join(', ');
}
