/** Formats the files of an archive that jobvault has not made. */
import { counted } from './aligned.js';
import { visibleLine } from './visible.js';

const LISTED = 5;

/** A report's text about foreign files; null without such files. */
export function foreignText(paths: readonly string[]): string | null {
  if (paths.length === 0) return null;
  const named = paths.slice(0, LISTED).map(visibleLine).join(', ');
  const rest = paths.length > LISTED ? ', …' : '';
  return `${counted(paths.length, 'file')} not made by jobvault, left alone: ${named}${rest}`;
}
