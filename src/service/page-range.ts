/** Computes the next page to request: it overlaps the covered items and reaches as far as possible. */

export interface PageRange {
  /** From 1. */
  readonly pageNumber: number;
  readonly pageSize: number;
}

/**
 * Adjoining pages cannot show that the list moved between two requests. So the next page starts a little
 * before `covered`: a page size somewhat below the largest puts the page boundary there. For a list of up to 198
 * items and pages of 100 this costs no extra request.
 *
 * @param covered number of items read so far, from the front and without holes; at least 1
 * @param largest the largest page size that the service grants
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

/** The page after `covered` with the least overlap that a fixed page size allows. */
export function adjoiningRange(covered: number, pageSize: number): PageRange {
  return { pageNumber: Math.floor(covered / pageSize) + 1, pageSize };
}

/** The largest page that begins right after `covered`, which is at least 1. */
export function exactRange(covered: number, largest: number): PageRange {
  let pageSize = largest;
  while (covered % pageSize !== 0) pageSize--;
  return { pageNumber: covered / pageSize + 1, pageSize };
}
