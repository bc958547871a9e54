/** Answers of a pack that may not be the last ones: how many, and what is known of when they were asked. */
import { boundsText, minuteText } from '../model/created-at.js';

/** When a job was asked: ISO 8601, always in the same form. */
export interface AskedTimes {
  /** As its id tells; null where it tells none. */
  readonly createdAt: string | null;
  /** As its neighbours in the history tell; null where none does. Equal to the time where the id tells. */
  readonly createdAfter: string | null;
  readonly createdBefore: string | null;
}

interface Bounds {
  readonly after: string | null;
  readonly before: string | null;
}

export class UnsettledAnswers {
  #count = 0;
  #dated = 0;
  /** They hold of all that are dated; null where one of them has no such bound. */
  #bounds: Bounds | undefined;

  get count(): number {
    return this.#count;
  }

  add(asked: AskedTimes): void {
    this.#count++;
    const after = asked.createdAt ?? asked.createdAfter;
    const before = asked.createdAt ?? asked.createdBefore;
    if (after === null && before === null) return;
    this.#dated++;
    const all = this.#bounds ?? { after, before };
    this.#bounds = { after: earlier(all.after, after), before: later(all.before, before) };
  }

  /** Sentences on one line. */
  get text(): string {
    const isOne = this.#count === 1;
    const [it, was, names] = isOne ? ['it', 'was', 'it'] : ['they', 'were', 'them'];
    const what = isOne
      ? '1 ANSWER MAY NOT BE THE LAST ONE'
      : `${this.#count} ANSWERS MAY NOT BE THE LAST ONES`;
    return [
      `${what}: when ${it} ${was} read last, nothing showed yet that ${it} had stopped changing.`,
      ...this.#askedSentence(it, was),
      `items.csv names ${names} (status "unsettled"). A pack made after a later export can tell.`,
    ].join(' ');
  }

  #askedSentence(it: string, was: string): string[] {
    if (this.#bounds === undefined) return [`Nothing tells when ${it} ${was} asked.`];
    const { after, before } = this.#bounds;
    const when = after !== null && after === before ? minuteText(after) : boundsText(after, before);
    if (when === null) return [];
    const others = this.#count - this.#dated;
    if (others === 0) {
      return [`${it.slice(0, 1).toUpperCase()}${it.slice(1)} ${was} asked ${when}.`];
    }
    const some = `${this.#dated} of them ${this.#dated === 1 ? 'was' : 'were'} asked ${when}`;
    return [`${some}; of the ${others === 1 ? 'other one' : 'others'} nothing tells it.`];
  }
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return null;
  return a < b ? a : b;
}

function later(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return null;
  return a > b ? a : b;
}
