/** The runs that a status tells of: the last ones in the log, and those that are at work. */
import type { Archive } from '../archive/archive.js';
import { leasedRuns } from '../archive/runs/lease.js';
import { isOfEverybody, newestRuns, type RunStatus } from '../archive/state/run-history.js';

export interface LeasedRunStatus {
  readonly run: string;
  /** Null where its lease cannot be read. */
  readonly host: string | null;
  readonly began: string | null;
  /** When it last renewed its lease, which it does three times a minute at least, or its last commit, if that is later. */
  readonly last_sign_of_life: string;
}

/** Runs that hold a lease, and those that died on this machine. */
export async function leasedRunStatuses(
  archive: Archive,
): Promise<{ readonly running: LeasedRunStatus[]; readonly died: LeasedRunStatus[] }> {
  const leased = await leasedRuns(archive);
  return {
    running: leased.filter(({ isDead }) => !isDead).map(statusIn(archive)),
    died: leased.filter(({ isDead }) => isDead).map(statusIn(archive)),
  };
}

type LeasedRun = Awaited<ReturnType<typeof leasedRuns>>[number];

function statusIn({ index }: Archive) {
  return ({ run, host, beganAtMs, renewedAtMs }: LeasedRun): LeasedRunStatus => {
    const inLog = [...newestRuns(index)].find((one) => one.run === run);
    const committedMs = inLog ? Date.parse(inLog.ended) : 0;
    return {
      run,
      host: host ?? null,
      began: beganAtMs === undefined ? null : new Date(beganAtMs).toISOString(),
      last_sign_of_life: new Date(Math.max(renewedAtMs, committedMs)).toISOString(),
    };
  };
}

export function newestOf(
  index: Archive['index'],
  most: number,
): {
  readonly runs: RunStatus[];
  readonly lastExport: RunStatus | null;
  readonly lastWorker: RunStatus | null;
} {
  const runs: RunStatus[] = [];
  let lastExport: RunStatus | null = null;
  let lastWorker: RunStatus | null = null;
  for (const run of newestRuns(index)) {
    if (runs.length < most) runs.push(run);
    if (run.kind === 'export' && run.users_to_read === null && run.users > 0 && !lastExport)
      lastWorker ??= run;
    if (isOfEverybody(run)) lastExport ??= run;
    if (runs.length === most && lastExport) break;
  }
  return { runs, lastExport, lastWorker };
}
