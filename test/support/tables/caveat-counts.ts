/** The caveats of an answer as a test compares them: how many of each kind. */
import type { Caveat, CaveatKind } from '../../../src/archive/reading/caveat.js';

export type CaveatCounts = Readonly<Partial<Record<CaveatKind, number>>>;

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
