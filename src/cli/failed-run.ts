/** An export that ended with a failure and is not in the log, because it saved nothing: the metrics file tells of it. */
import { readFile } from 'node:fs/promises';
import type { ArchiveStatus } from '../completeness/archive-status.js';
import type { SettingSources } from '../config/resolve-settings.js';
import { telemetrySettings } from '../config/setup-settings.js';
import { lastRunIn } from '../telemetry/metrics.js';
import { EXIT } from './exit-code.js';
import { fullLocation, validSettings } from './monitored-run.js';

export interface FailedRun {
  /** ISO 8601. */
  readonly ended: string;
  readonly exit_code: number;
}

/** The newest export of everybody, where it failed and began after all that the log has of such; null otherwise. */
export async function failedRunOf(
  { location, last_export: last }: Pick<ArchiveStatus, 'location' | 'last_export'>,
  sources: SettingSources,
): Promise<FailedRun | null> {
  const { metricsFile } = validSettings(telemetrySettings, sources);
  if (metricsFile === undefined) return null;
  const text = await readFile(metricsFile, 'utf8').catch(() => '');
  const archive = fullLocation(location);
  const run = lastRunIn(text, { command: 'export', archive, scope: 'all' });
  if (!run || run.exitCode === EXIT.complete) return null;
  if (last && run.startedMs < Date.parse(last.ended)) return null;
  return { ended: new Date(run.endedMs).toISOString(), exit_code: run.exitCode };
}
