/** A run on a queue that loses users: jobvault's own code says who is lost, and the queue is a set of names. */
import type { Archive } from '../../src/archive/archive.js';
import { forgetQueued, leaveUsers, openRuns } from '../../src/archive/runs/queued-runs.js';
import { ulid } from '../../src/base/ulid.js';
import { usersLost } from '../../src/fleet/lost-users.js';
import { asRunId } from '../../src/model/ids.js';
import { openedForRun, TOOL, type Surroundings } from './runs.js';

const QUEUE = 'queue';

/** @returns the run's name */
export function simulatedEnqueue(around: Surroundings, users: readonly string[]): Promise<string> {
  return inArchive(around, async ({ storage, log }) => {
    const { clock, random } = around.process;
    const run = ulid(clock, random);
    await leaveUsers(storage, ulid(clock, random), {
      run,
      queue: QUEUE,
      enqueued_at: new Date(clock.now()).toISOString(),
      expected: false,
      since: (await log.head())?.number ?? 0,
      doubtful_list: false,
      users,
    });
    return run;
  });
}

/**
 * Users of the run who are neither done nor on the queue, which is empty by now.
 *
 * @param settled users whose result the queue has
 */
export function simulatedLosses(
  around: Surroundings,
  run: string,
  settled: ReadonlySet<string>,
): Promise<string[]> {
  return inArchive(around, async (archive) => {
    const open = (await openRuns(archive)).find((known) => known.run === run);
    return open ? usersLost(open, new Set(), settled) : [];
  });
}

export function simulatedRunEnd(around: Surroundings, run: string): Promise<void> {
  return inArchive(around, async ({ storage, log }) => {
    const { clock, random } = around.process;
    const { number } = await log.append({
      kind: 'export',
      run: asRunId(ulid(clock, random)),
      checkpoint: 1,
      tool: TOOL,
      base: (await log.head())?.number ?? 0,
      scope: { queue: run, status: 'complete' },
    });
    await forgetQueued(storage, run, number);
  });
}

async function inArchive<T>(
  around: Surroundings,
  use: (archive: Archive) => Promise<T>,
): Promise<T> {
  try {
    return await use(await openedForRun(around));
  } finally {
    await around.storage.close();
  }
}
