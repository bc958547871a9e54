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

/**
 * A page of another size with the first of these items, for which a cache cannot have the same answer. It reaches
 * nearly as far.
 *
 * @param pick any whole number from 0: tells which of the sizes, so that two runs do not ask for the same
 */
export function otherRange({ pageNumber, pageSize }: PageRange, pick: number): PageRange {
  const start = (pageNumber - 1) * pageSize;
  const ranges: PageRange[] = [];
  for (let size = pageSize - 1; size > 0; size--) {
    const range = { pageNumber: Math.floor(start / size) + 1, pageSize: size };
    if (range.pageNumber * size - start >= 0.75 * pageSize) ranges.push(range);
  }
  const larger = { pageNumber: Math.floor(start / (pageSize + 1)) + 1, pageSize: pageSize + 1 };
  return ranges[pick % ranges.length] ?? larger;
}

/** The largest page that begins right after `covered`, which is at least 1. */
export function exactRange(covered: number, largest: number): PageRange {
  let pageSize = largest;
  while (covered % pageSize !== 0) pageSize--;
  return { pageNumber: covered / pageSize + 1, pageSize };
}
