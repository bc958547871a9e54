/**
 * Numbers that stay although jobs leave the history. What is archived and what is in the history now are one history:
 * the place of a job in the shortened one is its number less those that have left below it, its shift. Where jobs have
 * only left, shifts do not fall from the oldest job to the newest.
 */

export interface PlaceInHistory {
  /** From the oldest, in the history as it is now. */
  readonly place: number;
  /** Undefined for a new job. */
  readonly number: number | undefined;
}

interface Shifted {
  readonly place: number;
  readonly shift: number;
}

/** Those of one session in one reading of its history. */
export class KeptNumbers {
  /** The oldest and the newest job of each page so far. */
  readonly #edges: Shifted[] = [];
  readonly #taken: Set<number>;
  #highest: number;
  /** Of jobs that are newer than all archived ones, as long as no page tells more. */
  readonly #shiftAtEnd: number;
  #isContradicted = false;

  /**
   * @param archived numbers of all archived jobs
   * @param total how many jobs the history had when it was last read whole; null where that is not known
   */
  constructor(archived: Iterable<number>, total: number | null) {
    this.#taken = new Set(archived);
    this.#highest = [...this.#taken].reduce((highest, number) => Math.max(highest, number), -1);
    this.#shiftAtEnd = total === null ? 0 : Math.max(0, this.#highest + 1 - total);
  }

  /**
   * The number of each job of a page; undefined where archived numbers contradict the history, from then on.
   *
   * @param hasNewest whether the newest job of the history is on this page or one before
   */
  of(page: readonly PlaceInHistory[], hasNewest: boolean): number[] | undefined {
    const oldestFirst = [...page.keys()].sort((a, b) => placeAt(page, a) - placeAt(page, b));
    const jobs = oldestFirst.map((at) => page[at] as PlaceInHistory);
    this.#isContradicted ||= areContradictory(jobs);
    if (this.#isContradicted) return undefined;
    const numbers = new Array<number>(page.length);
    const [first, last] = [jobs[0]?.place ?? 0, jobs.at(-1)?.place ?? 0];
    const beyond = nearest(this.#edges, ({ place }) => place - last);
    let older = nearest(this.#edges, ({ place }) => first - place);
    const above = archivedAbove(jobs, beyond);
    const shifted = jobs.map(({ place, number }, at) => {
      const beside = { older, newer: above[at], hasNewest };
      const shift = number === undefined ? this.#shiftOf(place, beside) : number - place;
      older = { place, shift };
      this.#taken.add(place + shift);
      this.#highest = Math.max(this.#highest, place + shift);
      numbers[oldestFirst[at] ?? 0] = place + shift;
      return older;
    });
    this.#edges.push(...shifted.slice(0, 1), ...shifted.slice(1).slice(-1));
    return numbers;
  }

  /** Where the job with this number is expected, from the oldest. */
  placeOf(number: number): number {
    const nearby = this.#edges.toSorted(
      (a, b) => Math.abs(number - a.place - a.shift) - Math.abs(number - b.place - b.shift),
    )[0];
    return Math.max(0, number - (nearby?.shift ?? 0));
  }

  /** Of a new job between these. */
  #shiftOf(
    place: number,
    {
      older,
      newer,
      hasNewest,
    }: {
      readonly older: Shifted | undefined;
      readonly newer: Shifted | undefined;
      readonly hasNewest: boolean;
    },
  ): number {
    const afterAll = this.#highest + 1 - place;
    if (!newer) {
      if (!older) return Math.max(this.#shiftAtEnd, afterAll);
      // else archived jobs that are newer may be on later pages
      return hasNewest ? Math.max(older.shift, afterAll) : older.shift;
    }
    // of a run that was broken off: numbers from the newest job down are as it has given them
    if (!older) return newer.shift;
    let { shift } = older;
    while (shift < newer.shift && this.#taken.has(place + shift)) shift++;
    return shift;
  }
}

/**
 * The number of each job of a page on which others have come between the archived ones: none is smaller than it was, and
 * none is there twice. Undefined where archived jobs are not in the order of their numbers.
 */
export function movedNumbers(page: readonly PlaceInHistory[]): number[] | undefined {
  const oldestFirst = [...page.entries()].sort(([, a], [, b]) => a.place - b.place);
  const moved = new Array<number>(page.length);
  let [last, lastKnown] = [-1, -1];
  for (const [at, { place, number }] of oldestFirst) {
    if (number !== undefined && number <= lastKnown) return undefined;
    lastKnown = number ?? lastKnown;
    last = Math.max(place, last + 1, lastKnown);
    moved[at] = last;
  }
  return moved;
}

function placeAt(page: readonly PlaceInHistory[], at: number): number {
  return page[at]?.place ?? 0;
}

/** For each job the nearest newer one that has a number. */
function archivedAbove(
  jobs: readonly PlaceInHistory[],
  beyond: Shifted | undefined,
): (Shifted | undefined)[] {
  let newer = beyond;
  const above = jobs.toReversed().map((job) => {
    const found = newer;
    newer = shiftedOf(job) ?? newer;
    return found;
  });
  return above.reverse();
}

function shiftedOf(job: PlaceInHistory | undefined): Shifted | undefined {
  if (job?.number === undefined) return undefined;
  return { place: job.place, shift: job.number - job.place };
}

/** @param jobs oldest first */
function areContradictory(jobs: readonly PlaceInHistory[]): boolean {
  let least = 0;
  return jobs.some((job) => {
    const shift = shiftedOf(job)?.shift ?? least;
    const falls = shift < least;
    least = shift;
    return falls;
  });
}

/** @param distance in the direction that is asked for: positive */
function nearest(
  jobs: readonly Shifted[],
  distance: (job: Shifted) => number,
): Shifted | undefined {
  return jobs.filter((job) => distance(job) > 0).sort((a, b) => distance(a) - distance(b))[0];
}
