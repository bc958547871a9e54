/** What is told of the last export of everybody. */
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import { gaugeOf, metricsIn } from '../base/metrics-folder.js';
import { byName, countsByName, numberIn, type Telling } from './told-lines.js';

/** What of a webhook is compared. */
interface Notice {
  readonly status: string;
  readonly counts: {
    readonly users: Readonly<Record<string, number>>;
    readonly sessions: Readonly<Record<string, number>>;
    readonly jobs: number;
    readonly gaps: Readonly<Record<string, number>>;
    readonly accepted_gaps: number;
    readonly accepted_doubts: number;
  };
}

export async function ofLastNight({ archive, json, tell }: Telling): Promise<void> {
  const night = JSON.parse(archive.lastNight.stdout) as ExportSummary;
  // metrics of the archive stay as the last run has left them that was done with its users
  if (night.status === 'failed' || night.users.not_finished > 0) return;
  const accepted = night.gaps.filter((gap) => gap.accepted === true);
  const acceptedDoubts = accepted.filter(({ status }) => status === 'doubtful').length;
  tell('export --json', {
    'outcome of the last night': night.status,
    'accepted gaps of the last night': accepted.length - acceptedDoubts,
    'accepted doubts of the last night': acceptedDoubts,
    'users of the last night': night.users.total,
    'users complete last night': night.users.complete,
    'users of the last night by state': byName(statesOf(night)),
    'gaps of the last night by reason': countsByName(
      night.gaps.filter(({ accepted }) => accepted !== true),
    ),
    'gaps of datasets': night.gaps.filter(({ kind }) => kind === 'DATASET').length,
    'gaps of the last night':
      night.gaps.filter(({ accepted }) => accepted !== true).length + (night.left_gaps ?? 0),
    'questions archived last night': night.jobs.archived,
    'rows of jobs of the last night': night.rows['jobs'] ?? 0,
    'conversations listed last night': night.sessions.listed,
  });
  const text = await metricsIn(archive.directory);
  const ofAll = text
    .split('\n')
    .filter((line) => line.includes('scope="all"'))
    .join('\n');
  const metric = (name: string, label = ''): number => gaugeOf(ofAll, 'export', name, label);
  tell('metrics', {
    'users of the last night': metric('run_users', 'state="total"'),
    'users complete last night': metric('run_users', 'state="complete"'),
    'users of the last night by state': byName(labelled(ofAll, 'run_users', 'state')),
    'gaps of the last night by reason': byName(labelled(ofAll, 'gaps', 'reason')),
    'gaps of the last night': metric('gaps'),
    'accepted gaps of the last night': metric('accepted_gaps'),
    'accepted doubts of the last night': metric('accepted_doubts'),
    'questions archived last night': metric('run_jobs'),
    'conversations listed last night': metric('run_sessions', 'state="listed"'),
  });
  const morning = JSON.parse(archive.morning.stdout) as ArchiveStatus;
  tell('status --json in the morning', {
    'gaps in the morning':
      Object.values(morning.gaps).reduce((all, count) => all + count, 0) +
      morning.doubts +
      (morning.last_export?.dataset_gaps ?? 0),
    'accepted gaps in the morning': morning.accepted_gaps,
    'accepted doubts in the morning': morning.accepted_doubts,
    'never seen in the morning': morning.users.never_seen,
    'vanished in the morning': morning.users.vanished,
  });
  tell('metrics', {
    'gaps in the morning': metric('gaps'),
    'accepted gaps in the morning': metric('accepted_gaps'),
    'accepted doubts in the morning': metric('accepted_doubts'),
    'never seen in the morning': metric('run_users', 'state="never_seen"'),
    'vanished in the morning': metric('run_users', 'state="vanished"'),
  });
  tellOfNotices(archive.heard, tell);
  // a night that has saved nothing is not in the log
  if (morning.last_export?.run === night.run) {
    tellOfRun('last_export of status --json in the morning', morning.last_export, tell);
  }
  const { last_export: last, erasures } = await json<ArchiveStatus>('status', archive.out);
  // nothing tells any more what whom an erasure took since had, also for another spelling of theirs
  if (last?.run !== night.run || erasures.count !== morning.erasures.count) return;
  tellOfRun('last_export of status --json', last, tell);
  const sql = `SELECT outcome, jobs FROM runs WHERE run_id = '${night.run}'`;
  const { rows } = await json<{ rows: { outcome: string; jobs: number }[] }>(
    ...(['query', archive.out, sql] as const),
  );
  tell('runs', {
    'rows of jobs of the last night': rows[0]?.jobs ?? 0,
    'outcome of the last night': rows[0]?.outcome ?? 'none',
  });
}

function tellOfRun(
  output: string,
  last: NonNullable<ArchiveStatus['last_export']>,
  tell: Telling['tell'],
): void {
  tell(output, {
    'users of the last night': (last.users_to_read ?? last.users) + last.users_suppressed,
    'users complete last night': last.complete,
    'rows of jobs of the last night': last.jobs,
    'outcome of the last night': last.outcome ?? 'none',
    'gaps of datasets': last.dataset_gaps,
  });
}

/** As monitors hear of users. */
function statesOf({
  users,
  never_seen: neverSeen,
  newly_never_seen: newlyNeverSeen,
  at_the_cap: atTheCap,
  vanished,
  newly_vanished: newlyVanished,
  newly_left_out: newlyLeftOut,
}: ExportSummary): Readonly<Record<string, number>> {
  return {
    ...users,
    never_seen: neverSeen.length,
    newly_never_seen: newlyNeverSeen.length,
    at_the_cap: atTheCap?.length ?? 0,
    vanished: vanished?.length ?? 0,
    newly_vanished: newlyVanished.length,
    newly_left_out: newlyLeftOut?.length ?? 0,
  };
}

/** The values of a metric by a label, of the file of an export. */
function labelled(metrics: string, name: string, label: string): Readonly<Record<string, number>> {
  const lines = metrics.matchAll(
    new RegExp(`^jobvault_${name}{command="export",.*${label}="([^"]+)"} (\\d+)$`, 'gm'),
  );
  return Object.fromEntries([...lines].map(([, value = '', count]) => [value, Number(count)]));
}

function tellOfNotices(
  { ping, webhook }: Telling['archive']['heard'],
  tell: Telling['tell'],
): void {
  tell('ping', {
    'questions archived last night': numberIn(ping, /([\d,]+) versions? of questions? archived/),
    'gaps of the last night': [
      ...(/(?<!accepted )gaps: (.*?)(?:, accepted|\. )/.exec(ping)?.[1] ?? '').matchAll(/\d+/g),
    ].reduce((all, [count]) => all + Number(count), 0),
    'accepted gaps of the last night': numberIn(ping, /accepted gaps: ([\d,]+)/),
    'accepted doubts of the last night': numberIn(ping, /accepted doubts: ([\d,]+)/),
  });
  if (webhook === undefined) return;
  const { status, counts } = JSON.parse(webhook) as Notice;
  tell('webhook', {
    'outcome of the last night': status,
    'users of the last night': counts.users['total'] ?? 0,
    'users complete last night': counts.users['complete'] ?? 0,
    'users of the last night by state': byName(counts.users),
    'gaps of the last night by reason': byName(counts.gaps),
    'gaps of the last night': Object.values(counts.gaps).reduce((all, count) => all + count, 0),
    'accepted gaps of the last night': counts.accepted_gaps,
    'accepted doubts of the last night': counts.accepted_doubts,
    'questions archived last night': counts.jobs,
    'conversations listed last night': counts.sessions['listed'] ?? 0,
  });
}
