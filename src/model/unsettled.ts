/** Answers that may not be the last ones: a pack and a report say so in the same words; a pack also when they were asked. */
import { boundsText, minuteText } from './created-at.js';

/** When a job was asked: ISO 8601, always in the same form. */
export interface AskedTimes {
  /** As its id tells; null where it tells none. */
  readonly createdAt: string | null;
  /** As its neighbours in the history tell; null where none does. Equal to the time where the id tells. */
  readonly createdAfter: string | null;
  readonly createdBefore: string | null;
}

/** Those with both bounds, with one, with none: a bound that one of them lacks would say nothing true of the others. */
type Known = 'between' | 'after' | 'before' | 'nothing';

interface Bounds {
  readonly count: number;
  readonly after: string | null;
  readonly before: string | null;
}

/** `1 answer may not be the last one`, and why that is said. */
export function mayChangeText(count: number): { readonly what: string; readonly why: string } {
  const [it, its] = count === 1 ? ['it was', 'it'] : ['they were', 'they'];
  const what =
    count === 1
      ? '1 answer may not be the last one'
      : `${count.toLocaleString('en-US')} answers may not be the last ones`;
  return {
    what,
    why: `when ${it} read last, nothing showed yet that ${its} had stopped changing`,
  };
}

export class UnsettledAnswers {
  readonly #bounds = new Map<Known, Bounds>();

  get count(): number {
    return [...this.#bounds.values()].reduce((sum, { count }) => sum + count, 0);
  }

  add(asked: AskedTimes): void {
    const after = asked.createdAt ?? asked.createdAfter;
    const before = asked.createdAt ?? asked.createdBefore;
    const known = knownOf(after, before);
    const all = this.#bounds.get(known) ?? { count: 0, after, before };
    this.#bounds.set(known, {
      count: all.count + 1,
      after: earlier(all.after, after),
      before: later(all.before, before),
    });
  }

  /** Sentences on one line, the first in capitals for a text without other means. */
  get text(): string {
    const { what } = mayChangeText(this.count);
    return what.toUpperCase() + this.line.slice(what.length);
  }

  /** The same as other sentences. */
  get line(): string {
    const { count } = this;
    const isOne = count === 1;
    const [it, was, names] = isOne ? ['it', 'was', 'it'] : ['they', 'were', 'them'];
    const { what, why } = mayChangeText(count);
    return [
      `${what}: ${why}.`,
      this.#askedSentence(it, was),
      `items.csv names ${names} (status "unsettled"). A pack made after a later export can tell.`,
    ].join(' ');
  }

  #askedSentence(it: string, was: string): string {
    const order: readonly Known[] = ['between', 'after', 'before', 'nothing'];
    const groups = order.flatMap((known) => this.#bounds.get(known) ?? []);
    const [only] = groups;
    if (groups.length > 1) return `Asked: ${groups.map(groupText).join('; ')}.`;
    const when = only && whenText(only);
    if (when == null) return `Nothing tells when ${it} ${was} asked.`;
    return `${it.slice(0, 1).toUpperCase()}${it.slice(1)} ${was} asked ${when}.`;
  }
}

function knownOf(after: string | null, before: string | null): Known {
  if (after !== null) return before === null ? 'after' : 'between';
  return before === null ? 'nothing' : 'before';
}

function whenText({ after, before }: Bounds): string | null {
  return after !== null && after === before ? minuteText(after) : boundsText(after, before);
}

function groupText(bounds: Bounds): string {
  const isPoint = bounds.after !== null && bounds.after === bounds.before;
  return `${bounds.count} ${isPoint ? 'at ' : ''}${whenText(bounds) ?? 'at a time that nothing tells'}`;
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return null;
  return a < b ? a : b;
}

function later(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return null;
  return a > b ? a : b;
}
