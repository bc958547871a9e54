/** The interface of the fetcher that downloads the files of a job's blocks, and what a download can fail with. */
import type { FileContent } from '../flatten/file-facts.js';
import type { ArtifactStatus } from '../model/records.js';
import type { StagedObject } from '../storage/storage.js';

export interface ArtifactFetcher {
  /**
   * Settles one file: stored in a staged object, or lost with a reason. Throws only on an abort or a
   * storage failure.
   */
  fetch(request: FileRequest): Promise<FileOutcome>;

  /**
   * Resolves when another page may be read without its URLs expiring in the queue.
   *
   * @throws the signal's reason, when it is aborted
   */
  ready(signal?: AbortSignal): Promise<void>;

  readonly stats: FetchStats;
  close(): Promise<void>;
}

export interface FileRequest {
  /** The block's type: TABLE, IMAGE, CHART_INFO, … Determines the content that is expected. */
  readonly kind: string;
  readonly location: FileLocation;
  /**
   * Reads the history page again. Resolves with the file's fresh location, or with `undefined` if the
   * history no longer has it. Called each time the URL expires; files of one page may share a request.
   */
  refresh(signal?: AbortSignal): Promise<FileLocation | undefined>;
  readonly signal?: AbortSignal | undefined;
}

export interface FileLocation {
  /** As the service sent it: a URL, or a bare storage key. */
  readonly url: string;
  /** On the monotonic clock; null if unknown. See `file-settler.ts`. */
  readonly deadlineMs: number | null;
}

export type FileOutcome = StoredFile | LostFile;

export interface StoredFile extends FileContent {
  readonly status: 'stored';
  /** Closed, not yet published; the receiver publishes or discards it. */
  readonly staged: StagedObject;
  /** From a fixed list, by media type: `csv`, `png`, `bin`. */
  readonly extension: string;
  /** The text of the first 16 KB of a TABLE whose encoding is known. */
  readonly tableText: string | null;
}

export interface LostFile {
  readonly status: Exclude<ArtifactStatus, 'stored'>;
  /** One short sentence for people, without any query string. */
  readonly reason: string;
}

interface FetchStats {
  /** HTTP requests to file hosts, retries and redirects included. */
  readonly requests: number;
  readonly retries: number;
  readonly bytes: number;
}
