/** What is counted as a gap and what as a doubt: a doubt says of what is archived that it may be wrong, a gap that something is missing. Those that somebody has accepted are counted apart. */
import { counted } from '../base/text/counted.js';

export interface GapCounts {
  readonly gaps: number;
  readonly doubts: number;
  readonly accepted_gaps: number;
  readonly accepted_doubts: number;
}

export const NO_GAPS: GapCounts = { gaps: 0, doubts: 0, accepted_gaps: 0, accepted_doubts: 0 };

/** Whether it says of what is archived that it may be wrong, and not that something is missing. */
export function isDoubted({ status }: { readonly status: string }): boolean {
  return status === 'doubtful';
}

export function countedGaps<Gap extends { readonly status: string }>(
  gaps: Iterable<Gap>,
  isAccepted: (gap: Gap) => boolean,
): GapCounts {
  const counts = { ...NO_GAPS };
  for (const gap of gaps) counts[countOf(gap, isAccepted(gap))]++;
  return counts;
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

/** `1 gap`, `2 doubts`, `1 accepted gap`: those of which there are any. */
export function gapCountTexts(counts: GapCounts): string[] {
  const { gaps, doubts, accepted_gaps: acceptedGaps, accepted_doubts: acceptedDoubts } = counts;
  const all = [
    [gaps, 'gap'],
    [doubts, 'doubt'],
    [acceptedGaps, 'accepted gap'],
    [acceptedDoubts, 'accepted doubt'],
  ] as const;
  return all.flatMap(([count, noun]) => (count === 0 ? [] : [counted(count, noun)]));
}
