/** Formats the parts of a report: aligned lines, places, and lists that end early. */
import { NO_PLACE, type CommandPlace, type NextStep } from '../../base/next-step.js';
import { visibleId } from '../../base/text/direction.js';
import { formatDuration } from '../../base/units.js';
import { counted } from '../../base/text/counted.js';

/** What people read: where it has commands, they are values. */
export type Text = string | NextStep;

/** A label, perhaps a number, and a text. A fact without a text is left out. */
export type Fact =
  | readonly [label: string, text: Text | null]
  | readonly [label: string, count: number | string, text: Text | null];

/** Its commands are not broken by `folded`. */
export function textIn(text: Text, place: CommandPlace): string {
  return typeof text === 'string' ? text : text.unbroken(place);
}

/** Labels on the left, texts on the right; numbers between them, where some facts have one. */
export function aligned(facts: readonly Fact[], place: CommandPlace = NO_PLACE): string {
  const rows = facts.flatMap((fact) => {
    const [label, count, text] =
      fact.length === 3 ? fact : ([fact[0], undefined, fact[1]] as const);
    if (text === null) return [];
    return [{ label, count: count?.toLocaleString('en-US'), text: textIn(text, place) }];
  });
  const width = Math.max(...rows.map(({ label }) => label.length));
  const digits = Math.max(...rows.map(({ count }) => count?.length ?? -1));
  return rows
    .map(({ label, count = '', text }) => {
      const number = digits < 0 ? '' : `${count.padStart(digits)}  `;
      return `${`  ${label.padEnd(width)}  ${number}${text}`.trimEnd()}\n`;
    })
    .join('');
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

/** `2026-01-31T09:30:00Z` @param at ISO 8601 in UTC */
export function secondText(at: string): string {
  return `${at.slice(0, 19)}Z`;
}

/** `2026-01-31T09:30:00Z, 3 days 4 h ago`. @param at ISO 8601 in UTC */
export function timeWithAge(at: string, nowMs: number): string {
  const ageMs = nowMs - Date.parse(at);
  const time = secondText(at);
  // the clock of the machine that wrote it may be ahead
  return ageMs < 0 ? time : `${time}, ${formatDuration(ageMs)} ago`;
}

/** The sum of the counts of all tables. */
export function totalRows(rows: Readonly<Record<string, number>>): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}

/** The first lines; after them, how many are left out. */
export function firstLines(lines: readonly string[], most: number): string[] {
  const more = lines.length - most;
  if (more <= 0) return [...lines];
  return [...lines.slice(0, most), `    … and ${more} more, which --json names\n`];
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
