/** How a user or session stands beyond its conversations: what is on hold, by whom and why, and what is not proven. */
import {
  COMPLETENESS_WORDS,
  type Completeness,
} from '../../archive/reading/caveats/completeness.js';
import type { HoldLine } from '../../making/hold-line.js';
import { whenText } from '../../model/times/when.js';
import { known, make } from './elements.js';

interface Standing {
  readonly isHeld: boolean;
  readonly completeness: Completeness;
  readonly isNeverSeen?: boolean;
}

/** As `summary.csv` of a pack has it: the longest would wrap on a phone. */
const BADGES = { ...COMPLETENESS_WORDS, 'incomplete-by-decision': 'by decision' } as const;

/** Each behind a space, which parts it from a name also where the page is read aloud. */
export function badges(texts: readonly string[], name = 'mark'): (HTMLElement | string)[] {
  return texts.flatMap((text) => [' ', make('span', { class: name }, text)]);
}

export function standingOf({ isHeld, completeness, isNeverSeen = false }: Standing): string[] {
  const complete = isNeverSeen ? ['never seen'] : [];
  const word = completeness === 'complete' ? complete : [BADGES[completeness]];
  return [...(isHeld ? ['on hold'] : []), ...word];
}

/**
 * What is missing or in doubt, as the first page says it; null where nothing is.
 *
 * @param isOnly whether nobody else is here
 */
export function completenessNote(completeness: Completeness, isOnly: boolean): HTMLElement | null {
  if (completeness === 'complete') return null;
  const headline = known('standing').textContent;
  return make('p', { class: 'note' }, isOnly ? `${headline}.` : `All users here: ${headline}.`);
}

/** A line for each hold; null where there is none. */
export function holdNotes(holds: readonly HoldLine[]): HTMLElement | null {
  if (holds.length === 0) return null;
  const lines = holds.map((hold) => {
    if ('withheld' in hold) return make('li', {}, hold.withheld);
    const { subject, reason, by, since } = hold;
    return make(
      'li',
      {},
      `${subject === 'user' ? 'The user' : 'The conversation'} is on hold since ${whenText(since)}, asked by `,
      make('bdi', {}, by),
      ': ',
      make('bdi', {}, reason),
    );
  });
  return make('ul', { class: 'note holds', 'aria-label': 'Holds' }, ...lines);
}
