import { counted } from './output/aligned.js';
import { visibleLine } from './output/visible.js';

const TOLD = 5;

/** A line of a report on files that jobvault has not made; none where there are none. */
export function foreignLine(paths: readonly string[]): (readonly [string, string])[] {
  if (paths.length === 0) return [];
  const named = paths.slice(0, TOLD).map(visibleLine).join(', ');
  const rest = paths.length > TOLD ? ', …' : '';
  return [
    [
      'foreign',
      `${counted(paths.length, 'file')} not made by jobvault, left alone: ${named}${rest}`,
    ],
  ];
}
