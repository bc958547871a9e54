/** How whole what is made of an archive is: a report, a workbook, a pack. */

/**
 * `left-out`: no gap is known; jobs were left out because nothing tells whether they are in the period.
 * `not-proven`: no gap is known, and that there is none is not proven, of a user or of where a search looked.
 */
export type MadeStatus = 'complete' | 'gaps' | 'left-out' | 'not-proven';

/** What could not be archived comes first: what was left out is in the archive. */
export function madeStatus({
  gaps,
  leftOut,
  isProven,
}: {
  readonly gaps: number;
  /** Jobs. */
  readonly leftOut: number;
  readonly isProven: boolean;
}): MadeStatus {
  if (gaps > 0) return 'gaps';
  if (leftOut > 0) return 'left-out';
  return isProven ? 'complete' : 'not-proven';
}
