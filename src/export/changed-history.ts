/** Finds what is new or due in a session that is archived already, with as few requests as prove enough. */
import type { JobRecord } from '../model/records.js';
import type { PageReader, PlacedPage } from '../service/page-reader.js';
import { readAll, type FreshPage, type ListingVerdict } from '../service/read-all.js';

export type Growth = 'front' | 'back' | null;

/** What the archive knows of the session. */
export interface KnownHistory {
  readonly total: number | null;
  /** Where new jobs showed up last time. */
  readonly growth: Growth;
  /** Position in the history when last read, by job id. */
  readonly positions: ReadonlyMap<string, number>;
  /** Jobs that must be looked at again: unsettled ones, and those with gaps. */
  readonly due: ReadonlySet<string>;
  /** Whether a page yielded so far held a settled job that has changed: then others may have, too. */
  readonly settledHaveChanged: () => boolean;
}

export interface HistoryVerdict extends ListingVerdict {
  readonly growth: Growth;
}

/**
 * Yields what the pages looked at hold, known jobs included: whoever writes compares hashes. Source:
 * design.md, section 3, rules 2 to 4.
 */
export async function* readChanges(
  reader: PageReader<JobRecord>,
  known: KnownHistory,
): AsyncGenerator<FreshPage<JobRecord>, HistoryVerdict> {
  const search = new ChangeSearch(reader, known);
  let placed = await search.readFirst();
  let pages = 1;
  for (;;) {
    yield search.fresh(placed);
    if (search.isDone(placed)) return search.verdict();
    const next = known.settledHaveChanged() ? undefined : search.nextPage();
    if (next === undefined) break;
    placed = await search.read(next);
    pages++;
  }
  // jobs vanished or changed, the totals cannot be believed, or the order does: only a proof will do
  const all = readAll(reader, pages === 1 && placed.start === 0 ? placed : undefined);
  for (;;) {
    const step = await all.next();
    if (step.done) return { ...step.value, growth: search.growth };
    const items = step.value.items.filter(({ id }) => !search.seen.has(id));
    if (items.length > 0) yield { ...step.value, items };
  }
}

class ChangeSearch {
  readonly seen = new Set<string>();
  readonly #visited = new Set<number>();
  /** As asked for: the pages that were visited are of this size. */
  #size: number;
  #total: number | null = null;
  #newIds = 0;
  growth: Growth;

  constructor(
    readonly reader: PageReader<JobRecord>,
    readonly known: KnownHistory,
  ) {
    this.#size = reader.grant.size;
    this.growth = known.growth;
  }

  /** Where new jobs showed up last time. */
  async readFirst(): Promise<PlacedPage<JobRecord>> {
    const count = this.known.growth === 'back' ? this.known.positions.size : 0;
    return this.reader.readLargest((pageSize) => {
      const pageNumber = Math.max(1, Math.ceil(count / pageSize));
      this.#size = pageSize;
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
    const items = placed.page.records.flatMap((record, index) => {
      const id = placed.ids[index] ?? '';
      if (this.seen.has(id)) return [];
      this.seen.add(id);
      if (!this.known.positions.has(id)) this.#newIds++;
      return [{ id, record, position: placed.start + index }];
    });
    const { pageNumber, pageSize } = placed.page;
    return { items, page: placed.page, range: { pageNumber, pageSize } };
  }

  isDone({ page, start, ids }: PlacedPage<JobRecord>): boolean {
    const isSnapshot = start === 0 && ids.length < page.pageSize;
    if (isSnapshot && (this.#total ?? this.seen.size) === this.seen.size) return true;
    // a total that may count only its page proves nothing, nor does one beside jobs that have changed
    if (this.#total === null || this.reader.grant.totalsAreGlobal !== true) return false;
    if (this.known.settledHaveChanged() || !this.#dueAreSeen()) return false;
    // not the number of jobs we hold: it counts those that have vanished since
    return this.known.total !== null && this.known.total + this.#newIds === this.#total;
  }

  /** Forward where new jobs stood in front, else from the back; undefined when every page was seen. */
  nextPage(): number | undefined {
    if (this.#total === null || this.#size !== this.reader.grant.size) return undefined;
    const last = Math.max(1, Math.ceil(this.#total / this.#size));
    const pages = Array.from({ length: last }, (_, index) => index + 1);
    if (this.growth !== 'front') pages.reverse();
    const hinted = this.#duePages().filter((page) => page <= last);
    return [...hinted, ...pages].find((page) => !this.#visited.has(page));
  }

  verdict(): HistoryVerdict {
    return {
      distinct: this.known.positions.size + this.#newIds,
      totalItems: this.#total,
      gap: undefined,
      growth: this.growth,
    };
  }

  #dueAreSeen(): boolean {
    return [...this.known.due].every((id) => this.seen.has(id));
  }

  /** Where the jobs that are due should stand by now. */
  #duePages(): number[] {
    const grown = (this.#total ?? 0) - this.known.positions.size;
    const shift = this.growth === 'front' && grown > 0 ? grown : 0;
    return [...this.known.due]
      .filter((id) => !this.seen.has(id))
      .map((id) => Math.floor(((this.known.positions.get(id) ?? 0) + shift) / this.#size) + 1);
  }

  /** New jobs before the known ones: the history grows at the front; behind them: at the back. */
  #learnGrowth(ids: readonly string[]): void {
    const isKnown = ids.map((id) => this.known.positions.has(id));
    if (isKnown.every(Boolean) || !isKnown.some(Boolean)) {
      if (this.growth === null && this.#total !== null && this.#total > this.known.positions.size) {
        this.growth = isKnown.some(Boolean) ? 'back' : 'front';
      }
      return;
    }
    this.growth = isKnown.indexOf(false) < isKnown.indexOf(true) ? 'front' : 'back';
  }
}
