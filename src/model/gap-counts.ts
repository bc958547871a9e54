/**
 * What is counted as a gap, what as a doubt and what as a lost file: a gap says that the archive could not get something, a doubt
 * of what is archived that it may be wrong, a lost file that the archive had it. Gaps and doubts that somebody has accepted are
 * counted apart.
 */
import { counted } from '../base/text/counted.js';

export interface GapCounts {
  readonly gaps: number;
  readonly doubts: number;
  readonly accepted_gaps: number;
  readonly accepted_doubts: number;
}

export const NO_GAPS: GapCounts = { gaps: 0, doubts: 0, accepted_gaps: 0, accepted_doubts: 0 };

/** What is missing or in doubt in what is made. */
export interface MissingCounts extends GapCounts {
  /** Files that were archived, and that the storage has lost: each once, in however many places it stood. */
  readonly lost_files: number;
}

export const NOTHING_MISSING: MissingCounts = { ...NO_GAPS, lost_files: 0 };

/** The status of rows and places of lost files; the log knows none of this name. */
export const LOST_STATUS = 'lost';

export function isLost({ status }: { readonly status: string }): boolean {
  return status === LOST_STATUS;
}

/** Whether it says of what is archived that it may be wrong, and not that something is missing. */
export function isDoubted({ status }: { readonly status: string }): boolean {
  return status === 'doubtful';
}

/** Places of lost files are no gaps. */
export function countedGaps<Gap extends { readonly status: string }>(
  gaps: Iterable<Gap>,
  isAccepted: (gap: Gap) => boolean,
): GapCounts {
  const counts = { ...NO_GAPS };
  for (const gap of gaps) if (!isLost(gap)) counts[countOf(gap, isAccepted(gap))]++;
  return counts;
}

/** How many files places of lost files are of: their reason names the file. */
export function lostFilesIn(
  gaps: readonly { readonly status: string; readonly reason: string }[],
): number {
  const lost = gaps.filter(isLost);
  return lost.length === 0 ? 0 : new Set(lost.map(({ reason }) => reason)).size;
}

function countOf(gap: { readonly status: string }, isAccepted: boolean): keyof GapCounts {
  if (isDoubted(gap)) return isAccepted ? 'accepted_doubts' : 'doubts';
  return isAccepted ? 'accepted_gaps' : 'gaps';
}

export function sumOfGaps(all: Iterable<GapCounts>): GapCounts {
  const sum = { ...NO_GAPS };
  for (const counts of all) {
    sum.gaps += counts.gaps;
    sum.doubts += counts.doubts;
    sum.accepted_gaps += counts.accepted_gaps;
    sum.accepted_doubts += counts.accepted_doubts;
  }
  return sum;
}

/** `1 lost file`, `1 gap`, `2 doubts`, `1 accepted gap`: those of which there are any. */
export function gapCountTexts(counts: GapCounts & Partial<MissingCounts>): string[] {
  const { gaps, doubts, accepted_gaps: acceptedGaps, accepted_doubts: acceptedDoubts } = counts;
  const all = [
    [counts.lost_files ?? 0, 'lost file'],
    [gaps, 'gap'],
    [doubts, 'doubt'],
    [acceptedGaps, 'accepted gap'],
    [acceptedDoubts, 'accepted doubt'],
  ] as const;
  return all.flatMap(([count, noun]) => (count === 0 ? [] : [counted(count, noun)]));
}

/** Whether something is missing or in doubt that nobody has accepted. */
export function isAnyOpen({ gaps, doubts }: Pick<GapCounts, 'gaps' | 'doubts'>): boolean {
  return gaps + doubts > 0;
}
