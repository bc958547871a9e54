/** Formats gaps, grouped by status, with one example each. */
import { groupBy } from '../../base/group-by.js';
import type { Gap } from '../../export/jobs/gap.js';
import { placeText } from './aligned.js';
import { tallied } from './progress/tally.js';
import { visibleLine } from './visible.js';

export function gapsText(gaps: readonly Gap[]): string {
  const groups = [...groupBy(gaps, ({ status }) => status)].toSorted(
    ([, a], [, b]) => b.length - a.length,
  );
  return tallied([
    ['gap', 'count', 'for example'],
    ...groups.map(
      ([status, of]) => [status, of.length, of.slice(0, 1).map(gapLine).join('')] as const,
    ),
  ]);
}

/** The place of a file in a job: `, block 2 (TABLE)`; empty where the gap is not about a file. */
export function filePlaceText(
  gap: Pick<Gap, 'role' | 'block_index' | 'file_index' | 'kind'>,
): string {
  const { role, block_index: block, file_index: file, kind } = gap;
  if (block === null) return '';
  const of = role === 'question' ? ' of the question' : '';
  const place = role === 'record' ? 'outside of the blocks' : `block ${block}${of}`;
  const which = file === null || file === 0 ? '' : `, file ${file}`;
  return `, ${place}${which}${kind === null || kind === '' ? '' : ` (${kind})`}`;
}

function gapLine({ user, session, job, reason, ...gap }: Gap): string {
  return visibleLine(`${placeText({ user, session, job })}${filePlaceText(gap)}: ${reason}`);
}
