/** Settles the files of one session's jobs: each downloaded once, whatever number of blocks point to it. */
import type { ArtifactFetcher, FileLocation } from '../artifacts/artifact-fetcher.js';
import { deadlineOf } from '../artifacts/deadline.js';
import type { Clock } from '../base/clock.js';
import type { FileFacts } from '../flatten/file-facts.js';
import { fileReferences, type FileReference } from '../flatten/file-references.js';
import { blocksOf } from '../flatten/job-blocks.js';
import { unsignedUrl } from '../model/signed-url.js';
import type { ServedAt } from '../service/service-client.js';
import type { ArtifactPool } from './artifact-pool.js';
import { sameFile, type LiveHistory, type LiveRecord } from './live-history.js';

export interface FileSettlerOptions {
  readonly fetcher: ArtifactFetcher;
  readonly pool: ArtifactPool;
  readonly history: LiveHistory;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export class FileSettler {
  readonly #settled = new Map<string, Promise<FileFacts>>();

  constructor(readonly options: FileSettlerOptions) {}

  /**
   * By block index, what became of each file that the answer points to.
   *
   * @param only the blocks to settle; all by default
   * @throws only what ends the run: an abort, or a storage that fails
   */
  async settle(
    jobId: string,
    live: LiveRecord,
    only?: ReadonlySet<number>,
  ): Promise<Map<number, FileFacts>> {
    const references = fileReferences(blocksOf(live.record)).filter(
      ({ blockIndex }) => only?.has(blockIndex) ?? true,
    );
    const facts = await Promise.all(
      references.map(async (reference) => {
        return [reference.blockIndex, await this.#once(jobId, live, reference)] as const;
      }),
    );
    return new Map(facts);
  }

  #once(jobId: string, live: LiveRecord, reference: FileReference): Promise<FileFacts> {
    if (reference.url === null) {
      return Promise.resolve({ status: 'unresolved', reason: 'the block holds no URL' });
    }
    const key = unsignedUrl(reference.url);
    const known = this.#settled.get(key);
    if (known) return known;
    const settled = this.#fetch(jobId, live, reference, reference.url).then((facts) => {
      // what was lost may be tried again, from a newer record
      if (facts.status !== 'stored') this.#settled.delete(key);
      return facts;
    });
    this.#settled.set(key, settled);
    return settled;
  }

  async #fetch(
    jobId: string,
    live: LiveRecord,
    reference: FileReference,
    url: string,
  ): Promise<FileFacts> {
    const { fetcher, history, pool, signal } = this.options;
    let current = live;
    const outcome = await fetcher.fetch({
      kind: reference.kind,
      location: this.#location(url, reference.expiresAt, live.served),
      refresh: async () => {
        const fresh = await history.refresh(jobId, current);
        if (!fresh) return undefined;
        current = fresh;
        const file = sameFile(fresh, reference);
        return file?.url == null
          ? undefined
          : this.#location(file.url, file.expiresAt, fresh.served);
      },
      signal,
    });
    return outcome.status === 'stored'
      ? { status: 'stored', reason: null, stored: await pool.accept(outcome) }
      : { status: outcome.status, reason: outcome.reason };
  }

  #location(url: string, expiresAt: bigint | null, served: ServedAt): FileLocation {
    const { clock } = this.options;
    return {
      url,
      deadlineMs: deadlineOf({
        url,
        expiresAtMicros: expiresAt,
        served,
        nowMs: clock.now(),
        nowMonotonicMs: clock.monotonic(),
      }),
    };
  }
}
