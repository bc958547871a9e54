/** Which page to ask for next, so that it overlaps what is covered already and reaches as far as possible. */

export interface PageRange {
  /** From 1. */
  readonly pageNumber: number;
  readonly pageSize: number;
}

/**
 * Pages that merely adjoin cannot show that the list moved between two requests. So the next page
 * starts a little before `covered`: with a page size somewhat below the largest, page boundaries fall
 * where we want them. For a list of up to 198 items and pages of 100 this costs no request at all.
 *
 * @param covered positions seen so far, from the front and without holes; at least 1
 * @param largest the most items a page that the service grants
 */
export function overlappingRange(covered: number, largest: number): PageRange | undefined {
  let best: PageRange | undefined;
  let bestGain = 0;
  for (let pageSize = largest; pageSize > bestGain; pageSize--) {
    const pagesBefore = Math.floor((covered - 1) / pageSize);
    const overlap = covered - pagesBefore * pageSize;
    if (pagesBefore >= 1 && pageSize - overlap > bestGain) {
      best = { pageNumber: pagesBefore + 1, pageSize };
      bestGain = pageSize - overlap;
    }
  }
  return best;
}

/** The page that follows `covered` with as little overlap as a fixed page size allows. */
export function adjoiningRange(covered: number, pageSize: number): PageRange {
  return { pageNumber: Math.floor(covered / pageSize) + 1, pageSize };
}

/** The largest page that begins right behind `covered`, which is at least 1. */
export function exactRange(covered: number, largest: number): PageRange {
  let pageSize = largest;
  while (covered % pageSize !== 0) pageSize--;
  return { pageNumber: covered / pageSize + 1, pageSize };
}
