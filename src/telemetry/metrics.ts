/** A run as Prometheus' text format, for the textfile collector of node_exporter. */
import type { Gauge, Registry } from 'prom-client';
import { lastSuccessIn } from './previous-metrics.js';
import type { Counts, RunReport } from './run-report.js';

const WHOSE = ['command', 'archive', 'host'] as const;

/**
 * Gauges of the last run, labelled with its command, archive and machine.
 *
 * @param previous what the file holds; a run that is not complete keeps the last success told there
 */
export async function metricsText(
  report: RunReport,
  previous: string | undefined,
): Promise<string> {
  const { Registry: RegistryClass, Gauge: GaugeClass } = await import('prom-client');
  const registry = new RegistryClass();
  const before = previous === undefined ? undefined : lastSuccessIn(previous, report);
  const archive = report.archive ?? before?.archive ?? '';
  const sheet = new Sheet(registry, GaugeClass, {
    command: report.command,
    archive,
    host: report.host,
  });
  const { counts, startedAtMs, durationMs, exitCode } = report;
  const endedAt = (startedAtMs + durationMs) / 1000;
  const success = exitCode === 0 ? endedAt : before?.seconds;
  sheet.one('last_run_timestamp_seconds', 'When the last run ended, since 1970', endedAt);
  sheet.one(
    'last_success_timestamp_seconds',
    'When the last run ended that was complete (exit code 0), since 1970',
    success,
  );
  sheet.one('run_duration_seconds', 'How long the last run took', durationMs / 1000);
  sheet.one('run_exit_code', 'How the last run ended: 0 is complete, 3 with gaps', exitCode);
  sheet.many('run_users', 'Users of the last run', 'state', counts.users);
  sheet.many('run_sessions', 'Sessions that the last run looked at', 'state', counts.sessions);
  sheet.one('run_jobs', 'Jobs that the last run archived', counts.jobs);
  sheet.many('run_rows', 'Rows that the last run wrote', 'table', counts.rows);
  sheet.many('run_files', 'Files that jobs of the last run point to', 'status', counts.files);
  sheet.one(
    'run_suspicious_files',
    'Of the stored ones, those whose content is doubtful',
    counts.suspicious,
  );
  sheet.one('run_file_bytes', 'Bytes of files new to the archive', counts.bytes);
  sheet.many('run_gaps', 'What the last run could not archive', 'reason', counts.gaps);
  sheet.many('run_deletions', 'Sessions that were to be deleted', 'outcome', counts.deletions);
  sheet.many('run_requests', 'HTTP requests of the last run', 'to', counts.requests);
  sheet.one('run_retries', 'HTTP requests that were sent again', counts.retries);
  sheet.one('run_rate_limited', 'Answers with status 429', counts.rateLimited);
  sheet.one('run_problems', 'What verify found to be missing or altered', counts.problems);
  return registry.metrics();
}

class Sheet {
  constructor(
    readonly registry: Registry,
    readonly gauge: typeof Gauge,
    readonly whose: Readonly<Record<(typeof WHOSE)[number], string>>,
  ) {}

  one(name: string, help: string, value: number | undefined): void {
    if (value !== undefined) this.#gauge(name, help, []).set(this.whose, value);
  }

  many(name: string, help: string, label: string, counts: Counts | undefined): void {
    if (!counts || Object.keys(counts).length === 0) return;
    const gauge = this.#gauge(name, help, [label]);
    for (const [which, count] of Object.entries(counts)) {
      gauge.set({ ...this.whose, [label]: which }, count);
    }
  }

  #gauge(name: string, help: string, labels: readonly string[]) {
    const labelNames = [...WHOSE, ...labels];
    return new this.gauge({
      name: `jobvault_${name}`,
      help,
      labelNames,
      registers: [this.registry],
    });
  }
}
