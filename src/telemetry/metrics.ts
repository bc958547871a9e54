/** Formats a run's metrics as Prometheus text, for the textfile collector of node_exporter. */
import type { Gauge, Registry } from 'prom-client';
import type { Counts, RunCounts, RunReport } from './run-report.js';

const RUN_LABELS = ['command', 'archive', 'host', 'scope'] as const;
/** Only of a run that has one. */
const CONFIG_LABEL = 'config';

/**
 * Gauges of the last run, labelled with its command, archive, machine, scope and configuration file.
 *
 * @param previous the current content of the file. What other commands, archives and scopes have written stays, and an
 *   incomplete run keeps the time of the last success
 * @param others texts of other metrics files: one of them may know the last success
 */
export async function metricsText(
  report: RunReport,
  previous: string | undefined,
  others: readonly string[] = [],
): Promise<string> {
  const { Registry: RegistryClass, Gauge: GaugeClass } = await import('prom-client');
  const registry = new RegistryClass();
  const before = lastSuccessIn(previous ?? '', report);
  const archive = report.archive ?? before?.archive ?? '';
  const ofOthers = others
    .flatMap((text) => text.split('\n').filter((line) => isHere(line, report)))
    .flatMap((line) => lastSuccessIn(line, { ...report, archive })?.seconds ?? []);
  const lastSuccess = [before?.seconds ?? [], ofOthers].flat().toSorted((a, b) => b - a)[0];
  const here = others.map((text) => text.split('\n').filter((line) => isHere(line, report)));
  const beside = besideIn([previous ?? '', ...here.map((lines) => lines.join('\n'))], {
    ...report,
    archive,
  });
  const sheet = new Sheet(registry, GaugeClass, {
    command: report.command,
    archive,
    host: report.host,
    scope: report.scope,
    ...(report.config === null ? {} : { [CONFIG_LABEL]: report.config }),
  });
  const endedAtMs = report.startedAtMs + report.durationMs;
  const startedAtMs = Math.min(report.startedAtMs, beside?.startedMs ?? Infinity);
  const durationMs = endedAtMs - startedAtMs;
  const exitCode = worseOf(report.exitCode, beside?.exitCode ?? 0);
  const counts = beside
    ? withThose(report.counts, beside.text, { ...report, archive })
    : report.counts;
  const endedAt = endedAtMs / 1000;
  // who has found nobody has read all of nobody: a night in which no run was put on the queue is no success
  const { lastRunMs } = counts;
  const readAt =
    lastRunMs === undefined
      ? endedAt
      : Math.max((lastRunMs ?? 0) / 1000, lastSuccess ?? 0) || undefined;
  const success = isSuccess({ ...report, exitCode }) ? readAt : lastSuccess;
  sheet.one('last_run_timestamp_seconds', 'End of the last run, since 1970', endedAt);
  sheet.one(
    'last_success_timestamp_seconds',
    'End of the last run that read all of its users with exit code 0, since 1970',
    success,
  );
  sheet.one('run_duration_seconds', 'Duration of the last run', durationMs / 1000);
  sheet.one('run_exit_code', 'Exit code of the last run: 0 complete, 3 with gaps', exitCode);
  sheet.many('run_users', 'Users of the last run', 'state', counts.users);
  sheet.many('run_sessions', 'Sessions that the last run checked', 'state', counts.sessions);
  sheet.one('run_jobs', 'Jobs that the last run archived', counts.jobs);
  sheet.many('run_rows', 'Rows that the last run wrote', 'table', counts.rows);
  sheet.many(
    'run_files',
    'Files that jobs of the last run point to; of verify those of the archive, read back or only seen',
    'status',
    counts.files,
  );
  sheet.one('run_suspicious_files', 'Stored files with doubtful content', counts.suspicious);
  sheet.one('run_file_bytes', 'Bytes of files new to the archive', counts.bytes);
  sheet.many('run_gaps', 'Gaps of the last run', 'reason', counts.gaps);
  sheet.one('run_new_gaps', 'Gaps that the log had not before the last run', counts.newGaps);
  sheet.one('run_new_doubts', 'Doubts that the log had not before the last run', counts.newDoubts);
  sheet.one('run_accepted_gaps', 'Gaps of the last run that are accepted', counts.acceptedGaps);
  sheet.many('run_deletions', 'Sessions selected for deletion', 'outcome', counts.deletions);
  sheet.many('run_left', 'What the budget left for a later run', 'of', counts.left);
  sheet.many('run_overdue', 'What was left for longer than allowed', 'of', counts.overdue);
  sheet.one(
    'oldest_check_timestamp_seconds',
    'Since when the oldest of what the budget left waits, since 1970',
    counts.oldestCheckMs === undefined ? undefined : counts.oldestCheckMs / 1000,
  );
  sheet.many('run_requests', 'HTTP requests of the last run', 'to', counts.requests);
  sheet.one('run_retries', 'HTTP requests that were sent again', counts.retries);
  sheet.one('run_rate_limited', 'Answers with status 429', counts.rateLimited);
  sheet.one(
    'run_clock_gap_seconds',
    "By how much this machine's clock was ahead of the service's; negative: behind",
    counts.clockGapMs === undefined ? undefined : counts.clockGapMs / 1000,
  );
  sheet.one(
    'run_problems',
    'Problems that verify found, or differences that drill found',
    // what could not look has found nothing whole: damage stays an alarm until a run has looked
    counts.problems ?? problemsIn(previous ?? '', { ...report, archive }),
  );
  return merged(previous ?? '', await registry.metrics(), { ...report, archive });
}

/** Workers of a night are started together: this far apart at most. */
const STARTED_TOGETHER_MS = 3_600_000;

/**
 * The worker of the same archive and machine that this one ran beside: what it leaves is of both, since the last one to
 * end would else hide the gaps and the failure of the others.
 *
 * @param texts metrics files
 */
function besideIn(texts: readonly string[], report: RunReport) {
  if (report.command !== 'worker') return undefined;
  const found = texts.flatMap((text) => {
    const run = lastRunIn(text, report);
    return run ? [{ ...run, text }] : [];
  });
  const [newest] = found.toSorted((a, b) => b.endedMs - a.endedMs);
  if (!newest || newest.endedMs <= report.startedAtMs) return undefined;
  const apartMs = Math.abs(newest.startedMs - report.startedAtMs);
  return apartMs <= STARTED_TOGETHER_MS ? newest : undefined;
}

/** Gaps say less than a failure, and nothing less than gaps. */
function worseOf(own: number, other: number): number {
  const rank = (code: number): number => (code === 0 ? 0 : code === 3 ? 1 : 2);
  return rank(other) > rank(own) ? other : own;
}

/** The counts of a worker, and of those beside which it ran. */
function withThose(own: RunCounts, text: string, owner: Owner): RunCounts {
  const lines = text.split('\n').filter((line) => isOf(line, owner));
  const valueOf = (metric: string, more = ''): number => {
    const sample = lines.find(
      (line) => line.startsWith(`jobvault_${metric}{`) && line.includes(more),
    );
    return sample === undefined ? 0 : Number(sample.slice(sample.lastIndexOf(' ') + 1));
  };
  const all = (metric: string, label: string, counts: Counts = {}): Counts => {
    const sums = Object.entries(counts).map(([key, count]): [string, number] => {
      const other = valueOf(metric, `,${label}="${key}"}`);
      // each worker counts all that the queue has lost
      return [key, key === 'lost' ? Math.max(count, other) : count + other];
    });
    return Object.fromEntries(sums);
  };
  return {
    ...own,
    users: all('run_users', 'state', own.users),
    jobs: (own.jobs ?? 0) + valueOf('run_jobs'),
    newGaps: (own.newGaps ?? 0) + valueOf('run_new_gaps'),
    newDoubts: (own.newDoubts ?? 0) + valueOf('run_new_doubts'),
    acceptedGaps: (own.acceptedGaps ?? 0) + valueOf('run_accepted_gaps'),
    requests: all('run_requests', 'to', own.requests),
    retries: (own.retries ?? 0) + valueOf('run_retries'),
    rateLimited: (own.rateLimited ?? 0) + valueOf('run_rate_limited'),
  };
}

/** Whether all of its users were read: a run that was to read a part, or whose budget left some, does not end an alarm. */
function isSuccess({ exitCode, scope, counts: { left } }: RunReport): boolean {
  return exitCode === 0 && scope !== 'part' && (left?.['users'] ?? 0) === 0;
}

type Owner = Pick<RunReport, 'command' | 'archive' | 'scope'>;

/** The metrics of a file with those of a run in place of what the same command, archive and scope had. */
function merged(previous: string, own: string, owner: Owner): string {
  const sheets = [familiesIn(previous, (line) => !isOf(line, owner)), familiesIn(own, () => true)];
  const families = new Map<string, Family>();
  for (const { name, head, samples } of sheets.flat()) {
    const kept = families.get(name)?.samples ?? [];
    families.set(name, { head, samples: [...kept, ...samples] });
  }
  return textOf(families.values());
}

/** A metrics file without what the same command, archive, machine and scope had in it. */
export function withoutSeriesOf(text: string, run: Owner & Pick<RunReport, 'host'>): string {
  return textOf(familiesIn(text, (line) => !(isOf(line, run) && isHere(line, run))));
}

interface Family {
  readonly head: readonly string[];
  readonly samples: readonly string[];
}

function textOf(families: Iterable<Family>): string {
  return [...families]
    .filter(({ samples }) => samples.length > 0)
    .map(({ head, samples }) => `${[...head, ...samples].join('\n')}\n`)
    .join('\n');
}

function familiesIn(text: string, isKept: (sample: string) => boolean) {
  const families: { name: string; head: string[]; samples: string[] }[] = [];
  for (const line of text.split('\n')) {
    const [, name] = /^# HELP (\S+)/.exec(line) ?? [];
    if (name !== undefined) families.push({ name, head: [line], samples: [] });
    else if (line.startsWith('#')) families.at(-1)?.head.push(line);
    else if (line !== '' && isKept(line)) families.at(-1)?.samples.push(line);
  }
  return families;
}

class Sheet {
  constructor(
    readonly registry: Registry,
    readonly gauge: typeof Gauge,
    readonly runLabels: Readonly<Record<(typeof RUN_LABELS)[number], string>> & {
      readonly [CONFIG_LABEL]?: string;
    },
  ) {}

  one(name: string, help: string, value: number | undefined): void {
    if (value !== undefined) this.#gauge(name, help, []).set(this.runLabels, value);
  }

  many(name: string, help: string, label: string, counts: Counts | undefined): void {
    if (!counts || Object.keys(counts).length === 0) return;
    const gauge = this.#gauge(name, help, [label]);
    for (const [value, count] of Object.entries(counts)) {
      gauge.set({ ...this.runLabels, [label]: value }, count);
    }
  }

  #gauge(name: string, help: string, labels: readonly string[]) {
    const labelNames = [...RUN_LABELS, CONFIG_LABEL, ...labels];
    return new this.gauge({
      name: `jobvault_${name}`,
      help,
      labelNames,
      registers: [this.registry],
    });
  }
}

/** Without those of one metric, which come last. */
const LABELS =
  /^(\w+)\{command="((?:[^"\\]|\\.)*)",archive="((?:[^"\\]|\\.)*)",host="((?:[^"\\]|\\.)*)",scope="(\w+)"(?:,config="((?:[^"\\]|\\.)*)")?/;

/** Long enough for an alarm that the place is not exported any more to be seen. */
const FORGOTTEN_AFTER_S = 7 * 86_400;

/**
 * A metrics file without the series of places that its configuration file once named, or a flag beside it, and of which
 * no run has ended for a week: nothing else would ever end their alarms. So it is at once where no run has ever read or
 * saved anything, as in a bucket whose name was mistyped.
 *
 * @param run of the place that the configuration file names now
 */
export function withoutForgotten(
  text: string,
  { command, archive, config }: Pick<RunReport, 'command' | 'archive' | 'config'>,
  nowSeconds: number,
): { readonly text: string; readonly forgotten: readonly string[] } {
  const newest = new Map<string, number>();
  const worked = new Set<string>();
  const lines = text.split('\n');
  const placeOf = (line: string): string | undefined => {
    const [, , of = '', place = '', , , by] = LABELS.exec(line) ?? [];
    const isOurs = unescaped(of) === command && by !== undefined && unescaped(by) === config;
    return isOurs && unescaped(place) !== archive ? unescaped(place) : undefined;
  };
  for (const line of lines) {
    const place = placeOf(line);
    if (place === undefined) continue;
    const value = Number(line.slice(line.lastIndexOf(' ')));
    if (line.startsWith('jobvault_last_run_timestamp_seconds{')) {
      newest.set(place, Math.max(value, newest.get(place) ?? 0));
    }
    if (hasWorked(line, value)) worked.add(place);
  }
  const forgotten = [...newest].flatMap(([place, seconds]) =>
    nowSeconds - seconds > FORGOTTEN_AFTER_S || !worked.has(place) ? [place] : [],
  );
  const isKept = (line: string): boolean => !forgotten.includes(placeOf(line) ?? '');
  return { text: lines.filter(isKept).join('\n'), forgotten };
}

/** Whether a sample tells that a run of its place has succeeded once, or that the last one has read or saved anything. */
function hasWorked(sample: string, value: number): boolean {
  if (sample.startsWith('jobvault_last_success_timestamp_seconds{')) return true;
  if (sample.startsWith('jobvault_run_exit_code{')) return [0, 3, 7].includes(value);
  return /^jobvault_run_(?:jobs|sessions|rows|files|requests)\{/.test(sample) && value > 0;
}

function isOf(sample: string, owner: Owner): boolean {
  const [, , command = '', archive = '', , scope] = LABELS.exec(sample) ?? [];
  return (
    unescaped(command) === owner.command &&
    unescaped(archive) === owner.archive &&
    scope === owner.scope
  );
}

function isHere(sample: string, { host }: Pick<RunReport, 'host'>): boolean {
  const [, , , , found = ''] = LABELS.exec(sample) ?? [];
  return unescaped(found) === host;
}

/** Reads the last success from a metrics file: of the same command and scope and, if it is known, the same archive. */
export function lastSuccessIn(
  text: string,
  { command, archive, scope }: Owner,
): { readonly archive: string; readonly seconds: number } | undefined {
  for (const line of text.split('\n')) {
    const [, name, , escaped = ''] = LABELS.exec(line) ?? [];
    const found = unescaped(escaped);
    const seconds = Number(line.slice(line.lastIndexOf(' ')));
    if (name !== 'jobvault_last_success_timestamp_seconds' || !Number.isFinite(seconds)) continue;
    if (isOf(line, { command, archive: archive ?? found, scope }))
      return { archive: found, seconds };
  }
  return undefined;
}

/** Reads how the last run of a command, archive and scope ended, from a metrics file. */
export function lastRunIn(
  text: string,
  owner: Owner,
): { readonly exitCode: number; readonly startedMs: number; readonly endedMs: number } | undefined {
  const valueOf = (metric: string): number => {
    const isWanted = (line: string) => line.startsWith(`jobvault_${metric}{`) && isOf(line, owner);
    const sample = text.split('\n').find(isWanted) ?? '';
    return Number.parseFloat(sample.slice(sample.lastIndexOf(' ') + 1));
  };
  const exitCode = valueOf('run_exit_code');
  const endedMs = valueOf('last_run_timestamp_seconds') * 1000;
  const startedMs = endedMs - valueOf('run_duration_seconds') * 1000;
  return Number.isFinite(startedMs) && Number.isInteger(exitCode)
    ? { exitCode, startedMs, endedMs }
    : undefined;
}

function problemsIn(text: string, owner: Owner): number | undefined {
  const isWanted = (line: string) => line.startsWith('jobvault_run_problems{') && isOf(line, owner);
  const sample = text.split('\n').find(isWanted);
  return sample === undefined ? undefined : Number(sample.slice(sample.lastIndexOf(' ') + 1));
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
}
