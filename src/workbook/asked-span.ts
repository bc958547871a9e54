/** When the first and the last question of a workbook were asked: a time where ids tell it, otherwise what bounds it. */
import { boundsText, knownTime, minuteText } from '../model/times/timestamp.js';
import type { Row } from '../model/table-schema.js';

/** What the cover says of one end: ISO 8601, the day of what knows no more, or `before 2026-05-17 00:12 UTC`. */
export type AskedEnd = ({ readonly at: string } | { readonly bound: string }) & {
  readonly note: string | undefined;
};

export class AskedSpan {
  #first: bigint | undefined;
  #last: bigint | undefined;
  /** The earliest bound of those without a time of their own. */
  #earliestBound: bigint | undefined;
  #latestBound: bigint | undefined;
  #withoutEarliest = 0;
  #withoutLatest = 0;

  /** @param isOfDays whether the day of each question alone is known */
  constructor(readonly isOfDays: boolean) {}

  /** @param job a row of the table `jobs`, with the bounds that its neighbours tell */
  add({ created_at: at, created_after: after, created_before: before }: Row): void {
    if (typeof at === 'bigint') {
      if (this.#first === undefined || at < this.#first) this.#first = at;
      if (this.#last === undefined || at > this.#last) this.#last = at;
      return;
    }
    if (typeof after !== 'bigint') this.#withoutEarliest++;
    else if (this.#earliestBound === undefined || after < this.#earliestBound) {
      this.#earliestBound = after;
    }
    if (typeof before !== 'bigint') this.#withoutLatest++;
    else if (this.#latestBound === undefined || before > this.#latestBound) {
      this.#latestBound = before;
    }
  }

  /** Undefined where no time is known. */
  get first(): AskedEnd | undefined {
    const bound = this.#earliestBound;
    const isBeyond = bound !== undefined && (this.#first === undefined || bound < this.#first);
    return this.#endOf(this.#first, isBeyond ? boundsText(this.#told(bound), null) : null, {
      without: this.#withoutEarliest,
      words: ['first', 'earlier', 'earliest'],
    });
  }

  get last(): AskedEnd | undefined {
    const bound = this.#latestBound;
    const isBeyond = bound !== undefined && (this.#last === undefined || bound > this.#last);
    return this.#endOf(this.#last, isBeyond ? boundsText(null, this.#told(bound)) : null, {
      without: this.#withoutLatest,
      words: ['last', 'later', 'latest'],
    });
  }

  #endOf(
    known: bigint | undefined,
    bound: string | null,
    {
      without,
      words: [end, beyond, most],
    }: { without: number; words: readonly [string, string, string] },
  ): AskedEnd | undefined {
    const at = known === undefined ? undefined : this.#told(known);
    if (without > 0) {
      const questions = without === 1 ? '1 question' : `${without} questions`;
      const was = without === 1 ? 'it was' : 'they were';
      const them = without === 1 ? 'it' : 'them';
      const note = `or ${beyond}: of ${questions} no dated one beside ${them} tells when ${was} asked at the ${most}`;
      return at === undefined ? undefined : { at, note };
    }
    if (bound === null) return at === undefined ? undefined : { at, note: undefined };
    const detail =
      at === undefined ? '' : `; the ${end} one whose own time is known: ${minuteText(at)}`;
    return { bound, note: `as the questions beside it tell${detail}` };
  }

  #told(micros: bigint): string {
    return knownTime(micros, this.isOfDays);
  }
}
