/** What is told of the last export of everybody. */
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import { metricsIn } from '../base/metrics-folder.js';
import type { Telling } from './told-lines.js';

export async function ofLastNight({ archive, json, tell }: Telling): Promise<void> {
  const night = JSON.parse(archive.lastNight.stdout) as ExportSummary;
  // metrics of the archive stay as the last run has left them that was done with its users
  if (night.status === 'failed' || night.users.not_finished > 0) return;
  tell('export --json', {
    'users of the last night': night.users.total,
    'users complete last night': night.users.complete,
    'gaps of the last night':
      night.gaps.filter(({ accepted }) => accepted !== true).length + (night.left_gaps ?? 0),
    'questions archived last night': night.jobs.archived,
    'rows of jobs of the last night': night.rows['jobs'] ?? 0,
    'conversations listed last night': night.sessions.listed,
  });
  const text = await metricsIn(archive.directory);
  const lines = text.split('\n').filter((line) => /command="export".*scope="all"/.test(line));
  const metric = (name: string, label = ''): number =>
    lines
      .filter((line) => line.startsWith(`jobvault_${name}{`) && line.includes(label))
      .reduce((all, line) => all + Number(line.split(' ').at(-1)), 0);
  tell('metrics', {
    'users of the last night': metric('run_users', 'state="total"'),
    'users complete last night': metric('run_users', 'state="complete"'),
    'gaps of the last night': metric('gaps'),
    'questions archived last night': metric('run_jobs'),
    'conversations listed last night': metric('run_sessions', 'state="listed"'),
  });
  const { last_export: last } = await json<ArchiveStatus>('status', archive.out);
  // whom an erasure took since is not among them
  if (last?.run !== night.run || last.redacted) return;
  tell('last_export of status --json', {
    'users of the last night': (last.users_to_read ?? last.users) + last.users_suppressed,
    'users complete last night': last.complete,
    'rows of jobs of the last night': last.jobs,
  });
}
