/** What a run did that archived nothing: a step of a request, holds. */
import type { Archive } from '../archive/archive.js';
import type { DrillEntry, RetentionEntry } from '../archive/log/commit.js';
import type { RequestRecord } from '../archive/log/request-history.js';
import type { RunStatus } from '../archive/state/run-history.js';

export interface RunChanges {
  /** The request that it is about, and what was recorded of it; null of any other run. */
  readonly request: { readonly name: string; readonly step: RequestStep } | null;
  readonly holds_set: number;
  readonly holds_released: number;
  /** Who did it, as the log names them: of holds, of a floor, of a step of a request (of a new one who asked for it), of an erasure, of what was accepted, of whom exports skip. Empty of any other run. */
  readonly by: readonly string[];
  /** The outcome of a drill; null of any other run. */
  readonly drill: Pick<DrillEntry, 'sample' | 'sessions' | 'differences'> | null;
  /** How long everything is kept at least since then, and was before; 0 and null: no floor. Null of any other run. */
  readonly retention: { readonly min_ms: number; readonly before_ms: number | null } | null;
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
  const floors = kind === 'retention' ? await floorsIn(log, commits) : [];
  const by = [
    ...(found ? [found.by] : []),
    ...set.map((hold) => hold.set_by ?? hold.by),
    ...released.flatMap(({ release }) => release?.by ?? []),
    ...floors.map((floor) => floor.by),
    ...(kind === 'accept' || kind === 'suppress' ? await namedIn(log, commits) : []),
    ...(eraser === null ? [] : [eraser]),
  ];
  return {
    request: found?.request ?? null,
    holds_set: set.length,
    holds_released: released.length,
    drill: kind === 'drill' ? await drillIn(log, commits) : null,
    retention: await changeOf(floors, { index, log }, commits),
    by: [...new Set(by)],
  };
}

/** Who accepted gaps or images, or said whom exports skip, or withdrew that: the index has only what is in force. */
async function namedIn(
  log: Archive['log'],
  [first, last]: RunStatus['commits'],
): Promise<string[]> {
  const by: string[] = [];
  for (let number = first; number <= last; number++) {
    const {
      accepted = [],
      accepted_images: images = [],
      suppressions = [],
    } = await log.read(number);
    by.push(
      ...[...accepted, ...images, ...suppressions].flatMap(
        (entry) => ('by' in entry && entry.by) || [],
      ),
    );
  }
  return by;
}

async function floorsIn(
  log: Archive['log'],
  [first, last]: RunStatus['commits'],
): Promise<RetentionEntry[]> {
  const floors: RetentionEntry[] = [];
  for (let number = first; number <= last; number++) {
    const { retention } = await log.read(number);
    if (retention) floors.push(retention);
  }
  return floors;
}

/** @param floors those of the run */
async function changeOf(
  floors: readonly RetentionEntry[],
  { index, log }: Pick<Archive, 'index' | 'log'>,
  [first]: RunStatus['commits'],
): Promise<RunChanges['retention']> {
  const set = floors.at(-1);
  if (!set) return null;
  const earlier = [...index.commits].findLast(
    ({ kind, number }) => kind === 'retention' && number < first,
  );
  const before = earlier && (await log.read(earlier.number)).retention;
  return { min_ms: set.min_ms, before_ms: before?.min_ms ?? null };
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
