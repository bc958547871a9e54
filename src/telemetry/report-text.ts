/** Describes a run in one or two sentences, for a chat or a monitor's log. */
import { formatDuration } from '../base/duration.js';
import type { Counts, RunOutcome, RunReport } from './run-report.js';

export function reportText(report: RunReport): string {
  const { command, archive, outcome, exitCode, error, counts, durationMs, run } = report;
  const ofArchive = archive === null ? '' : ` of ${archive}`;
  const code = exitCode === 0 ? '' : ` (exit code ${exitCode})`;
  const done = [
    ...(counts.jobs === undefined ? [] : [`${counts.jobs} jobs archived`]),
    ...(counts.deletions?.['deleted'] ? [`${counts.deletions['deleted']} sessions deleted`] : []),
    ...(counts.problems ? [`${counts.problems} problems`] : []),
    ...(total(counts.gaps) > 0 ? [`gaps: ${countsText(counts.gaps)}`] : []),
  ];
  return [
    `jobvault ${command}${ofArchive} ${WORDS[outcome]}${code} after ${formatDuration(durationMs)}`,
    ...(error === null ? [] : [`: ${error}`]),
    '. ',
    ...(done.length === 0 ? [] : [done.join(', '), '. ']),
    `Run ${run}.`,
  ].join('');
}

const WORDS: Readonly<Record<RunOutcome, string>> = {
  complete: 'is complete',
  gaps: 'finished with gaps',
  interrupted: 'was interrupted',
  failed: 'failed',
};

function total(counts: Counts = {}): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function countsText(counts: Counts = {}): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}
