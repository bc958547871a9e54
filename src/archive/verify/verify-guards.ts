/** What protects the objects that commits name, in places that can: retention, and whether something hides one. */
import type { ObjectRetention } from '../../storage/guards.js';
import type { Storage } from '../../storage/storage.js';
import { concurrently } from '../../base/concurrently.js';
import {
  commitNumberOf,
  commitPath,
  COMMITS_PREFIX,
  CONTENT_PREFIXES,
  IDENTITY_PATH,
} from '../paths.js';
import type { LogFindings } from './verify-log.js';
import { sampledPaths } from './sample.js';
import type { Findings } from './findings.js';

export interface GuardsOptions {
  readonly storage: Storage;
  readonly concurrency: number;
  /** The share of files and artifacts that is asked after; undefined for all. */
  readonly sample: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RetentionReport {
  /** How many objects nobody can remove or alter. */
  readonly retained: number;
  /** When the first of them can be, in milliseconds since 1970 UTC. */
  readonly earliestEndMs: number;
  readonly modes: readonly string[];
  /** Those that carry none, although others do. Ordered. */
  readonly unprotected: readonly string[];
}

/** Null where nothing is retained, or nothing can be. */
export async function verifyGuards(
  options: GuardsOptions,
  log: LogFindings,
  findings: Findings,
): Promise<RetentionReport | null> {
  const { guards } = options.storage;
  if (!guards) return null;
  const named = namedPaths(log);
  for (const prefix of [COMMITS_PREFIX, ...CONTENT_PREFIXES]) {
    for await (const path of guards.hidden(prefix)) {
      options.signal?.throwIfAborted();
      // commits are never removed: one behind the newest may have been the newest
      if (!named.has(path) && commitNumberOf(path) === undefined) continue;
      const detail = 'is hidden by a delete marker: its last version can be had back';
      findings.add({ path, problem: 'hidden', detail });
    }
  }
  if (!(await guards.canRetain())) return null;
  const sampled = sampledPaths(options.sample, log);
  const asked = [...named].filter((path) => sampled?.has(path) !== false || isOfLog(path));
  const retentions = new Map<string, ObjectRetention | undefined>();
  await concurrently(asked, options.concurrency, async (path) => {
    options.signal?.throwIfAborted();
    retentions.set(path, await guards.retentionOf(path));
  });
  return summaryOf(retentions);
}

function namedPaths({ index, manifests, newest }: LogFindings): Set<string> {
  const { files, artifacts } = index.contents;
  const commits = Array.from({ length: newest }, (_, before) => commitPath(before + 1));
  return new Set([
    IDENTITY_PATH,
    ...commits,
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
