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
  /** Who did it, as the log names them: of holds, of a floor, of a step of a request (of a new one who asked for it), of an erasure. Empty of any other run. */
  readonly by: readonly string[];
  /** The outcome of a drill; null of any other run. */
  readonly drill: Pick<DrillEntry, 'sample' | 'sessions' | 'differences'> | null;
}

export type RequestStep =
  'opened' | 'search' | 'pack' | 'workbook' | 'report' | 'copy' | 'decision' | 'closed';

/** @param archive its index must be up to date */
export async function changesOf(
  { run, kind, commits }: RunStatus,
  { index, log }: Archive,
): Promise<RunChanges> {
  const { requests, holds, erasures } = index;
  const isOfRun = (commit: number | undefined): boolean =>
    commit !== undefined && commit >= commits[0] && commit <= commits[1];
  const set = holds.filter(({ commit }) => isOfRun(commit));
  const released = holds.filter(({ release }) => isOfRun(release?.commit));
  // what was made for a request tells the time of its commit, and not its number
  const times = new Set(
    [...index.commits].flatMap(({ number, counts }) => (isOfRun(number) ? [counts.at] : [])),
  );
  const found =
    kind === 'request' || kind === 'work'
      ? requestIn(requests, isOfRun, ({ at }) => times.has(at))
      : undefined;
  const eraser =
    kind === 'erase' ? await eraserIn(log, { run, erasures: erasures.filter(isOfRun) }) : null;
  const by = [
    ...(found ? [found.by] : []),
    ...set.map((hold) => hold.set_by ?? hold.by),
    ...released.flatMap(({ release }) => release?.by ?? []),
    ...(kind === 'retention' ? await floorSettersIn(log, commits) : []),
    ...(eraser === null ? [] : [eraser]),
  ];
  return {
    request: found?.request ?? null,
    holds_set: set.length,
    holds_released: released.length,
    drill: kind === 'drill' ? await drillIn(log, commits) : null,
    by: [...new Set(by)],
  };
}

async function floorSettersIn(
  log: Archive['log'],
  [first, last]: RunStatus['commits'],
): Promise<string[]> {
  const setters: string[] = [];
  for (let number = first; number <= last; number++) {
    const { retention } = await log.read(number);
    if (retention) setters.push(retention.by);
  }
  return setters;
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
  isOfTime: (made: { readonly at: string }) => boolean,
): { readonly request: NonNullable<RunChanges['request']>; readonly by: string } | undefined {
  for (const record of requests) {
    const { name, commit, closed, packs, searches, decisions } = record;
    const stepOf = (step: RequestStep, { by }: { readonly by: string }) => ({
      request: { name, step },
      by,
    });
    if (isOfRun(commit)) return stepOf('opened', record);
    if (closed && isOfRun(closed.commit)) return stepOf('closed', closed);
    const pack = packs.find(isOfTime);
    if (pack) return stepOf(pack.form ?? 'pack', pack);
    const search = searches.find(isOfTime);
    if (search) return stepOf('search', search);
    const decision = decisions.find(isOfTime);
    if (decision) return stepOf('decision', decision);
  }
  return undefined;
}
