/** What the log of an archive has of a fleet: its newest worker, and runs on a queue. */
import { counted } from '../../../../base/text/counted.js';
import type { ArchiveStatus } from '../../../../completeness/archive-status.js';
import { secondText } from '../../texts/time-text.js';
import type { View } from '../../view.js';
import { completeText, withGaps } from '../run-line.js';

/** One of several of a run, perhaps: the log of the archive has the run by parts. */
export function lastWorkerText({
  last_worker: last,
  last_export: before,
}: ArchiveStatus): string | null {
  if (!last) return null;
  const later = before ? ', later than the last export' : '';
  const read = [
    `${counted(last.users, 'user')} read`,
    completeText(last, 'of them '),
    ...withGaps(last),
  ];
  return `${secondText(last.ended)}${later}: ${read.join(', ')}; jobvault status --redis URL has the run of the fleet`;
}

/** @param hasQueue whether the queue itself tells what it has lost */
export function queuedRunsViews(runs: ArchiveStatus['open_runs'], hasQueue: boolean): View[] {
  if (runs.length === 0) return [];
  return [
    {
      headline: 'Runs on a queue that have not ended',
      facts: runs.map(({ run, queue, users, left }) => [
        run,
        `${left} of ${counted(users, 'user')} left, queue ${queue}`,
      ]),
      lines: hasQueue ? [] : ['status with --redis says what the queue has lost.'],
    },
  ];
}
