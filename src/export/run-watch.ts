/** What a run does before its first file and after its last: shows that it lives, and tidies up after the dead. */
import { buryDeadRuns } from '../archive/runs/dead-runs.js';
import { acquireLease, type Lease } from '../archive/runs/lease.js';
import { runLeasePath } from '../archive/paths.js';
import { messageOf } from '../base/error.js';
import type { RunId } from '../model/ids.js';
import { finishErasures } from '../rewrite/erasure/finish-erasure.js';
import type { ExportOptions } from './export-options.js';
import { failureOf } from './jobs/gap.js';

export interface RunWatch {
  /** Commits that the run has made already: the one that abandons the dead. */
  readonly commits: readonly number[];
  /** When nothing of the run is under way any more. Never fails. */
  end(): Promise<void>;
}

/**
 * None of it is needed for a run to be right: trouble with the storage is only told.
 *
 * @throws {IntegrityError} the log is damaged
 */
export async function beginRun(
  options: Pick<ExportOptions, 'archive' | 'leases' | 'clock' | 'random' | 'logger' | 'tool'>,
  run: RunId,
): Promise<RunWatch> {
  const { archive, leases, clock, random, logger, tool } = options;
  const { storage } = archive;
  const { processes } = leases;
  let lease: Lease | undefined;
  const commits: number[] = [];
  try {
    const swept = await storage.sweep();
    if (swept > 0) logger.info({ files: swept }, 'removed what broken-off runs had staged');
    lease = await acquireLease({
      storage,
      path: runLeasePath(run),
      run,
      clock,
      random,
      logger,
      ...leases,
      subject: `run ${run}`,
      patience: 'none',
    });
    const buried = await buryDeadRuns({
      archive,
      run,
      tool,
      processes,
      clock,
      logger,
      finishErasures,
    });
    commits.push(...buried.commits);
  } catch (error) {
    if (failureOf(error) !== 'storage') {
      await lease?.release();
      throw error;
    }
    logger.warn({ reason: messageOf(error) }, 'cannot tidy up after runs that died');
  }
  return { commits, end: async () => lease?.release() };
}
