/**
 * Reads a listing that may change meanwhile, until it is proven that no item that existed throughout is
 * missing; otherwise reports a gap.
 */
import { StaleAnswerError, PagingError } from './service-errors.js';
import { adjoiningRange, exactRange, overlappingRange, type PageRange } from './page-range.js';
import type { PageReader, PlacedPage, PlacedRecord } from './page-reader.js';
import type { Page } from './service-client.js';
import { PassWindow } from './pass-window.js';

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
 * pages overlap everywhere, whose number of distinct ids equals an unchanged `total_items`, and which keeps the
 * order of the pass before it. If pages cannot overlap, or there is no trustworthy total, two passes with the same
 * ids in the same order prove it. If the order changes with every request, two consecutive passes with the same set
 * of ids do; only in a first pass can an overlap match by chance. Without a total, the service may have cut a short
 * page: only an empty page is the end.
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
