/** Runs that ended with a failure and are not in the log: the metrics tell of them. */
import { readFile } from 'node:fs/promises';
import type { ArchiveStatus } from '../completeness/archive-status.js';
import type { SettingSources } from '../config/resolve-settings.js';
import { telemetrySettings } from '../config/telemetry-settings.js';
import { lastRunIn } from '../telemetry/metrics.js';
import { EXIT } from './exit-code.js';
import { metricsFileOf } from './metrics-file.js';
import { fullLocation } from './command-place.js';
import { validSettings } from './monitored-run.js';

export interface FailedRun {
  /** `export`, `verify`, … */
  readonly command: string;
  /** ISO 8601. */
  readonly ended: string;
  readonly exit_code: number;
}

/** Beside the export: those of which one failure is not to hide another. A drill that came back different is in the log. */
const OTHERS = ['verify', 'drill', 'prune'];

/**
 * The newest run of each command, where it failed: of the export that of everybody, where it saved nothing and began
 * after all that the log has of such.
 */
export async function failedRunsOf(
  { location, last_export: last }: Pick<ArchiveStatus, 'location' | 'last_export'>,
  sources: SettingSources,
): Promise<readonly FailedRun[]> {
  const { metricsDir } = validSettings(telemetrySettings, sources);
  if (metricsDir === undefined) return [];
  const archive = fullLocation(location);
  const runs = ['export', ...OTHERS].map(async (command) => {
    const file = metricsFileOf(metricsDir, { command, archive, scope: 'all' });
    const run = lastRunIn(await readFile(file, 'utf8').catch(() => ''));
    if (!run || run.exitCode === EXIT.complete) return [];
    if (command === 'export' && last && run.startedMs < Date.parse(last.ended)) return [];
    return [{ command, ended: new Date(run.endedMs).toISOString(), exit_code: run.exitCode }];
  });
  return (await Promise.all(runs)).flat();
}
