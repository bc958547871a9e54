/** Finds the new and due jobs of an archived session with as few requests as a proof needs. */
import type { JobRecord } from '../../model/records.js';
import type { PageReader, PlacedPage } from '../../service/page-reader.js';
import { timesIn } from '../../model/times/created-at.js';
import { type HistoryOrder, orderOf } from '../../model/times/time-bounds.js';
import { parted, readAll, type FreshPage, type ListingVerdict } from '../../service/read-all.js';

type End = 'front' | 'back';
export type Growth = End | null;

/** Where new jobs come in a history of this order. */
export function newerEnd(order: HistoryOrder): End {
  return order === 'newest-first' ? 'front' : 'back';
}

/** The archive's knowledge of a session's history. */
export interface KnownHistory {
  readonly total: number | null;
  /** The end of the history that had new jobs last time. */
  readonly growth: Growth;
  /** The archived jobs. */
  readonly ids: ReadonlySet<string>;
  /** The expected position of a job in the history, from 0. */
  readonly positionOf: (id: string) => number;
  /** Jobs that must be read again: unsettled ones, and those with gaps. */
  readonly due: ReadonlySet<string>;
  /** Whether a page so far had a settled job that has changed; then others may have changed, too. */
  readonly settledHaveChanged: () => boolean;
}

export interface HistoryVerdict extends ListingVerdict {
  readonly growth: Growth;
}

/**
 * Yields the jobs of the pages that are read, known ones included: the caller compares hashes.
 *
 * A history with the same total, and without a new job at the end where new ones come, has not changed: only the pages
 * with due jobs are read. That end is the one that had new jobs last time, and the newer one by the times in the ids of
 * now; where nothing tells, or the two differ, both ends are read. Otherwise the whole history is read. The total alone
 * proves nothing: a job may have come while one vanished.
 */
export async function* readChanges(
  reader: PageReader<JobRecord>,
  known: KnownHistory,
): AsyncGenerator<FreshPage<JobRecord>, HistoryVerdict> {
  const search = new ChangeSearch(reader, known);
  let placed = await search.readFirst();
  const first = placed.start === 0 ? placed : undefined;
  for (;;) {
    yield search.fresh(placed);
    if (await search.isProven(placed)) return search.verdict();
    const next = search.nextPage(placed);
    if (next === undefined) break;
    placed = await search.read(next);
  }
  const all = readAll(reader, first, search.seen);
  for (;;) {
    const step = await all.next();
    if (step.done) return { ...step.value, growth: search.growth };
    const isSeen = ({ id }: { readonly id: string }) => search.seen.has(id);
    const { items, again, ...page } = step.value;
    const sentBefore = [...items.filter(isSeen), ...again];
    yield { ...page, items: items.filter((item) => !isSeen(item)), again: sentBefore };
  }
}

class ChangeSearch {
  readonly seen = new Set<string>();
  readonly #visited = new Set<number>();
  /** Whether one page had the whole history. */
  #isSnapshot = false;
  /** The requested size of the pages that were read. */
  #size: number;
  #total: number | null = null;
  #newIds = 0;
  /** Where new jobs may come; none if that is not known. */
  readonly #growing = new Set<End>();
  readonly #endsRead = new Set<End>();
  #isUnchanged = true;
  growth: Growth;

  constructor(
    readonly reader: PageReader<JobRecord>,
    readonly known: KnownHistory,
  ) {
    this.#size = reader.grant.size;
    this.growth = known.growth;
    if (known.growth) this.#growing.add(known.growth);
  }

  /** Where new jobs showed up last time. */
  async readFirst(): Promise<PlacedPage<JobRecord>> {
    const isBack = this.known.growth === 'back';
    return this.reader.readLargest((pageSize) => {
      this.#size = pageSize;
      const pageNumber = isBack ? this.#lastPage() : 1;
      this.#visited.clear();
      this.#visited.add(pageNumber);
      return pageNumber;
    });
  }

  async read(pageNumber: number): Promise<PlacedPage<JobRecord>> {
    this.#visited.add(pageNumber);
    return this.reader.read({ pageNumber, pageSize: this.#size });
  }

  fresh(placed: PlacedPage<JobRecord>): FreshPage<JobRecord> {
    this.#total = this.reader.totalOf(placed.page);
    this.#learnGrowth(placed.ids);
    this.#learnEnds(placed);
    const { items, again } = parted(placed.items, this.seen);
    this.#newIds += items.filter(({ id }) => !this.known.ids.has(id)).length;
    // a page without a known job proves nothing about the archived history
    this.#isUnchanged &&=
      placed.flaws.length === 0 &&
      this.#newIds === 0 &&
      (items.length > 0 || this.known.total === 0) &&
      this.#total !== null &&
      this.#total === this.known.total &&
      this.reader.grant.totalsAreGlobal === true;
    const { pageNumber } = placed.page;
    return { items, again, page: placed.page, range: { pageNumber, pageSize: placed.size } };
  }

  /** Whether the page is the whole history, or the history has not changed and all due jobs were read. */
  async isProven(placed: PlacedPage<JobRecord>): Promise<boolean> {
    const { start, ids, size, flaws } = placed;
    // without a total, the service may have cut a short page
    const isSnapshot = start === 0 && ids.length < size && flaws.length === 0;
    if (isSnapshot && this.#total === this.seen.size) {
      this.#isSnapshot = !(await this.reader.isCut(placed));
      return this.#isSnapshot;
    }
    if (!this.#isUnchanged || this.known.settledHaveChanged()) return false;
    return this.#endsToRead().length === 0 && [...this.known.due].every((id) => this.seen.has(id));
  }

  /** Where a due job is expected, or new ones; undefined if the whole history must be read. */
  nextPage(placed: PlacedPage<JobRecord>): number | undefined {
    if (!this.#isUnchanged || this.known.settledHaveChanged()) return undefined;
    if (placed.size !== this.#size) return undefined;
    const ends = this.#endsToRead().map((end) => (end === 'front' ? 1 : this.#lastPage()));
    if (ends.some((page) => this.#visited.has(page))) return undefined; // the end is elsewhere
    const due = [...this.known.due]
      .filter((id) => !this.seen.has(id))
      .map((id) => Math.floor(this.known.positionOf(id) / this.#size) + 1);
    return [...ends, ...due].find((page) => !this.#visited.has(page));
  }

  /** Ends at which new jobs of a history with the same total would be. */
  #endsToRead(): End[] {
    const ends: readonly End[] = this.#growing.size > 0 ? [...this.#growing] : ['front', 'back'];
    return ends.filter((end) => !this.#endsRead.has(end));
  }

  #learnEnds({ start, ids }: PlacedPage<JobRecord>): void {
    if (start === 0) this.#endsRead.add('front');
    if (start + ids.length === this.#total) this.#endsRead.add('back');
    const { times } = timesIn(ids);
    const order = orderOf(times.map((time) => time?.micros ?? null));
    if (order && this.#growing.size > 0) this.#growing.add(newerEnd(order));
  }

  /** The last page of the history as it is known. */
  #lastPage(): number {
    return Math.max(1, Math.ceil((this.known.total ?? this.known.ids.size) / this.#size));
  }

  verdict(): HistoryVerdict {
    const all = this.known.ids.size + this.#newIds;
    const distinct = this.#isSnapshot ? this.seen.size : all;
    return { distinct, totalItems: this.#total, gap: undefined, growth: this.growth };
  }

  /** New jobs before the known ones: the history grows at the front; after them: at the back. */
  #learnGrowth(ids: readonly string[]): void {
    const isKnown = ids.map((id) => this.known.ids.has(id));
    if (isKnown.every(Boolean) || !isKnown.some(Boolean)) {
      if (this.growth === null && this.#total !== null && this.#total > this.known.ids.size) {
        this.growth = isKnown.some(Boolean) ? 'back' : 'front';
      }
      return;
    }
    this.growth = isKnown.indexOf(false) < isKnown.indexOf(true) ? 'front' : 'back';
  }
}
