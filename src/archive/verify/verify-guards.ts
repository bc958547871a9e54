/** Checks object lock and delete markers of the named objects, in storages that have them. */
import type { StorageReading, ObjectRetention } from '../../storage/storage.js';
import { concurrently } from '../../base/concurrently.js';
import {
  commitPath,
  commitNumberOf,
  COMMITS_PREFIX,
  CONTENT_PREFIXES,
  IDENTITY_PATH,
} from '../paths.js';
import type { LogFindings } from './verify-log.js';
import { type Findings } from './findings.js';
import { HIDDEN } from '../log/commit-log.js';

export interface GuardsOptions extends StorageReading {
  readonly concurrency: number;
  /** The files and artifacts that are checked; undefined for all. */
  readonly chosen: ReadonlySet<string> | undefined;
}

export interface RetentionReport {
  /** Objects under retention: nobody can remove or change them. */
  readonly retained: number;
  /** When the first retention ends, in milliseconds since 1970 UTC. */
  readonly earliestEndMs: number;
  readonly modes: readonly string[];
  /** Objects without retention, although others have it. Ordered. */
  readonly unprotected: readonly string[];
}

/** Null if no object is retained, or the storage has no retention. */
export async function verifyGuards(
  options: GuardsOptions,
  log: LogFindings,
  findings: Findings,
): Promise<RetentionReport | null> {
  const { guards } = options.storage;
  if (!guards) return null;
  const named = namedPaths(log);
  for (const prefix of [COMMITS_PREFIX, ...CONTENT_PREFIXES]) {
    for await (const { path } of guards.hidden(prefix)) {
      options.signal?.throwIfAborted();
      // a hidden commit is a problem even if no commit names it: commits are never removed
      if (!named.has(path) && commitNumberOf(path) === undefined) continue;
      findings.add({ path, problem: 'hidden', detail: HIDDEN });
    }
  }
  if (!(await guards.canRetain())) return null;
  const asked = [...named].filter((path) => options.chosen?.has(path) !== false || isOfLog(path));
  const retentions = new Map<string, ObjectRetention | undefined>();
  await concurrently(asked, options.concurrency, async (path) => {
    options.signal?.throwIfAborted();
    retentions.set(path, await guards.retentionOf(path));
  });
  return summaryOf(retentions);
}

function namedPaths({ index, manifests, numbers }: LogFindings): Set<string> {
  const { files, artifacts } = index.contents;
  return new Set([
    IDENTITY_PATH,
    ...numbers.map(commitPath),
    ...manifests.keys(),
    ...files.keys(),
    ...artifacts.keys(),
  ]);
}

function isOfLog(path: string): boolean {
  return path === IDENTITY_PATH || path.startsWith(COMMITS_PREFIX);
}

function summaryOf(
  retentions: ReadonlyMap<string, ObjectRetention | undefined>,
): RetentionReport | null {
  const retained = [...retentions.values()].filter((retention) => retention !== undefined);
  if (retained.length === 0) return null;
  return {
    retained: retained.length,
    earliestEndMs: retained.reduce((least, { untilMs }) => Math.min(least, untilMs), Infinity),
    modes: [...new Set(retained.map(({ mode }) => mode))].sort(),
    unprotected: [...retentions.keys()].filter((path) => !retentions.get(path)).sort(),
  };
}
