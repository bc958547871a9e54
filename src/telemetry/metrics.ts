/** Formats a run's metrics as Prometheus text, for the textfile collector of node_exporter. */
import { isDoneWithUsers, type Counts, type RunReport } from './run-report.js';

const PREFIX = 'jobvault_';

/** What only a run knows that was done with all of its users. */
const OF_THE_ARCHIVE = [
  'gaps',
  'left_gaps',
  'accepted_gaps',
  'accepted_doubts',
  'suspicious_files',
];

/** Why the last run ended as it did, and no run before it. */
const OF_ITS_END = ['run_doubtful_list'];

const USERS = 'run_users';

/** A gauge: one sample, or one for each value of a label. */
interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  /** Undefined of what the run did not count; empty where it counted, and there was nothing. */
  readonly values: Counts | undefined;
}

/**
 * Gauges of the last run of a command, labelled with its command, archive, machine, scope, shard and configuration file.
 *
 * @param previous what the run before has left: a run without success keeps the time of the last success, and one that
 *   failed keeps every gauge that it could not count, but that of another reason to fail
 */
export function metricsText(report: RunReport, previous = ''): string {
  const gauges = gaugesOf(report, lastSuccessIn(previous));
  const isWhole = report.outcome === 'complete' || report.outcome === 'gaps';
  const isDone = isDoneWithUsers(report);
  const measured = gauges.filter(
    ({ name, values }) => values !== undefined && (isDone || !OF_THE_ARCHIVE.includes(name)),
  );
  const withSamples = measured.filter(({ values = {} }) => Object.keys(values).length > 0);
  const before = familiesIn(previous);
  const notCounted = (report.counts.usersNotCounted ?? []).map((state) => `state="${state}"`);
  const written = withSamples.map((gauge) => {
    const text = familyText(gauge, report);
    if (gauge.name !== USERS || notCounted.length === 0) return text;
    const lines = before.find(({ name }) => name === USERS)?.text.split('\n') ?? [];
    const stay = lines.filter((line) => notCounted.some((state) => line.includes(state)));
    return text + stay.map((line) => `${line}\n`).join('');
  });
  const names = new Set(measured.map(({ name }) => name));
  const kept = isWhole
    ? []
    : before.filter(({ name }) => !names.has(name) && !OF_ITS_END.includes(name));
  return [...written, ...kept.map(({ text }) => text)].join('\n');
}

function gaugesOf(report: RunReport, lastSuccess: number | undefined): Gauge[] {
  const { counts, durationMs, startedAtMs, exitCode } = report;
  const endedAt = (startedAtMs + durationMs) / 1000;
  // who has found nobody has read all of nobody: a night in which no run was put on the queue is no success
  const { lastRunMs } = counts;
  const readAt =
    lastRunMs === undefined
      ? endedAt
      : Math.max((lastRunMs ?? 0) / 1000, lastSuccess ?? 0) || undefined;
  const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000);
  return [
    singleGauge('last_run_timestamp_seconds', 'End of the last run, since 1970', endedAt),
    singleGauge(
      'last_success_timestamp_seconds',
      'End of the last run that read all of its users with exit code 0, since 1970',
      isSuccess(report) ? readAt : lastSuccess,
    ),
    singleGauge('run_duration_seconds', 'Duration of the last run', durationMs / 1000),
    singleGauge('run_exit_code', 'Exit code of the last run: 0 complete, 3 with gaps', exitCode),
    labelledGauge(USERS, 'Users of the last run', 'state', counts.users),
    singleGauge(
      'run_doubtful_list',
      '1 where the list of users cannot be right (a web page, unknown ids, too few of them), or the API key is that of another project',
      counts.doubtfulList,
    ),
    labelledGauge('run_sessions', 'Sessions that the last run checked', 'state', counts.sessions),
    singleGauge('run_jobs', 'Jobs that the last run archived', counts.jobs),
    labelledGauge('run_rows', 'Rows that the last run wrote', 'table', counts.rows),
    labelledGauge(
      'run_files',
      'Files that jobs of the last run point to; of verify those of the archive, read back or only seen',
      'status',
      counts.files,
    ),
    singleGauge(
      'suspicious_files',
      'Stored files with doubtful content, whichever run has stored them',
      counts.suspicious,
    ),
    singleGauge('run_file_bytes', 'Bytes of files new to the archive', counts.bytes),
    labelledGauge(
      'gaps',
      'Gaps, and doubts (doubtful), that nobody has accepted',
      'reason',
      counts.gaps,
    ),
    singleGauge(
      'left_gaps',
      'Of the gaps, lists and histories that budgets have left for a later run',
      counts.leftGaps,
    ),
    singleGauge('accepted_gaps', 'Gaps that are accepted', counts.acceptedGaps),
    singleGauge('accepted_doubts', 'Doubts that are accepted', counts.acceptedDoubts),
    labelledGauge('run_deletions', 'Sessions selected for deletion', 'outcome', counts.deletions),
    labelledGauge('run_left', 'What the budget left for a later run', 'of', counts.left),
    singleGauge('run_overdue', 'Whether the lap takes longer than allowed', counts.overdue),
    singleGauge(
      'lap_began_timestamp_seconds',
      'When the lap round all sessions began, since 1970',
      seconds(counts.lapBeganMs),
    ),
    labelledGauge('run_requests', 'HTTP requests of the last run', 'to', counts.requests),
    singleGauge('run_retries', 'HTTP requests that were sent again', counts.retries),
    singleGauge('run_rate_limited', 'Answers with status 429', counts.rateLimited),
    singleGauge(
      'run_clock_gap_seconds',
      "By how much this machine's clock was ahead of the service's; negative: behind",
      seconds(counts.clockGapMs),
    ),
    singleGauge(
      'run_problems',
      'Problems that verify found, or differences that drill found',
      counts.problems,
    ),
  ];
}

function singleGauge(name: string, help: string, value: number | undefined): Gauge {
  return { name, help, values: value === undefined ? undefined : { '': value } };
}

function labelledGauge(name: string, help: string, label: string, values?: Counts): Gauge {
  return { name, help, label, values };
}

/** Whether all of its users were read: a run that was to read a part, or whose budget left some, does not end an alarm. */
function isSuccess({ exitCode, scope, counts: { left } }: RunReport): boolean {
  return exitCode === 0 && scope !== 'part' && (left?.['users'] ?? 0) === 0;
}

function familyText({ name, help, label, values = {} }: Gauge, report: RunReport): string {
  const { command, archive, host, scope, shard, config } = report;
  const labels = {
    command,
    archive: archive ?? '',
    host,
    scope,
    ...(shard !== undefined && { shard }),
    ...(config !== null && { config }),
  };
  const lines = Object.entries(values).map(([value, count]) => {
    const all = label === undefined ? labels : { ...labels, [label]: value };
    const text = Object.entries(all).map(([key, said]) => `${key}="${escaped(said)}"`);
    return `${PREFIX}${name}{${text.join(',')}} ${count}\n`;
  });
  return `# HELP ${PREFIX}${name} ${help}\n# TYPE ${PREFIX}${name} gauge\n${lines.join('')}`;
}

/** Source: Prometheus' “Exposition formats”. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

/** The gauges of a metrics file, each as it stands there. */
function familiesIn(text: string): { readonly name: string; readonly text: string }[] {
  return text.split(/^(?=# HELP )/m).flatMap((family) => {
    const [, name] = /^# HELP jobvault_(\S+)/.exec(family) ?? [];
    return name === undefined ? [] : [{ name, text: `${family.trimEnd()}\n` }];
  });
}

function lastSuccessIn(text: string): number | undefined {
  return valueIn(text, 'last_success_timestamp_seconds');
}

/** The first sample of a gauge. */
function valueIn(text: string, gauge: string): number | undefined {
  const line = text.split('\n').find((sample) => sample.startsWith(`${PREFIX}${gauge}{`));
  const value = Number(line?.slice(line.lastIndexOf(' ') + 1));
  return line !== undefined && Number.isFinite(value) ? value : undefined;
}

interface LastRun {
  readonly exitCode: number;
  readonly startedMs: number;
  readonly endedMs: number;
  /** Whether its list of users cannot be right, or its API key is that of another project. */
  readonly isListDoubtful: boolean;
}

/** How the last run ended, from its metrics file; undefined where that says nothing of one. */
export function lastRunIn(text: string): LastRun | undefined {
  const exitCode = valueIn(text, 'run_exit_code');
  const ended = valueIn(text, 'last_run_timestamp_seconds');
  if (exitCode === undefined || ended === undefined) return undefined;
  const endedMs = ended * 1000;
  const startedMs = endedMs - (valueIn(text, 'run_duration_seconds') ?? 0) * 1000;
  const isListDoubtful = valueIn(text, 'run_doubtful_list') === 1;
  return { exitCode, startedMs, endedMs, isListDoubtful };
}
