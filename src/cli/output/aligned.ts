/** Formats the parts of a report: aligned lines, and lists that end early. */
import { thousands } from '../../base/text/counted.js';
import { NO_PLACE, type CommandPlace, type NextStep } from '../../base/next-step.js';

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
    const number = typeof count === 'number' ? thousands(count) : count;
    return [{ label, count: number, text: textIn(text, place) }];
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

/** The first lines; after them, how many are left out. */
export function firstLines(lines: readonly string[], most: number): string[] {
  const more = lines.length - most;
  if (more <= 0) return [...lines];
  return [...lines.slice(0, most), `    … and ${more} more, which --json names\n`];
}
