import { counted } from './output/aligned.js';
import { visibleLine } from './output/visible.js';

const LISTED = 5;

/** The line of a report about foreign files; empty without such files. */
export function foreignLine(paths: readonly string[]): (readonly [string, string])[] {
  if (paths.length === 0) return [];
  const named = paths.slice(0, LISTED).map(visibleLine).join(', ');
  const rest = paths.length > LISTED ? ', …' : '';
  return [
    [
      'foreign',
      `${counted(paths.length, 'file')} not made by jobvault, left alone: ${named}${rest}`,
    ],
  ];
}
