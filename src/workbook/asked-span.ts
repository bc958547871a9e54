/** When the first and the last question of a workbook were asked: a time where ids tell it, otherwise what bounds it. */
import { minuteText, formatTimestamp } from '../model/times/timestamp.js';
import type { Row } from '../model/table-schema.js';

/** What the cover says of one end. */
export interface AskedEnd {
  /** In microseconds, or `before 2026-05-17 00:12 UTC`. */
  readonly asked: bigint | string;
  readonly note: string | undefined;
}

export class AskedSpan {
  #first: bigint | undefined;
  #last: bigint | undefined;
  /** The earliest bound of those without a time of their own. */
  #earliestBound: bigint | undefined;
  #latestBound: bigint | undefined;
  #withoutEarliest = 0;
  #withoutLatest = 0;

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
    return endOf(this.#first, isBeyond ? `after ${shown(bound)}` : undefined, {
      without: this.#withoutEarliest,
      words: ['first', 'earlier', 'earliest'],
    });
  }

  get last(): AskedEnd | undefined {
    const bound = this.#latestBound;
    const isBeyond = bound !== undefined && (this.#last === undefined || bound > this.#last);
    return endOf(this.#last, isBeyond ? `before ${shown(bound)}` : undefined, {
      without: this.#withoutLatest,
      words: ['last', 'later', 'latest'],
    });
  }
}

function endOf(
  known: bigint | undefined,
  bound: string | undefined,
  {
    without,
    words: [end, beyond, most],
  }: { without: number; words: readonly [string, string, string] },
): AskedEnd | undefined {
  if (without > 0) {
    const questions = without === 1 ? '1 question' : `${without} questions`;
    const was = without === 1 ? 'it was' : 'they were';
    const them = without === 1 ? 'it' : 'them';
    const note = `or ${beyond}: of ${questions} no dated one beside ${them} tells when ${was} asked at the ${most}`;
    return known === undefined ? undefined : { asked: known, note };
  }
  if (bound === undefined)
    return known === undefined ? undefined : { asked: known, note: undefined };
  const detail =
    known === undefined ? '' : `; the ${end} one whose own time is known: ${shown(known)}`;
  return { asked: bound, note: `as the questions beside it tell${detail}` };
}

function shown(micros: bigint): string {
  return minuteText(formatTimestamp(micros));
}
