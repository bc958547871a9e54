/** Formats gaps, grouped by status, with one example each. */
import { groupBy } from '../../base/group-by.js';
import type { Gap } from '../../export/jobs/gap.js';
import { visibleLine } from './visible.js';

export function gapsText(gaps: readonly Gap[]): string {
  const rows = [...groupBy(gaps, ({ status }) => status)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([status, of]) => {
      const [example = ''] = of.slice(0, 1).map(gapLine);
      return [status, of.length.toLocaleString('en-US'), example];
    });
  const table = [['gap', 'count', 'for example'], ...rows];
  const width = (column: number) => Math.max(...table.map((row) => row[column]?.length ?? 0));
  const [words, digits] = [width(0), width(1)];
  return table
    .map(
      ([status = '', count = '', example = '']) =>
        `  ${status.padEnd(words)}  ${count.padStart(digits)}  ${example}\n`,
    )
    .join('');
}

/** The place of a file in a job: `block 2 (TABLE)`; undefined where the gap is not about a file. */
export function filePlaceText(
  gap: Pick<Gap, 'role' | 'block_index' | 'file_index' | 'kind'>,
): string | undefined {
  const { role, block_index: block, file_index: file, kind } = gap;
  if (block === null) return undefined;
  const of = role === 'question' ? ' of the question' : '';
  const place = role === 'record' ? 'outside of the blocks' : `block ${block}${of}`;
  const which = file === null || file === 0 ? '' : `, file ${file}`;
  return `${place}${which}${kind === null || kind === '' ? '' : ` (${kind})`}`;
}

function gapLine({ user, session, job, reason, ...gap }: Gap): string {
  const place = [
    `user ${user}`,
    ...(session === null ? [] : [`session ${session}`]),
    ...(job === null ? [] : [`job ${job}`]),
    ...[filePlaceText(gap) ?? []].flat(),
  ];
  return visibleLine(`${place.join(', ')}: ${reason}`);
}
