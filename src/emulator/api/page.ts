/** Splits lists into pages: default sizes, and the faults of paging. */
import type { JsonObject } from '../../model/records.js';
import type { ApiContext } from './api-call.js';
import { optionalDigits } from './parameters.js';
import { refusals } from './refusal.js';

/** The service's defaults. */
const DEFAULT_PAGE_NUMBER = 1;
const DEFAULT_PAGE_SIZE = 10;

export interface RequestedPage {
  readonly pageNumber: number;
  /** The granted size, which may be smaller than the requested one. */
  readonly pageSize: number;
}

export function pageRequestOf(
  input: JsonObject,
  { faults, maxPageSize }: ApiContext,
): RequestedPage {
  const pageNumber = optionalDigits(input, 'page_number', { min: 1 }) ?? DEFAULT_PAGE_NUMBER;
  const requested = optionalDigits(input, 'page_size', { min: 1 }) ?? DEFAULT_PAGE_SIZE;
  if (faults.refusePageSizeAbove > 0 && requested > faults.refusePageSizeAbove) {
    throw refusals.invalidParameter(`page_size must be at most ${faults.refusePageSizeAbove}`);
  }
  const clamp = faults.clampPageSize > 0 ? faults.clampPageSize : Infinity;
  return { pageNumber, pageSize: Math.min(requested, maxPageSize, clamp) };
}

/**
 * The JSON text of a page.
 *
 * @param oldestFirst everything there is; only the page's own items are written out
 * @param write the JSON text of one record
 */
export function pageText<T>(
  oldestFirst: readonly T[],
  page: RequestedPage,
  context: ApiContext,
  write: (item: T) => string,
): string {
  const { faults } = context;
  const ordered = inOrder(oldestFirst, context);
  const start = faults.repeatPage ? 0 : (page.pageNumber - 1) * page.pageSize;
  const records = ordered.slice(start, start + page.pageSize);
  const total = totalItems(ordered.length, records.length, context);
  const number = faults.echoedPageNumber?.(page.pageNumber) ?? page.pageNumber;
  const head = `{"page_number":${number},"page_size":${page.pageSize},`;
  return `${head}${total}"records":[${records.map(write).join(',')}]}`;
}

function inOrder<T>(oldestFirst: readonly T[], { faults, random }: ApiContext): readonly T[] {
  switch (faults.order) {
    case 'oldest':
      return oldestFirst;
    case 'newest':
      return oldestFirst.toReversed();
    case 'shuffled':
      return random.shuffled(oldestFirst);
  }
}

function totalItems(right: number, onPage: number, { faults, growth }: ApiContext): string {
  switch (faults.totalItems) {
    case 'right':
      return `"total_items":${right},`;
    case 'page':
      return `"total_items":${onPage},`;
    case 'growing':
      return `"total_items":${right + growth.next()},`;
    case 'absent':
      return '';
  }
}
