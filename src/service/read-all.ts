/**
 * Reads a listing that may change meanwhile, until it is proven that no item that existed throughout is
 * missing; otherwise reports a gap.
 */
import { StaleAnswerError, PagingError } from './service-errors.js';
import { adjoiningRange, exactRange, overlappingRange, type PageRange } from './page.js';
import type { PageReader, PlacedPage, PlacedRecord } from './page-reader.js';
import type { Page } from './service-client.js';

export type { PlacedRecord } from './page-reader.js';

/** Consecutive passes without a new id or progress towards a proof, after which the listing is a gap. */
const MAX_PASSES_WITHOUT_PROGRESS = 5;
/** The limit for a listing that has new ids in every pass. */
const MAX_PASSES = 50;
/** Passes with a flaw before the flaw counts as permanent; a temporary one is no gap. */
const MAX_FLAWED_PASSES = 2;
/** Consecutive pages without a new id, after which the service counts as stuck. */
const MAX_IDLE_PAGES = 10;
/** Pages without anything new behind the place where the total ends, if it promises more than came. */
const MAX_PAGES_BEYOND = 2;
/** The number of flaws that the message of a gap lists. */
const FLAWS_TOLD = 3;

/** One page's records. */
export interface FreshPage<T> {
  /** Records that no earlier page had. */
  readonly items: readonly PlacedRecord<T>[];
  /** Records that an earlier page had, too, as sent this time. */
  readonly again: readonly PlacedRecord<T>[];
  readonly page: Page<T>;
  /** The request that reads these records, with fresh URLs, again. */
  readonly range: PageRange;
}

export interface ListingVerdict {
  /** The number of distinct ids. */
  readonly distinct: number;
  /** The last value sent; null without a trustworthy one. */
  readonly totalItems: number | null;
  /** Undefined if the listing is proven complete; otherwise the reason why not. */
  readonly gap: PagingError | StaleAnswerError | undefined;
}

/**
 * Yields every record of a listing once, in the order first seen. Records that were sent again are yielded
 * separately, for callers that must not miss a change. Returns whether the listing is proven complete.
 *
 * A listing on one page is a snapshot and needs no proof. A listing on several pages is proven by a pass whose
 * pages overlap everywhere and whose number of distinct ids equals an unchanged `total_items`. If pages cannot
 * overlap, or there is no trustworthy total, two passes with the same ids in the same order prove it. If the
 * order changes with every request, two consecutive passes with the same set of ids do. Without a total, the
 * service may have cut a short page: only an empty page is the end.
 *
 * Behind a page that brings nothing the first pass goes on as long as the total promises more than came, for a few
 * pages at most; later passes do if that found records.
 *
 * Where records stay, passes that lack one that was shown before prove nothing: something else answers meanwhile.
 *
 * @param first the first page, if the caller already has it
 * @param shown ids that the caller has seen in the listing just now
 * @yields one page at most in memory
 */
export async function* readAll<T>(
  reader: PageReader<T>,
  first?: PlacedPage<T>,
  shown: ReadonlySet<string> = new Set(),
): AsyncGenerator<FreshPage<T>, ListingVerdict> {
  const { what, recordsStay = false } = reader.options;
  const seen = new Set<string>();
  const window = new PassWindow();
  let withoutProgress = 0;
  let flawed = 0;
  let totalItems: number | null = null;
  const behind: BehindHoles = { isRead: true, hasRecords: false };
  for (let pass = 1; ; pass++) {
    const seenBefore = seen.size;
    const flaws = new Set<string>();
    let isStale = false;
    window.beginPass();
    for await (const placed of readPass(reader, pass === 1 ? first : undefined, behind)) {
      totalItems = reader.totalOf(placed.page);
      window.add(placed, totalItems);
      placed.flaws.forEach((flaw) => flaws.add(flaw));
      isStale ||= placed.page.served.stale !== undefined;
      const { page, items: sent } = placed;
      if (sent.length > 0) yield { ...parted(sent, seen), page, range: rangeOf(placed) };
    }
    behind.isRead = behind.hasRecords;
    const { proven, cameNearer } = window.endPass();
    if (proven && recordsStay) {
      const gone = new Set([...seen, ...shown].filter((id) => !proven.has(id))).size;
      if (gone > 0) flaws.add(`${gone} that were shown before are not there any more`);
    }
    if (proven && flaws.size === 0) return { distinct: seen.size, totalItems, gap: undefined };
    // if the order changes with every request, seeing all items twice takes several passes
    const isWithoutProgress = seen.size === seenBefore && !cameNearer && pass > 1;
    withoutProgress = isWithoutProgress ? withoutProgress + 1 : 0;
    if (flaws.size > 0) flawed++;
    // a page that came from a cache was asked for twice already
    if (
      isStale ||
      flawed >= MAX_FLAWED_PASSES ||
      withoutProgress >= MAX_PASSES_WITHOUT_PROGRESS ||
      pass >= MAX_PASSES
    ) {
      const counts = `${seen.size} seen, ${totalItems ?? 'an unknown number'} announced`;
      const why =
        flaws.size > 0
          ? flawsText(flaws)
          : `after ${pass} passes it is not proven that none is missing`;
      const GapError = isStale ? StaleAnswerError : PagingError;
      const gap = new GapError(`${what}: ${counts}, and ${why}`);
      return { distinct: seen.size, totalItems, gap };
    }
  }
}

function flawsText(flaws: ReadonlySet<string>): string {
  const first = [...flaws].slice(0, FLAWS_TOLD).join('; ');
  return flaws.size > FLAWS_TOLD ? `${first}; and ${flaws.size - FLAWS_TOLD} more` : first;
}

/** Pages behind one that brought nothing although the total promises more. */
interface BehindHoles {
  /** Whether they are read. */
  isRead: boolean;
  /** Whether they had records. */
  hasRecords: boolean;
}

/** One pass through the listing, front to back. Also ends if the service is stuck. */
async function* readPass<T>(
  reader: PageReader<T>,
  first: PlacedPage<T> | undefined,
  behind: BehindHoles,
): AsyncGenerator<PlacedPage<T>> {
  let placed = first ?? (await reader.readFirst());
  // if fewer records came although more are announced, this listing has a smaller page size
  const largest = Math.max(1, Math.min(reader.grant.size, placed.ids.length));
  const ids = new Set<string>();
  let covered = 0;
  let idle = 0;
  let hasHole = false;
  /** Entries that are no records. */
  let odd = 0;
  let beyond = 0;
  for (;;) {
    yield placed;
    const before = ids.size;
    // what is no record has another id on every page, and is no progress
    placed.items.forEach(({ id }) => ids.add(id));
    odd += placed.ids.length - placed.items.length;
    idle = ids.size === before ? idle + 1 : 0;
    if (idle === 0 && hasHole) behind.hasRecords = true;
    if (idle >= MAX_IDLE_PAGES) return;
    const total = reader.totalOf(placed.page);
    const end = placed.start + placed.ids.length;
    if (end <= covered || placed.ids.length === 0) {
      if (total === null || ids.size + odd >= total || !behind.isRead) return;
      // what the service leaves out of this page may be all that it leaves out
      hasHole = true;
      covered = Math.max(covered, placed.start + placed.size);
      if (covered >= total && beyond++ >= MAX_PAGES_BEYOND) return;
      placed = await reader.read({
        pageNumber: placed.page.pageNumber + 1,
        pageSize: placed.size,
      });
      continue;
    }
    const isEnd = isLast(reader, placed, { end, hasNews: idle === 0 });
    if (isEnd && !(await reader.isCut(placed))) return;
    // a page after a hole (the page size was reduced meanwhile) covers nothing yet
    if (placed.start <= covered) covered = end;
    placed = await readNext(reader, covered, { largest, hasTotal: total !== null });
  }
}

/**
 * Whether the page ends the listing: it is short, and no more is announced; without a total, it is empty. A full
 * page that reaches the total is the end only if it has nothing new: some services stop counting at a limit.
 */
function isLast<T>(
  reader: PageReader<T>,
  { page, size, ids }: PlacedPage<T>,
  { end, hasNews }: { readonly end: number; readonly hasNews: boolean },
): boolean {
  const total = reader.totalOf(page);
  if (total === null) return ids.length === 0;
  return end >= total && (ids.length < size || !hasNews);
}

async function readNext<T>(
  reader: PageReader<T>,
  covered: number,
  { largest, hasTotal }: { readonly largest: number; readonly hasTotal: boolean },
): Promise<PlacedPage<T>> {
  const { grant } = reader;
  const size = Math.min(largest, grant.size);
  const wanted = hasTotal ? overlappingRange(covered, size) : exactRange(covered, size);
  if (wanted && !grant.alignedPagesOnly) {
    try {
      return await reader.read(wanted);
    } catch (error) {
      if (!reader.isRefusal(error)) throw error;
      grant.alignedPagesOnly = true;
    }
  }
  // a short page that was already read proves nothing about what follows
  const begun = hasTotal ? covered : Math.ceil(covered / size) * size;
  return reader.read(adjoiningRange(begun, size));
}

/** Tells records that are seen for the first time from others; `seen` then has them all. */
export function parted<T>(
  sent: readonly PlacedRecord<T>[],
  seen: Set<string>,
): Pick<FreshPage<T>, 'items' | 'again'> {
  const items: PlacedRecord<T>[] = [];
  const again: PlacedRecord<T>[] = [];
  for (const item of sent) {
    (seen.has(item.id) ? again : items).push(item);
    seen.add(item.id);
  }
  return { items, again };
}

function rangeOf<T>({ page, size }: PlacedPage<T>): PageRange {
  return { pageNumber: page.pageNumber, pageSize: size };
}

/** Decides whether the passes over a listing prove that nothing is missing. */

export class PassWindow {
  // this pass
  #pages = 0;
  #positions: string[] = [];
  #lastPositions: readonly string[] = [];
  /** Whether the pass reached the end of the listing; otherwise it proves nothing about the rest. */
  #lastIsWhole = false;
  #seams: 'verified' | 'none' | 'mismatch' = 'verified';
  #totals = new Set<number | null>();
  #isLastPageEmpty = false;

  // passes since the total last changed, for listings whose order changes with every request
  #windowTotal: number | null = null;
  #window = new Set<string>();
  #completeWindow: ReadonlySet<string> | undefined;
  #windowGrew = false;

  beginPass(): void {
    this.#pages = 0;
    this.#lastPositions = this.#positions;
    this.#positions = [];
    this.#seams = 'verified';
    this.#totals = new Set();
    this.#isLastPageEmpty = false;
  }

  /** @param total the page's `total_items`, null if it cannot be trusted */
  add({ start, ids }: PlacedPage<unknown>, total: number | null): void {
    this.#totals.add(total);
    this.#isLastPageEmpty = ids.length === 0;
    // An empty page after the announced total is no seam. Without a total it is one: the service may have cut the
    // page before, and what it left out may have moved there since.
    if (ids.length === 0 && total !== null && start === this.#positions.length) return;
    this.#pages++;
    if (this.#pages > 1) this.#compareSeam(start, ids);
    ids.forEach((id, index) => (this.#positions[start + index] = id));
  }

  /**
   * What the listing has, if this pass, alone or with earlier ones, proves that; if not, whether it came closer to a
   * proof.
   */
  endPass(): { readonly proven: ReadonlySet<string> | undefined; readonly cameNearer: boolean } {
    // without the holes between pages, which a set would count as one more id
    const ids = new Set(Object.values(this.#positions));
    const [total = null] = this.#totals;
    const stoodStill = this.#totals.size === 1;
    // without a total, only an empty page ends a listing
    const isEnded = total !== null || this.#isLastPageEmpty;
    const isWhole = stoodStill && isEnded && ids.size === (total ?? this.#positions.length);
    const isSeamless = this.#pages === 1 || (this.#seams === 'verified' && total !== null);
    const isRepeat = isWhole && this.#lastIsWhole && this.#repeatsLastPass();
    this.#lastIsWhole = isWhole;
    const seenTwice = this.#seenTwice(ids, stoodStill, total);
    const proven = isWhole && (isSeamless || isRepeat) ? ids : seenTwice;
    return { proven, cameNearer: this.#windowGrew };
  }

  /** Whether the ids and their order equal those of the previous pass: nothing moved between the two. */
  #repeatsLastPass(): boolean {
    const before = this.#lastPositions;
    return (
      before.length === this.#positions.length &&
      this.#positions.every((id, index) => before[index] === id)
    );
  }

  /** The overlap must have the same ids at the same positions as the previous page. */
  #compareSeam(start: number, ids: readonly string[]): void {
    const overlap = this.#positions.length - start;
    const moved = ids
      .slice(0, Math.max(0, overlap))
      .some((id, index) => this.#positions[start + index] !== id);
    if (moved || overlap < 0 || ids.length < overlap) this.#seams = 'mismatch';
    else if (overlap === 0 && this.#seams === 'verified') this.#seams = 'none';
  }

  /**
   * Two consecutive passes that saw the same `total_items` ids miss none: if one had been missed, the first pass
   * must have seen a deleted one in its place, which the second could not have seen.
   */
  #seenTwice(
    ids: ReadonlySet<string>,
    stoodStill: boolean,
    total: number | null,
  ): ReadonlySet<string> | undefined {
    if (!stoodStill || total === null || total !== this.#windowTotal) {
      this.#windowTotal = stoodStill ? total : null;
      this.#window = new Set();
      this.#completeWindow = undefined;
    }
    this.#windowGrew = false;
    if (this.#windowTotal === null) return undefined;
    const sizeBefore = this.#window.size;
    ids.forEach((id) => this.#window.add(id));
    this.#windowGrew = this.#window.size > sizeBefore && this.#window.size <= this.#windowTotal;
    if (this.#window.size < this.#windowTotal) return undefined;
    const window = this.#window;
    const before = this.#completeWindow;
    this.#window = new Set();
    this.#completeWindow = window.size === this.#windowTotal ? window : undefined;
    const isSame = before?.size === window.size && [...window].every((id) => before.has(id));
    return isSame ? window : undefined;
  }
}
