/**
 * The number of each job of a session beside those of the archived ones. Where nothing shows the order of the history, an
 * archived job keeps its number, and a new one gets a free one. Once times in ids show the order, numbers count from the
 * oldest job, and rows of when that was not known are written again: those with another number, and those without bounds.
 * Where jobs have left the history, the others keep their numbers; where jobs have come between archived ones, the newer
 * ones get larger ones: `kept-numbers.ts`.
 */
import { inOrder, type JobState } from '../../archive/state/user-state.js';
import { timesIn } from '../../model/created-at.js';
import { asJobId, rowId, type JobId } from '../../model/ids.js';
import { orderOf } from '../../model/period.js';
import type { JobPlace } from './job-places.js';
import { KeptNumbers, movedNumbers, type PlaceInHistory } from './kept-numbers.js';

export interface NumberedPlace extends JobPlace {
  /** The order is known by now, and the archived rows have a number, or no bounds, of before. */
  readonly isMisplaced: boolean;
}

/** What the newest row of a job in `jobs` has; by its id, as rows have it. */
export type RowNumbers = ReadonlyMap<string, RowNumber>;

export interface RowNumber {
  readonly version: number;
  readonly index: number;
  /** Whether it has a bound of its time. */
  readonly isBounded: boolean;
}

/** What is known of the archived jobs of a session, beside the log's lines. */
interface ArchivedHistory {
  /** Where they were read; else rows have the numbers of the log, which may have given others without new rows. */
  readonly rows?: RowNumbers | undefined;
  /** Whether they are all that the history had: then what their ids do not show, nothing has shown. */
  readonly wasReadWhole: boolean;
  /** How many jobs the history had; null where nobody knows. */
  readonly total: number | null;
}

interface Archived {
  readonly id: JobId;
  /** What the rows have. */
  readonly number: number;
  /** Null where the id tells none. */
  readonly time: bigint | null;
  readonly row: RowNumber | undefined;
}

/** The numbers of one session in one reading of its history. */
export class JobNumbers {
  readonly #numbers: Map<string, number>;
  readonly #kept: KeptNumbers;
  /** New jobs of the pages so far. */
  readonly #cameNow = new Set<string>();
  /** What the log has of those whose rows were read. */
  readonly #logged: ReadonlyMap<string, number>;
  readonly #taken: Set<number>;
  #next: number;
  /** Of all ids so far. */
  readonly #times: Set<bigint | null>;
  readonly #doubt: Doubt | undefined;
  /** Whether archived jobs had left the history before. */
  readonly #hadLost: boolean;
  /** Those whose rows have no bounds. */
  readonly #unbounded: Set<string>;

  constructor(jobs: ReadonlyMap<JobId, JobState>, { rows, wasReadWhole, total }: ArchivedHistory) {
    const known = [...inOrder(jobs)];
    const { times } = timesIn(known.map(([id]) => id));
    const archived = known.map(([id, { version, index }], at): Archived => {
      const row = rows?.get(rowId(id));
      const own = row?.version === version ? row : undefined;
      return { id, number: own?.index ?? index, time: times[at]?.micros ?? null, row: own };
    });
    this.#numbers = new Map(archived.map(({ id, number }) => [id, number]));
    const read = archived.filter(({ row }) => row !== undefined);
    this.#logged = new Map(read.map(({ id }) => [id, jobs.get(id)?.index ?? 0]));
    this.#kept = new KeptNumbers(this.#numbers.values(), wasReadWhole ? total : null);
    this.#taken = new Set(this.#numbers.values());
    this.#next = archived.reduce((next, { number }) => Math.max(next, number + 1), 0);
    this.#times = new Set(archived.map(({ time }) => time));
    this.#doubt = doubtOf(archived);
    this.#hadLost = jobs.size > (total ?? Number.POSITIVE_INFINITY);
    const hadNoOrder = wasReadWhole && distinct(this.#times) < 2;
    const unbounded = archived.filter(({ row }) => row?.isBounded === false || hadNoOrder);
    this.#unbounded = new Set(unbounded.map(({ id }) => id));
  }

  /**
   * @param places of the jobs of a page, in the order of the ids
   * @param hasNewest whether the newest job of the history is on this page or one before
   */
  of(ids: readonly string[], places: readonly JobPlace[], hasNewest: boolean): NumberedPlace[] {
    for (const { time } of places) this.#times.add(time?.micros ?? null);
    const kept = this.#keptNumbers(ids, places, hasNewest);
    const moved = kept === undefined ? this.#movedNumbers(ids, places) : undefined;
    const numbers = kept ?? moved;
    const placed = places.map((place, at) => ({ ...place, index: numbers?.[at] ?? place.index }));
    const mayMove = moved !== undefined || this.#isDoubtCertain(ids, placed);
    return placed.map((place, at) => this.#numbered(asJobId(ids[at] ?? ''), place, mayMove));
  }

  /** Where in the history an archived job is expected, from the oldest, after the pages so far. */
  placeOf(id: string): number {
    return this.#kept.placeOf(this.#numbers.get(id) ?? 0);
  }

  /** Undefined where numbers may be of when nothing showed the order, which then are not kept. */
  #keptNumbers(
    ids: readonly string[],
    places: readonly JobPlace[],
    hasNewest: boolean,
  ): number[] | undefined {
    const isInDoubt = this.#doubt === 'unordered' || (this.#doubt === 'mixed' && !this.#hadLost);
    if (isInDoubt || places.some(({ isFromOldest }) => !isFromOldest)) return undefined;
    return this.#kept.of(this.#inHistory(ids, places), hasNewest);
  }

  /**
   * Of a page whose archived jobs have made room for others: their rows have too small numbers. Jobs that came with an
   * earlier page of this reading have the right ones: such a page is of a history that changes while it is read.
   */
  #movedNumbers(ids: readonly string[], places: readonly JobPlace[]): number[] | undefined {
    // jobs with times are in the order of these, whatever their numbers
    if (this.#doubt !== undefined || !this.#times.has(null)) return undefined;
    const isKnown = places.every(({ isFromOldest }) => isFromOldest);
    if (!isKnown || ids.some((id) => this.#cameNow.has(id))) return undefined;
    return movedNumbers(this.#inHistory(ids, places));
  }

  #inHistory(ids: readonly string[], places: readonly JobPlace[]): PlaceInHistory[] {
    return places.map(({ index: place }, at) => {
      return { place, number: this.#numbers.get(ids[at] ?? '') };
    });
  }

  #numbered(id: JobId, place: JobPlace, mayMove: boolean): NumberedPlace {
    const known = this.#numbers.get(id);
    if (known === undefined) this.#cameNow.add(id);
    if (place.isFromOldest) {
      this.#numbers.set(id, place.index);
      const { after, before } = place.bounds;
      const isBounded = place.time === null && (after ?? before) !== null;
      const lacksBounds = this.#unbounded.delete(id) && isBounded;
      const hasOther = known !== undefined && known !== place.index;
      return { ...place, isMisplaced: (hasOther && mayMove) || lacksBounds };
    }
    const index = known ?? this.#free(place.index);
    this.#numbers.set(id, index);
    this.#taken.add(index);
    this.#next = Math.max(this.#next, index + 1);
    return { ...place, index, isMisplaced: false };
  }

  /**
   * A history may show jobs at other places each time: rows that contradict the log are written again only where the log
   * has these places, too.
   */
  #isDoubtCertain(ids: readonly string[], places: readonly JobPlace[]): boolean {
    if (this.#doubt !== 'mixed') return this.#doubt !== undefined;
    return places.every(({ index }, at) => (this.#logged.get(ids[at] ?? '') ?? index) === index);
  }

  /** Two times may bound what is between them: then a number that is there twice shows that it is not known what is. */
  #free(index: number): number {
    return this.#taken.has(index) && distinct(this.#times) < 2 ? this.#next : index;
  }
}

/** Whether only the rows of a session tell what numbers they have: its order is known, and it has jobs without a time. */
export function mayDifferFromLog(jobs: ReadonlyMap<JobId, JobState>): boolean {
  const times = timesIn([...jobs.keys()]).times.map((time) => time?.micros ?? null);
  return times.includes(null) && distinct(new Set(times)) > 1;
}

/** `unordered`: there are no two times, or these do not rise with the numbers. `mixed`: see `areMixed`. */
type Doubt = 'unordered' | 'mixed';

/**
 * Why the numbers of rows may be of when nothing showed the order.
 *
 * @param jobs in the order of the log
 */
function doubtOf(jobs: readonly Archived[]): Doubt | undefined {
  const times = jobs.map(({ time }) => time);
  // jobs with times are in the order of these, whatever their numbers
  if (!times.includes(null)) return undefined;
  if (distinct(new Set(times)) < 2) return 'unordered';
  const byNumber = jobs.toSorted((a, b) => a.number - b.number);
  if (orderOf(byNumber.map(({ time }) => time)) === 'newest-first') return 'unordered';
  return areMixed(jobs) ? 'mixed' : undefined;
}

/** Whether numbers are there twice or contradict the log, as where a run was broken off, or jobs have left the history. */
function areMixed(jobs: readonly Archived[]): boolean {
  return jobs.some(({ number }, at) => number <= (jobs[at - 1]?.number ?? -1));
}

function distinct(times: ReadonlySet<bigint | null>): number {
  return times.has(null) ? times.size - 1 : times.size;
}
