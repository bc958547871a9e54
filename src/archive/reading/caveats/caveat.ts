/**
 * What qualifies an answer: each caveat is one value, and every output renders this list and words none again. A new kind
 * is a function in the file of its severity beside this one, and its fact in `reading.ts`, or of a job in `job-remarks.ts`.
 */
import type { CopyLack } from '../../identity.js';
import type { CaveatOf, CaveatSeverity, Qualification } from './caveat-kind.js';
import type { RemarkKind } from './job-remarks.js';
import { type Audience, Naming } from './naming.js';
import type { Reading } from './reading.js';
import { WHAT_IS_IN_DOUBT } from './what-is-in-doubt.js';
import { WHAT_IS_MISSING } from './what-is-missing.js';
import { WHAT_TO_KNOW } from './what-to-know.js';

/** In the order in which they are told, within a severity. */
const KINDS = {
  ...WHAT_IS_MISSING,
  ...WHAT_IS_IN_DOUBT,
  ...WHAT_TO_KNOW,
} satisfies Readonly<Record<RemarkKind, CaveatOf>>;

export type CaveatKind = keyof typeof KINDS;

export const CAVEAT_KINDS = Object.keys(KINDS) as readonly CaveatKind[];

export interface Caveat extends Qualification {
  readonly kind: CaveatKind;
}

export interface CaveatChoice {
  /** Default: `operator`. */
  readonly audience?: Audience | undefined;
}

const SEVERITIES: readonly CaveatSeverity[] = ['missing', 'doubt', 'note'];

/** What is missing comes first, then what is in doubt. */
export function caveatsOf(
  reading: Reading,
  { audience = 'operator' }: CaveatChoice = {},
): Caveat[] {
  const naming = new Naming(reading, audience);
  const own = CAVEAT_KINDS.flatMap((kind): Caveat[] => {
    const caveatOf: CaveatOf = KINDS[kind];
    const caveat = caveatOf(reading, naming);
    if (!caveat || caveat.count === 0) return [];
    return [{ kind, ...caveat, ...(naming.isForOthers && { next: null }) }];
  });
  const all = [...caveatsOfCopy(reading.facts.lacks), ...own];
  return SEVERITIES.flatMap((severity) => all.filter((caveat) => caveat.severity === severity));
}

/** What a copy has noted in itself, as caveats. */
function caveatsOfCopy(lacks: readonly CopyLack[]): Caveat[] {
  return lacks.map(({ kind, ...lack }) => ({
    kind: kind as CaveatKind,
    ...lack,
    total: null,
    why: 'as of the making of this copy, which does not tell whose it is',
    named: [],
    unnamed: 0,
    next: null,
  }));
}
