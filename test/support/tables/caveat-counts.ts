/** The caveats of an answer as a test compares them: how many of each kind. */
import type { Caveat, CaveatKind } from '../../../src/archive/reading/caveats/caveat.js';
import type { Searched } from '../../../src/archive/reading/caveats/reading.js';

export type CaveatCounts = Readonly<Partial<Record<CaveatKind, number>>>;

/** A search that has found nothing, for what is said of where it looked. */
export const NOTHING_FOUND: Searched = {
  facts: {
    total: 0,
    searched: 0,
    time_unknown: 0,
    undated: null,
    tables_not_searched: 0,
    tables_in_part: 0,
    searched_in: ['question'],
    not_searched: null,
  },
  leftOut: [],
  takenIn: [],
  unread: { named: [], others: 0 },
};

interface Qualified {
  readonly caveats: readonly Caveat[];
}

/** @param kinds the others are left out; default: all */
export function caveatCounts(
  { caveats }: Qualified,
  ...kinds: readonly CaveatKind[]
): CaveatCounts {
  const told = kinds.length === 0 ? caveats : caveats.filter(({ kind }) => kinds.includes(kind));
  return Object.fromEntries(told.map(({ kind, count }) => [kind, count]));
}

/** What a caveat of the kind names; empty where there is none. */
export function namedIn({ caveats }: Qualified, kind: CaveatKind): readonly string[] {
  return caveats.find((one) => one.kind === kind)?.named ?? [];
}
