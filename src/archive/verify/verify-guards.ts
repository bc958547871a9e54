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
import type { NamedArtifacts } from '../objects/named-artifacts.js';
import type { IsChosen } from './chosen-files.js';
import type { LogFindings } from './verify-log.js';
import { type Findings } from './findings.js';
import { HIDDEN } from '../log/commit-log.js';

export interface GuardsOptions extends StorageReading {
  readonly concurrency: number;
  readonly artifacts: NamedArtifacts;
  /** The files and artifacts that are checked; undefined for all. */
  readonly chosen: IsChosen | undefined;
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
  const { artifacts, signal } = options;
  const ofLog = new Set([IDENTITY_PATH, ...log.numbers.map(commitPath), ...log.manifests.keys()]);
  const { files } = log.index.contents;
  for (const prefix of [COMMITS_PREFIX, ...CONTENT_PREFIXES]) {
    for await (const { artifact, object } of artifacts.beside(guards.hidden(prefix))) {
      signal?.throwIfAborted();
      if (!object) continue;
      const { path } = object;
      const isNamed = artifact !== undefined || ofLog.has(path) || files.has(path);
      // a hidden commit is a problem even if no commit names it: commits are never removed
      if (!isNamed && commitNumberOf(path) === undefined) continue;
      findings.add({ path, problem: 'hidden', detail: HIDDEN });
    }
  }
  if (!(await guards.canRetain())) return null;
  const summary = new RetentionSummary();
  async function* asked(): AsyncGenerator<string> {
    const isChosen = options.chosen ?? (() => true);
    yield* ofLog;
    for (const file of files.values()) if (isChosen(file)) yield file.path;
    for await (const artifact of artifacts) if (isChosen(artifact)) yield artifact.path;
  }
  await concurrently(asked(), options.concurrency, async (path) => {
    signal?.throwIfAborted();
    summary.add(path, await guards.retentionOf(path));
  });
  return summary.report;
}

class RetentionSummary {
  #retained = 0;
  #earliestEndMs = Infinity;
  readonly #modes = new Set<string>();
  readonly #unprotected: string[] = [];

  add(path: string, retention: ObjectRetention | undefined): void {
    if (!retention) {
      this.#unprotected.push(path);
      return;
    }
    this.#retained++;
    this.#earliestEndMs = Math.min(this.#earliestEndMs, retention.untilMs);
    this.#modes.add(retention.mode);
  }

  /** Null if no object is retained. */
  get report(): RetentionReport | null {
    if (this.#retained === 0) return null;
    return {
      retained: this.#retained,
      earliestEndMs: this.#earliestEndMs,
      modes: [...this.#modes].sort(),
      unprotected: this.#unprotected.sort(),
    };
  }
}
