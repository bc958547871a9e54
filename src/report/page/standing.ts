/** How a user or session stands beyond its conversations: what is on hold, by whom and why, and what is not proven. */
import type { HoldLine } from '../page-data.js';
import { whenText } from '../when.js';
import { make } from './elements.js';

interface Standing {
  readonly isHeld: boolean;
  readonly isInDoubt: boolean;
}

const NOT_PROVEN =
  'Not proven complete: no gap is known here, but nothing proves that everything of this user is archived. A run of jobvault export that lists all sessions of the user can prove it.';

/** Each behind a space, which parts it from a name also where the page is read aloud. */
export function badges(texts: readonly string[], name = 'mark'): (HTMLElement | string)[] {
  return texts.flatMap((text) => [' ', make('span', { class: name }, text)]);
}

export function standingOf({ isHeld, isInDoubt }: Standing): string[] {
  return [...(isHeld ? ['on hold'] : []), ...(isInDoubt ? ['not proven complete'] : [])];
}

export function doubtNote(isInDoubt: boolean): HTMLElement | null {
  return isInDoubt ? make('p', { class: 'note' }, NOT_PROVEN) : null;
}

/** A line for each hold; null where there is none. */
export function holdNotes(holds: readonly HoldLine[]): HTMLElement | null {
  if (holds.length === 0) return null;
  const lines = holds.map((hold) => {
    if ('withheld' in hold) return make('li', {}, hold.withheld);
    const { of, reason, by, since } = hold;
    return make(
      'li',
      {},
      `${of === 'user' ? 'The user' : 'The session'} is on hold since ${whenText(since)}, asked by `,
      make('bdi', {}, by),
      ': ',
      make('bdi', {}, reason),
    );
  });
  return make('ul', { class: 'note holds', 'aria-label': 'Holds' }, ...lines);
}
