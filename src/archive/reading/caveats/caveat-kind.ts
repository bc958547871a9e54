/** What a kind of caveat is: a function of what is known of an answer, whose result is told unless it counts nothing. */
import { step, type NextStep } from '../../../base/next-step.js';
import type { CaveatNames, Naming } from './naming.js';
import type { Reading } from './reading.js';

/** `missing`: it is not there. `doubt`: something may be missing or wrong. `note`: nothing is, and a reader should know it. */
export type CaveatSeverity = 'missing' | 'doubt' | 'note';

/** A caveat without the name of its kind. */
export interface Qualification extends CaveatNames {
  readonly severity: CaveatSeverity;
  readonly count: number;
  /** How many there are in all; null where no other number says more. */
  readonly total: number | null;
  /** A clause with the count, without names and texts of the archive: it may stand anywhere. */
  readonly headline: string;
  /** What that means, as clauses, also without names and texts of the archive; null where the headline says it. */
  readonly why: string | null;
  /** What whoever runs the command can do, as clauses. Null in what is made for others. */
  readonly next: NextStep | null;
  /** Whether a run, a repair or a decision can end it, and nobody has decided on it: then the command ends with exit code 3. */
  readonly open: boolean;
}

export type CaveatOf = (reading: Reading, naming: Naming) => Qualification | undefined;

/** By name, in the order in which they are told. */
export type Kinds = Readonly<Record<string, CaveatOf>>;

/** What a kind says beside its headline. */
type Details = Partial<Omit<Qualification, 'severity' | 'count' | 'headline' | 'next'>> & {
  readonly next?: NextStep | string | null;
};

function qualified(severity: CaveatSeverity) {
  return (count: number, headline: string, details: Details = {}): Qualification => {
    const {
      total = null,
      why = null,
      named = [],
      unnamed = 0,
      next = null,
      open = false,
    } = details;
    const shownNext = typeof next === 'string' ? step`${next}` : next;
    return { severity, count, total, headline, why, named, unnamed, next: shownNext, open };
  };
}

export const missing = qualified('missing');
export const doubt = qualified('doubt');
export const note = qualified('note');
