/** The caveats of an answer as rows of what is printed for people: what is missing comes first. */
import type { Caveat } from '../../archive/reading/caveats/caveat.js';
import {
  caveatText,
  headlineOf,
  isIncomplete,
  namesIn,
  SEVERITY_WORDS,
  type Elsewhere,
} from '../../archive/reading/caveats/caveat-text.js';
import { EXIT } from '../exit-code.js';
import { type Fact } from './aligned.js';
import { visibleLine } from '../../base/text/visible.js';

/** How many are named on a terminal: `--json` has more. */
const NAMED = 3;

/** A row for each, with what to do about it, and one for each that it names. */
export function caveatRows(caveats: readonly Caveat[], elsewhere: Elsewhere = {}): Fact[] {
  return caveats.flatMap((caveat): Fact[] => [
    [SEVERITY_WORDS[caveat.severity].toLowerCase(), caveatText(caveat)],
    ...namesIn(caveat, NAMED, elsewhere).map((line) => ['', `- ${visibleLine(line)}`] as const),
  ]);
}

/** 3 where something is missing or in doubt without a decision. */
export function caveatExit(caveats: readonly Caveat[]): number {
  return isIncomplete(caveats) ? EXIT.gaps : EXIT.complete;
}

/** Where what was made for a request is recorded; null of none. */
export function recordedIn(request: string | null, what: string): string | null {
  return request && `${visibleLine(request)}; its record has the digest of the ${what}`;
}

/** The first lines of what was made: `Complete: the report is …`, or what is missing, and then where it is. */
export function madeHeadline(caveats: readonly Caveat[], made: string): string {
  const headline = headlineOf(caveats);
  if (!headline.includes(': ')) return `${headline}: ${made}`;
  return `${headline}\n${made.slice(0, 1).toUpperCase()}${made.slice(1)}`;
}
