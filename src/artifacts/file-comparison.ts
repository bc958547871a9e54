/** Fetches the files of a job and compares them with the archived ones. */
import type { Clock } from '../base/runtime.js';
import type { ArtifactFetcher, StoredFile } from './artifact-fetcher.js';
import { fileReferences, placeKey } from '../flatten/file-references.js';
import { filesDigest } from '../flatten/file-facts.js';
import type { JobRecord } from '../model/records.js';
import type { PlacedRecord, PageReader } from '../service/page-reader.js';
import { LiveHistory } from './live-history.js';
import { FileSettler } from './file-settler.js';

export type FileVerdict =
  | { readonly kind: 'same' | 'other' }
  /** A file could not be fetched, so the answer is unknown. */
  | { readonly kind: 'unknown'; readonly reason: string };

export interface FileComparisonOptions {
  readonly fetcher: ArtifactFetcher;
  /** Reads the session's history again when URLs expire. */
  readonly reader: PageReader<JobRecord>;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/** Compares the files of one session's jobs. Nothing that is fetched is kept. */
export class FileComparison {
  readonly #history: LiveHistory;
  readonly #settler: FileSettler;

  constructor({ fetcher, reader, clock, signal }: FileComparisonOptions) {
    this.#history = new LiveHistory(reader);
    this.#settler = new FileSettler({
      fetcher,
      accept: discarded,
      history: this.#history,
      clock,
      signal,
    });
  }

  /** @param archived `filesDigest` of the job's stored files */
  async compare(item: PlacedRecord<JobRecord>, archived: string | null): Promise<FileVerdict> {
    this.#history.track(item);
    try {
      const references = fileReferences(item.record);
      const files = await this.#settler.settle(item, references);
      if (filesDigest(references, files) === archived) return { kind: 'same' };
      for (const reference of references) {
        const facts = files.get(placeKey(reference));
        if (facts?.status === 'stored' || facts?.status === 'not_fetched') continue;
        return { kind: 'unknown', reason: facts?.reason ?? 'its file was not settled' };
      }
      return { kind: 'other' };
    } finally {
      this.#history.release(item.id);
    }
  }
}

async function discarded({ staged, tableText, ...file }: StoredFile) {
  await staged.discard();
  return { ...file, hasTableText: tableText !== null, path: '' };
}
