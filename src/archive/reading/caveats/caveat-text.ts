/** How whole an answer is, and the words in which every output tells a caveat. */
import { type NextStep, step } from '../../../base/next-step.js';
import { clauses } from '../../../base/text/clauses.js';
import { agreeing } from '../../../base/text/counted.js';
import type { Caveat, CaveatKind } from './caveat.js';
import type { CaveatSeverity } from './caveat-kind.js';
import { COMPLETENESS_WORDS, type Completeness } from './completeness.js';

/** The rule. An open caveat makes a command fail (exit code 3), whatever the word is. */
export function completenessOf(
  caveats: readonly Pick<Caveat, 'severity' | 'open'>[],
): Completeness {
  if (caveats.some(({ severity }) => severity === 'missing')) {
    return isIncomplete(caveats) ? 'incomplete' : 'incomplete-by-decision';
  }
  return caveats.some(({ severity }) => severity === 'doubt') ? 'not-proven' : 'complete';
}

/** Whether something is missing or in doubt without a decision: a command then ends with exit code 3. */
export function isIncomplete(caveats: readonly Pick<Caveat, 'open'>[]): boolean {
  return caveats.some(({ open }) => open);
}

/** What stands above the caveats of a severity. */
export const SEVERITY_WORDS: Readonly<Record<CaveatSeverity, string>> = {
  missing: 'Missing',
  doubt: 'In doubt',
  note: 'Note',
};

/** `Not complete: 2 gaps; in doubt: 1 table was not searched`: the first sentence names all that is missing, then all that is in doubt. */
export function headlineOf(
  caveats: readonly Pick<Caveat, 'kind' | 'severity' | 'count' | 'headline' | 'open'>[],
): string {
  return capitalised(headlineClauseOf(caveats));
}

/** The same, to stand behind a name. */
export function headlineClauseOf(
  caveats: readonly Pick<Caveat, 'kind' | 'severity' | 'count' | 'headline' | 'open'>[],
): string {
  const completeness = completenessOf(caveats);
  if (completeness === 'complete') return completeText(caveats);
  const headsOf = (severity: CaveatSeverity): string => {
    const all = caveats.filter((caveat) => caveat.severity === severity);
    // first: no later run brings it back
    const [erased, others] = [
      all.filter(isOfErasure),
      all.filter((caveat) => !isOfErasure(caveat)),
    ];
    return [...erased, ...others].map(({ headline }) => headline).join('; ');
  };
  const [missing, doubts] = [headsOf('missing'), headsOf('doubt')];
  const isDecided = completeness === 'incomplete-by-decision';
  const inDoubt = missing !== '' && doubts !== '' ? `; in doubt: ${doubts}` : doubts;
  const all = `${missing}${inDoubt}`;
  // the word before it says so of all
  return `${COMPLETENESS_WORDS[completeness]}: ${isDecided ? all.replaceAll(' by decision', '') : all}`;
}

function isOfErasure({ kind }: Pick<Caveat, 'kind'>): boolean {
  return ERASED.includes(kind);
}

const ERASED: readonly CaveatKind[] = ['erased', 'erased_of_request', 'maybe_erased'];

/** Receipts say that something was erased, and never whose it was. */
export const BUT_ERASED = 'leaving aside what was erased';

/** How whole it is, above a list of all that qualifies it. */
export function completenessClauseOf(
  caveats: readonly Pick<Caveat, 'kind' | 'severity' | 'count' | 'headline' | 'open'>[],
): string {
  const completeness = completenessOf(caveats);
  if (completeness !== 'complete') return COMPLETENESS_WORDS[completeness];
  return completeText(caveats.map((caveat) => ({ ...caveat, headline: null })));
}

/**
 * What an erasure has taken, nothing shows: who was not listed since may be whose it was. Nor does a mistyped id show.
 *
 * @param caveats without headlines where these stand below
 */
function completeText(
  caveats: readonly (Pick<Caveat, 'kind' | 'count'> & { readonly headline: string | null })[],
): string {
  const isOfWords = caveats.some(({ kind }) => kind === 'not_searched');
  const complete = isOfWords ? 'complete in what was searched' : COMPLETENESS_WORDS.complete;
  const erasures = caveats.find(({ kind }) => kind === 'erasures');
  const unseen = caveats.find(({ kind }) => kind === 'never_seen');
  const conditions = [
    ...(erasures ? [clauses(': ', BUT_ERASED, erasures.headline)] : []),
    ...(unseen
      ? [
          clauses(
            ': ',
            `if ${agreeing(unseen.count, 'the id is', 'the ids are')} right`,
            unseen.headline,
          ),
        ]
      : []),
  ];
  return conditions.length === 0 ? complete : `${complete}, ${conditions.join('; ')}`;
}

/** `2 gaps: what could not be archived` */
export function sentenceOf({ headline, why }: Caveat): string {
  return why === null ? headline : `${headline}: ${why}`;
}

/** The same, with what can be done about it. */
export function caveatText(caveat: Caveat): NextStep {
  const { next } = caveat;
  return next === null ? step`${sentenceOf(caveat)}` : step`${sentenceOf(caveat)}; ${next}`;
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
  const text = shown.length === 0 ? `${more} not named here` : `and ${more} more`;
  return [...shown, where === undefined ? text : `${text}, which ${where} names`];
}

/** What to do first about what nobody has decided; undefined where nothing is to be done. */
export function nextOf(caveats: readonly Pick<Caveat, 'open' | 'next'>[]): NextStep | undefined {
  const next = caveats.find((caveat) => caveat.open && caveat.next !== null)?.next;
  return next == null ? undefined : step`${next}.`;
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
