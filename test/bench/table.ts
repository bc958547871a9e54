/** What was measured as a table: for a terminal, or in Markdown. */
import type { Line, Measured } from './measurement.js';
import type { BenchRow, Goal } from './rows.js';

export interface TableRow {
  readonly row: BenchRow;
  readonly line: Line;
  /** Small sizes say nothing of the goal. */
  readonly isQuick: boolean;
}

/** Two lines a row: what is measured, and the figures. */
export function terminalTable(rows: readonly TableRow[]): string {
  const figures = rows.map(figuresOf);
  const widths = figures
    .filter((_, at) => !('skipped' in (rows[at]?.line ?? {})))
    .reduce<number[]>((all, one) => one.map((cell, at) => Math.max(all[at] ?? 0, cell.length)), []);
  return rows
    .map(({ row }, index) => {
      const cells = figures[index]?.map((cell, at) => cell.padEnd(widths[at] ?? 0)) ?? [];
      const against = row.against === undefined ? '' : `, against ${row.against}`;
      return `${row.row}: ${row.what}${against}\n    ${cells.join('  ').trimEnd()}\n`;
    })
    .join('');
}

export function markdownTable(rows: readonly TableRow[]): string {
  const head = ['what', 'against', 'ours', 'theirs', 'ratio (least to most)', 'goal', 'met'];
  const all = rows.map((one) => [one.row.what, one.row.against ?? '', ...figuresOf(one)]);
  return [head, head.map(() => '---'), ...all]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('');
}

/** Ours, theirs, the ratio, the goal, and whether it is met. */
function figuresOf({ row: { goal }, line, isQuick }: TableRow): string[] {
  if ('skipped' in line) return [`not measured: ${line.skipped}`, '', '', goalText(goal), ''];
  const { ours, peer, ratio, unit } = line;
  return [
    `${digits(ours)} ${unit}${ratio === null ? spread(line, (run) => run.ours) : ''}`,
    peer === null ? '' : `${digits(peer)} ${unit}`,
    ratio === null
      ? ''
      : `${digits(ratio)} ×${spread(line, (run) => run.ours / (run.peer ?? NaN))}`,
    goalText(goal),
    isQuick ? '' : isMet(goal, line) ? 'yes' : 'no',
  ];
}

function isMet({ ratioAtMost, atMost, atLeast }: Goal, { ours, ratio }: Measured): boolean {
  return (
    (ratioAtMost === undefined || (ratio !== null && ratio <= ratioAtMost)) &&
    (atMost === undefined || ours <= atMost) &&
    (atLeast === undefined || ours >= atLeast)
  );
}

function goalText({ ratioAtMost, atMost, atLeast }: Goal): string {
  const parts = [
    ...(atMost === undefined ? [] : [`≤ ${atMost}`]),
    ...(atLeast === undefined ? [] : [`≥ ${atLeast}`]),
    ...(ratioAtMost === undefined ? [] : [`≤ ${ratioAtMost} ×`]),
  ];
  return parts.join(', ');
}

function spread({ runs }: Measured, of: (run: Measured['runs'][number]) => number): string {
  const all = runs.map(of);
  return runs.length === 1 ? '' : ` (${digits(Math.min(...all))}–${digits(Math.max(...all))})`;
}

/** Three digits that count, and at most three behind the point. */
function digits(value: number): string {
  const behind = value === 0 ? 0 : 2 - Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.min(3, Math.max(0, behind)));
}
