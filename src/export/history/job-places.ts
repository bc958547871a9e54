/**
 * Finds the place of each job in the history of a session, and bounds its time. Where times in ids show the order of the
 * history, the oldest job has place 0. Otherwise the place is the position in the service's order.
 */
import { timesIn, type CreatedAt } from '../../model/times/created-at.js';
import type { JobRecord } from '../../model/records.js';
import {
  orderOf,
  timeBounds,
  type HistoryOrder,
  type TimeBounds,
} from '../../model/times/time-bounds.js';
import { newerEnd, type Growth } from './changed-history.js';
import type { PageReader, PlacedRecord } from '../../service/page-reader.js';
import type { FreshPage } from '../../service/read-all.js';

export interface JobPlace {
  /** From 0. */
  readonly index: number;
  /** Whether places count from the oldest job. */
  readonly isFromOldest: boolean;
  /** Bounds from the pages read so far. */
  readonly bounds: TimeBounds;
  /** What its id tells; null where it tells no time, or only seems to. */
  readonly time: CreatedAt | null;
}

/** How many times in order are no chance: the history has that order, and new jobs come at its newer end. */
const SURE_OF_ORDER = 8;

/** The places of one session in one run. */
export class JobPlaces {
  #order: HistoryOrder | undefined;
  #isBegun = false;
  #growth: Growth = null;
  #total: number | null = null;
  /** Whether ids of the pages so far have the form of a cuid by chance. */
  #isByChance = false;
  /** The last job so far whose id has a time. */
  #edge: { readonly position: number; readonly time: bigint } | undefined;

  constructor(readonly reader: Pick<PageReader<JobRecord>, 'totalOf'>) {}

  /** A place for each item of a page. The first page decides the order of the history. */
  placesOn(page: FreshPage<JobRecord>): JobPlace[] {
    const { items } = page;
    const ids = items.map(({ id }) => id);
    const { times: dated, haveFormByChance } = timesIn(ids, this.#isByChance);
    this.#isByChance = haveFormByChance;
    const times = dated.map((time) => time?.micros ?? null);
    if (!this.#isBegun) this.#begin(times);
    const isWhole = isWholeHistory(page, this.reader.totalOf(page.page));
    this.#total = isWhole ? items.length : (this.reader.totalOf(page.page) ?? this.#total);
    const bounds = this.#boundsOf(items, times);
    const ranks = isWhole ? ranksOf(times) : undefined;
    const isTurnable = this.#order === 'oldest-first' || this.#total !== null;
    const isFromOldest = ranks !== undefined || (this.#order !== undefined && isTurnable);
    return items.map(({ position }, at) => ({
      index: ranks?.[at] ?? this.#turned(position),
      isFromOldest,
      bounds: bounds[at] as TimeBounds,
      time: dated[at] ?? null,
    }));
  }

  /** The end at which new jobs appear, where times in ids leave no doubt. */
  get growth(): Growth {
    return this.#growth;
  }

  /** The position in the service's order of the job at this place from the oldest. */
  positionOf(place: number): number {
    return this.#turned(place);
  }

  #begin(times: readonly (bigint | null)[]): void {
    this.#isBegun = true;
    this.#order = orderOf(times);
    if (times.filter((time) => time !== null).length < SURE_OF_ORDER) return;
    if (this.#order) this.#growth = newerEnd(this.#order);
  }

  /** If the newest job comes first, place and position are mirrored. */
  #turned(place: number): number {
    if (this.#order !== 'newest-first' || this.#total === null) return place;
    return Math.max(0, this.#total - 1 - place);
  }

  #boundsOf(items: readonly PlacedRecord<JobRecord>[], times: readonly (bigint | null)[]) {
    const [first] = items;
    const edge = first && this.#edge && this.#edge.position < first.position ? this.#edge : null;
    const bounds = timeBounds([edge?.time ?? null, ...times], this.#order).slice(1);
    const last = times.findLastIndex((time) => time !== null);
    const [item, time] = [items[last], times[last]];
    if (item && typeof time === 'bigint') this.#edge = { position: item.position, time };
    return bounds;
  }
}

function isWholeHistory({ items, page, range }: FreshPage<JobRecord>, total: number | null) {
  const isAll = page.pageNumber === 1 && items.length < range.pageSize;
  return isAll && items.length === (total ?? page.records.length);
}

/** Places by time, for a history without order whose ids all have times. */
function ranksOf(times: readonly (bigint | null)[]): number[] | undefined {
  const known = times.flatMap((time, at) => (time === null ? [] : [{ time, at }]));
  if (known.length < times.length || orderOf(times) !== undefined) return undefined;
  const ranks = new Array<number>(times.length);
  known
    .sort((a, b) => Number(a.time - b.time))
    .forEach(({ at }, rank) => {
      ranks[at] = rank;
    });
  return ranks;
}
