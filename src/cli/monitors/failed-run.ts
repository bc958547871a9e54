/** Runs that ended with a failure and are not in the log: the metrics tell of them. */
import { readFile } from 'node:fs/promises';
import type { ArchiveStatus } from '../../completeness/archive-status.js';
import type { SettingSources } from '../../config/resolve-settings.js';
import { telemetrySettings } from '../../config/telemetry-settings.js';
import { lastRunIn } from '../../telemetry/metrics.js';
import { EXIT } from '../exit-code.js';
import { metricsFileOf } from './metrics-file.js';
import { fullLocation } from '../command-place.js';
import { validSettings } from './monitored-run.js';

export interface FailedRun {
  /** `export`, `verify`, … */
  readonly command: string;
  /** ISO 8601. */
  readonly ended: string;
  readonly exit_code: number;
  /**
   * Whether the archive has something of it. Null where its status does not tell: of a verify, of a drill, and of a prune
   * that is older than the runs that are shown.
   */
  readonly saved: boolean | null;
  /** Its list of users cannot be right, or its API key is that of another project; absent otherwise. */
  readonly doubtful_list?: true;
}

/** Beside the export: those of which one failure is not to hide another. A drill that came back different is in the log. */
const OTHERS = ['verify', 'drill', 'prune'];

type StatusOfRuns = Pick<ArchiveStatus, 'location' | 'last_export' | 'runs'>;

/**
 * The newest run of each command, where it failed: of the export that of everybody, unless the log has a later one, or
 * tells its gaps itself. How another one ended, the log does not know.
 */
export async function failedRunsOf(
  { location, last_export: last, runs: shown }: StatusOfRuns,
  sources: SettingSources,
): Promise<readonly FailedRun[]> {
  const { metricsDir } = validSettings(telemetrySettings, sources);
  if (metricsDir === undefined) return [];
  const archive = fullLocation(location);
  const runs = ['export', ...OTHERS].map(async (command) => {
    const file = metricsFileOf(metricsDir, { command, archive, scope: 'all' });
    const run = lastRunIn(await readFile(file, 'utf8').catch(() => ''));
    if (!run || run.exitCode === EXIT.complete) return [];
    const isInLog = command === 'export' && last !== null && run.startedMs < Date.parse(last.ended);
    if (isInLog && (run.endedMs < Date.parse(last.ended) || run.exitCode === EXIT.gaps)) return [];
    const ended = new Date(run.endedMs).toISOString();
    const saved =
      command === 'export' ? isInLog : command === 'prune' ? hasPruned(run, shown) : null;
    const doubt = run.isListDoubtful && ({ doubtful_list: true } as const);
    return [{ command, ended, exit_code: run.exitCode, saved, ...doubt }];
  });
  return (await Promise.all(runs)).flat();
}

/** Whether one of the runs of the log, of which the newest are shown, is this prune. */
function hasPruned(
  { startedMs, endedMs }: NonNullable<ReturnType<typeof lastRunIn>>,
  shown: StatusOfRuns['runs'],
): boolean | null {
  const isIn = shown.some(({ kind, ended }) => {
    const endedAt = Date.parse(ended);
    return kind === 'prune' && endedAt >= startedMs && endedAt <= endedMs;
  });
  if (isIn) return true;
  const oldest = shown.at(-1);
  return oldest !== undefined && Date.parse(oldest.ended) > startedMs ? null : false;
}
