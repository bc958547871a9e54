/** The interface of the fetcher that downloads the files of a job's blocks, and what a download can fail with. */
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

export interface StoredFile {
  readonly status: 'stored';
  /** Closed, not yet published; the receiver publishes or discards it. */
  readonly staged: StagedObject;
  readonly sha256: string;
  readonly bytes: number;
  /** Sniffed from the bytes, never from the name: `text/csv`, `image/png`, `application/octet-stream`. */
  readonly mediaType: string;
  /** From a fixed list, by media type: `csv`, `png`, `bin`. */
  readonly extension: string;
  /** The name that the host gave it (Content-Disposition); null without one. */
  readonly sentName: string | null;
  /** Why its content is doubtful, in a few words; null if it is not. */
  readonly suspicious: string | null;
  /** The records of a CSV after the heading. */
  readonly rowCount: number | null;
  readonly columnCount: number | null;
  /** The size of an image in pixels. */
  readonly width: number | null;
  readonly height: number | null;
  /** The encoding of a TABLE that is a text, or `unknown`; what separates its cells; the line of its heading, from 1. */
  readonly encoding: string | null;
  readonly separator: string | null;
  readonly headingLine: number | null;
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
