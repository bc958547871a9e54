/**
 * Settles the files of one session's jobs, before their URLs expire. A URL is downloaded once, however many places point to
 * it, unless as many others as are remembered came since.
 */
import type { Clock } from '../base/runtime.js';
import type { ArtifactFetcher, StoredFile } from './artifact-fetcher.js';
import { shapeOf, type FileShape, isFileShape } from '../model/blocks/block-types.js';
import { placeKey, type FileReference } from '../flatten/file-references.js';
import { type FileFacts, type StoredFacts } from '../flatten/file-facts.js';
import { downloadKey } from '../model/urls/file-url.js';
import type { JobRecord } from '../model/records.js';
import type { PlacedRecord } from '../service/page-reader.js';
import type { LiveHistory } from './live-history.js';
import { sameFile } from './live-history.js';
import { fileLocation } from './url-deadline.js';

export interface FileSettlerOptions {
  readonly fetcher: ArtifactFetcher;
  /** Takes over the downloaded file. */
  readonly accept: (file: StoredFile) => Promise<StoredFacts>;
  readonly history: LiveHistory;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/** More than the files of the two pages that are in memory at a time. */
const MOST_REMEMBERED = 4000;

export class FileSettler {
  readonly #settled = new Map<string, Promise<FileFacts>>();

  constructor(readonly options: FileSettlerOptions) {}

  /**
   * The outcome of each file, by place.
   *
   * @param references to files of the job's record
   * @throws only what ends the run: an abort, or a storage failure
   */
  async settle(
    item: PlacedRecord<JobRecord>,
    references: readonly FileReference[],
  ): Promise<Map<string, FileFacts>> {
    const facts = await Promise.all(
      references.map(async (reference) => {
        return [placeKey(reference), await this.#once(item, reference)] as const;
      }),
    );
    return new Map(facts);
  }

  #once(item: PlacedRecord<JobRecord>, reference: FileReference): Promise<FileFacts> {
    if (reference.unfetched !== null) {
      return Promise.resolve({ status: 'not_fetched', reason: reference.unfetched });
    }
    if (reference.url === null) {
      return Promise.resolve({ status: 'unresolved', reason: 'the block holds no URL' });
    }
    const key = JSON.stringify([expectedKind(reference), downloadKey(reference.url)]);
    const known = this.#settled.get(key);
    if (known) return known;
    const settled = this.#fetch(item, reference, reference.url).then((facts) => {
      // a lost file may be tried again, from a newer record
      if (facts.status !== 'stored') this.#settled.delete(key);
      return facts;
    });
    this.#settled.set(key, settled);
    const [oldest] = this.#settled.size > MOST_REMEMBERED ? this.#settled.keys() : [];
    if (oldest !== undefined) this.#settled.delete(oldest);
    return settled;
  }

  async #fetch(
    item: PlacedRecord<JobRecord>,
    reference: FileReference,
    url: string,
  ): Promise<FileFacts> {
    const { fetcher, history, accept, clock, signal } = this.options;
    let current = item;
    const outcome = await fetcher.fetch({
      kind: expectedKind(reference),
      location: fileLocation(url, reference.expiresAt, item.served, clock),
      refresh: async () => {
        const fresh = await history.refresh(current);
        if (!fresh) return undefined;
        current = fresh;
        const file = sameFile(fresh.record, reference);
        return file?.url == null
          ? undefined
          : fileLocation(file.url, file.expiresAt, fresh.served, clock);
      },
      signal,
    });
    return outcome.status === 'stored'
      ? { status: 'stored', reason: null, stored: await accept(outcome) }
      : { status: outcome.status, reason: outcome.reason };
  }
}

const EXPECTED_KINDS: Readonly<Record<FileShape, string>> = { table: 'TABLE', image: 'IMAGE' };

/** The kind of content that is expected: of a file in a block by its shape. An image in Markdown is an image like any other. */
function expectedKind({ kind }: FileReference): string {
  const shape = shapeOf(kind);
  if (isFileShape(shape)) return EXPECTED_KINDS[shape];
  return kind === 'MARKDOWN_IMAGE' ? EXPECTED_KINDS.image : kind;
}
