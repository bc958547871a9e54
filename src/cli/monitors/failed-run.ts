/** Runs that ended with a failure and are not in the log: the metrics tell of them. */
import { readFile } from 'node:fs/promises';
import type { ArchiveStatus } from '../../completeness/archive-status.js';
import type { SettingSources } from '../../config/resolve-settings.js';
import { telemetrySettings } from '../../config/telemetry-settings.js';
import { formatShard, parseShard } from '../../model/shard.js';
import { lastRunIn } from '../../telemetry/metrics.js';
import { EXIT } from '../exit-code.js';
import { metricsFileOf } from './metrics-file.js';
import { fullLocation } from '../command-place.js';
import { validSettings } from './monitored-run.js';

export interface FailedRun {
  /** `export`, `verify`, … */
  readonly command: string;
  /** Of which share of all users, as `3/16`; absent of all. */
  readonly shard?: string;
  /** ISO 8601. */
  readonly ended: string;
  readonly exit_code: number;
  /**
   * Whether the archive has something of it. Null where its status does not tell: of a verify, of a drill, and of a prune or
   * a shard that is older than the runs that are shown.
   */
  readonly saved: boolean | null;
  /** What a prune has deleted before it ended so; absent where the runs that are shown do not have it. */
  readonly deleted?: number;
  /** Its list of users cannot be right, or its API key is that of another project; absent otherwise. */
  readonly doubtful_list?: true;
}

/** Beside the export: those of which one failure is not to hide another. A drill that came back different is in the log. */
const OTHERS = ['verify', 'drill', 'prune'];

type StatusOfRuns = Pick<ArchiveStatus, 'location' | 'last_export' | 'runs'>;

/**
 * The newest run of each command, where it failed: of the export that of everybody, or of each shard, unless the log has a
 * later one, or tells its gaps itself. How another one ended, the log does not know.
 */
export async function failedRunsOf(
  { location, last_export: last, runs: shown }: StatusOfRuns,
  sources: SettingSources,
): Promise<readonly FailedRun[]> {
  const { metricsDir } = validSettings(telemetrySettings, sources);
  if (metricsDir === undefined) return [];
  const archive = fullLocation(location);
  const metricsOf = async (command: string, shard: { readonly shard?: string } = {}) => {
    const file = metricsFileOf(metricsDir, { command, archive, scope: 'all', ...shard });
    return lastRunIn(await readFile(file, 'utf8').catch(() => ''));
  };
  const ofShards = shardsBeside(last).map(async (shard) => {
    const run = await metricsOf('export', { shard });
    if (!run || run.exitCode === EXIT.complete || run.exitCode === EXIT.gaps) return [];
    const inLog = shown.find((one) => one.kind === 'export' && one.shard === shard);
    if (inLog && run.endedMs < Date.parse(inLog.ended)) return [];
    const saved = inLog ? run.startedMs < Date.parse(inLog.ended) : null;
    return [failedOf('export', run, { shard, saved })];
  });
  const runs = ['export', ...OTHERS].map(async (command) => {
    const run = await metricsOf(command);
    if (!run || run.exitCode === EXIT.complete) return [];
    const isInLog = command === 'export' && last !== null && run.startedMs < Date.parse(last.ended);
    if (isInLog && (run.endedMs < Date.parse(last.ended) || run.exitCode === EXIT.gaps)) return [];
    const pruned = command === 'prune' ? prunesOf(run, shown) : undefined;
    const saved = command === 'export' ? isInLog : pruned ? hasPruned(run, shown) : null;
    const deleted = pruned?.reduce((sum, { deletions }) => sum + deletions, 0) ?? 0;
    return [failedOf(command, run, { saved, ...(deleted > 0 && { deleted }) })];
  });
  return (await Promise.all([...runs, ...ofShards])).flat();
}

function failedOf(
  command: string,
  run: LastRun,
  facts: Pick<FailedRun, 'shard' | 'saved' | 'deleted'>,
): FailedRun {
  const ended = new Date(run.endedMs).toISOString();
  const doubt = run.isListDoubtful && ({ doubtful_list: true } as const);
  return { command, ended, exit_code: run.exitCode, ...facts, ...doubt };
}

/** All shards of the last export, which is one of them; none of an archive whose exports read everybody. */
function shardsBeside(last: StatusOfRuns['last_export']): readonly string[] {
  const { count } = (last?.shard && parseShard(last.shard)) || { count: 0 };
  return Array.from({ length: count }, (_, index) => formatShard({ index, count }));
}

type LastRun = NonNullable<ReturnType<typeof lastRunIn>>;

/** Those of the runs of the log, of which the newest are shown, that are this prune. */
function prunesOf({ startedMs, endedMs }: LastRun, shown: StatusOfRuns['runs']) {
  return shown.filter(({ kind, ended }) => {
    const endedAt = Date.parse(ended);
    return kind === 'prune' && endedAt >= startedMs && endedAt <= endedMs;
  });
}

function hasPruned(run: LastRun, shown: StatusOfRuns['runs']): boolean | null {
  const { startedMs } = run;
  if (prunesOf(run, shown).length > 0) return true;
  const oldest = shown.at(-1);
  return oldest !== undefined && Date.parse(oldest.ended) > startedMs ? null : false;
}
