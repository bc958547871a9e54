/** What is missing, grouped by what is the matter, with an example each. */
import { groupBy } from '../base/group-by.js';
import type { Gap } from '../export/gap.js';
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

function gapLine({ user, session, job, block_index: block, kind, reason }: Gap): string {
  const place = [
    `user ${user}`,
    ...(session === null ? [] : [`session ${session}`]),
    ...(job === null ? [] : [`job ${job}`]),
    ...(block === null ? [] : [`block ${block}${kind === null ? '' : ` (${kind})`}`]),
  ];
  return visibleLine(`${place.join(', ')}: ${reason}`);
}
