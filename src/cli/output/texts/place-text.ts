/** Places in an archive, in words. */
import { visibleId } from '../../../base/text/direction.js';
import type { Gap } from '../../../export/jobs/gap.js';

/** `user ana, session s1, job j1`, as far as it is given. */
export function placeText(place: {
  readonly user?: string;
  readonly session?: string | null;
  readonly job?: string | null;
}): string {
  return (['user', 'session', 'job'] as const)
    .flatMap((what) => (place[what] == null ? [] : [`${what} ${visibleId(place[what])}`]))
    .join(', ');
}

/** The place of a file in a job: `, block 2 (TABLE)`; empty where the gap is not about a file. */
export function filePlaceText(
  gap: Pick<Gap, 'role' | 'block_index' | 'file_index' | 'kind'>,
): string {
  const { role, block_index: block, file_index: file, kind } = gap;
  if (block === null) return '';
  const ofQuestion = role === 'question' ? ' of the question' : '';
  const place = role === 'record' ? 'outside of the blocks' : `block ${block}${ofQuestion}`;
  const which = file === null || file === 0 ? '' : `, file ${file}`;
  return `, ${place}${which}${kind === null || kind === '' ? '' : ` (${kind})`}`;
}
