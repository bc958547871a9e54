/** What a run did that archived nothing: a step of a request, holds. */
import type { Archive } from '../archive/archive.js';
import type { DrillEntry } from '../archive/log/commit.js';
import type { RequestRecord } from '../archive/log/request-history.js';
import type { RunStatus } from '../archive/state/run-history.js';

export interface RunChanges {
  /** The request that it is about, and what was recorded of it; null of any other run. */
  readonly request: { readonly name: string; readonly step: RequestStep } | null;
  readonly holds_set: number;
  readonly holds_released: number;
  /** The person whom the receipt of an erasure names; null of nobody, and of any other run. */
  readonly erased_by: string | null;
  /** The outcome of a drill; null of any other run. */
  readonly drill: Pick<DrillEntry, 'sample' | 'sessions' | 'differences'> | null;
}

export type RequestStep = 'opened' | 'search' | 'pack' | 'workbook' | 'report' | 'copy' | 'closed';

/** @param archive its index must be up to date */
export async function changesOf(
  { run, kind, commits }: RunStatus,
  { index, log }: Archive,
): Promise<RunChanges> {
  const { requests, holds, erasures } = index;
  const isOfRun = (commit: number | undefined): boolean =>
    commit !== undefined && commit >= commits[0] && commit <= commits[1];
  return {
    request:
      kind === 'request' || kind === 'work'
        ? requestIn(requests, isOfRun, index.commit(commits[0])?.counts.at)
        : null,
    holds_set: holds.filter(({ commit }) => isOfRun(commit)).length,
    holds_released: holds.filter(({ release }) => isOfRun(release?.commit)).length,
    drill: kind === 'drill' ? await drillIn(log, commits) : null,
    erased_by:
      kind === 'erase' ? await eraserIn(log, { run, erasures: erasures.filter(isOfRun) }) : null,
  };
}

async function drillIn(
  log: Archive['log'],
  [first, last]: RunStatus['commits'],
): Promise<RunChanges['drill']> {
  for (let number = last; number >= first; number--) {
    const { drill } = await log.read(number);
    if (!drill) continue;
    const { sample, sessions, differences } = drill;
    return { sample, sessions, differences };
  }
  return null;
}

/** Only the receipt itself names who erased. */
async function eraserIn(
  log: Archive['log'],
  { run, erasures }: Pick<RunStatus, 'run'> & { readonly erasures: readonly number[] },
): Promise<string | null> {
  for (const number of erasures) {
    const { erasure } = await log.read(number);
    if (erasure?.stage === 'begun' && erasure.id === run) return erasure.by ?? null;
  }
  return null;
}

function requestIn(
  requests: readonly RequestRecord[],
  isOfRun: (commit: number | undefined) => boolean,
  committedAt: string | undefined,
): RunChanges['request'] {
  for (const { name, commit, closed, packs, searches } of requests) {
    if (isOfRun(commit)) return { name, step: 'opened' };
    if (isOfRun(closed?.commit)) return { name, step: 'closed' };
    // what was made for a request tells the time of its commit, and not its number
    const pack = packs.find(({ at }) => at === committedAt);
    if (pack) return { name, step: pack.form ?? 'pack' };
    if (searches.some(({ at }) => at === committedAt)) return { name, step: 'search' };
  }
  return null;
}
