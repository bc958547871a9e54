/** How whole an answer is, and the words in which every output tells a caveat. */
import type { Caveat, CaveatKind, CaveatSeverity } from './caveat.js';

/** The worst of its caveats. */
export type Completeness = 'incomplete' | 'not-proven' | 'complete';

export function completenessOf(caveats: readonly Pick<Caveat, 'severity'>[]): Completeness {
  const has = (severity: CaveatSeverity): boolean =>
    caveats.some((one) => one.severity === severity);
  if (has('missing')) return 'incomplete';
  return has('doubt') ? 'not-proven' : 'complete';
}

/** Whether something is missing or in doubt without a decision: a command then ends with exit code 3. */
export function isIncomplete(caveats: readonly Pick<Caveat, 'incomplete'>[]): boolean {
  return caveats.some(({ incomplete }) => incomplete);
}

/** What stands above the caveats of a severity. */
export const SEVERITY_WORDS: Readonly<Record<CaveatSeverity, string>> = {
  missing: 'Missing',
  doubt: 'In doubt',
  note: 'Note',
};

/**
 * `Not complete: 2 gaps; 1 file is lost`: the first sentence of what is told. Where somebody has decided on all that is
 * missing, it says so: then no command fails.
 */
export function headlineOf(
  caveats: readonly Pick<Caveat, 'kind' | 'severity' | 'headline' | 'incomplete'>[],
): string {
  const completeness = completenessOf(caveats);
  if (completeness === 'complete') return completeText(caveats);
  const isDecided = completeness === 'incomplete' && !isIncomplete(caveats);
  const word = completeness === 'incomplete' ? 'Not complete' : 'Not proven complete';
  const severity = completeness === 'incomplete' ? 'missing' : 'doubt';
  // first: no later run brings it back
  const erased = caveats.filter(({ kind }) => ERASED.includes(kind));
  const others = caveats.filter((one) => one.severity === severity && !erased.includes(one));
  const heads = [...erased, ...others].map(({ headline }) => headline);
  return `${word}${isDecided ? ', by decision' : ''}: ${heads.join('; ')}`;
}

const ERASED: readonly CaveatKind[] = ['erased', 'maybe_erased'];

/** What an erasure has taken, nothing shows: who was not listed since may be whose it was. */
function completeText(caveats: readonly Pick<Caveat, 'kind' | 'headline'>[]): string {
  const isOfWords = caveats.some(({ kind }) => kind === 'not_searched');
  const complete = isOfWords ? 'Complete in what was searched' : 'Complete';
  const erasures = caveats.find(({ kind }) => kind === 'erasures');
  return erasures ? `${complete}, unless it was erased: ${erasures.headline}` : complete;
}

/** `2 gaps: what could not be archived` */
export function sentenceOf({ headline, why }: Pick<Caveat, 'headline' | 'why'>): string {
  return why === null ? headline : `${headline}: ${why}`;
}

/** Files or pages that name what a list leaves out. */
export type Elsewhere = Readonly<Partial<Record<CaveatKind, string>>>;

/** The first of what is named, and how many more there are. */
export function namesIn(
  { kind, named, unnamed }: Pick<Caveat, 'kind' | 'named' | 'unnamed'>,
  most: number,
  elsewhere: Elsewhere = {},
): string[] {
  const shown = named.slice(0, most);
  const more = named.length - shown.length + unnamed;
  if (more === 0) return shown;
  const where = elsewhere[kind];
  return [...shown, `and ${more} more${where === undefined ? '' : `, which ${where} names`}`];
}

/** What to do first about what nobody has decided; undefined where nothing is to be done. */
export function nextOf(
  caveats: readonly Pick<Caveat, 'incomplete' | 'next'>[],
): string | undefined {
  const next = caveats.find((one) => one.incomplete && one.next !== null)?.next;
  return next == null ? undefined : `${next}.`;
}
