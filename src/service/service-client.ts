/** The service's interface, typed: twelve operations. */
import type { DatasetId, SessionId, UserId } from '../model/ids.js';
import type { InputOf } from '../model/operations.js';
import type {
  DatasetOverview,
  DatasetRecord,
  DatasetStatus,
  JobRecord,
  SessionRecord,
  Verbatim,
} from '../model/records.js';

export interface ServiceClient {
  /** The sessions that the user created, one page. Source: GET /v2/team/sessions */
  listSessions(request: ListRequest): Promise<Page<SessionRecord>>;
  /** Asked for once more if a cache answers. Source: GET /v2/team/sessions/{id} */
  getSession(request: SessionRequest): Promise<ServedRecord<SessionRecord>>;
  /** Returns the new session's id. Source: POST /v2/team/sessions */
  createSession(request: CreateSessionRequest): Promise<SessionId>;
  /** Source: POST /v2/team/sessions/{id} */
  modifySession(request: ModifySessionRequest): Promise<void>;
  /**
   * Deletes the session and its history for good, with retries like any other operation. A caller that checks the
   * session before deleting it uses `together`. The client knows no holds. Source: DELETE /v2/team/sessions/{id}
   */
  deleteSession(request: DeletionRequest): Promise<void>;
  /** One page of a session's jobs. Source: GET /v2/team/sessions/{id}/history */
  getHistory(request: HistoryRequest): Promise<Page<JobRecord>>;

  /** The project's datasets, one page. Source: GET /v2/team/datasets */
  listDatasets(request: ListRequest): Promise<Page<DatasetRecord>>;
  /** Source: GET /v2/team/datasets/{id}/overview; its envelope nests the code */
  getDatasetOverview(request: DatasetRequest): Promise<Verbatim<DatasetOverview>>;
  /** Source: GET /v2/team/datasets/{id}/status */
  getDatasetStatus(request: DatasetRequest): Promise<DatasetStatus>;
  /** Returns the new dataset's id. Source: POST /v2/team/datasets */
  createDataset(request: CreateDatasetRequest): Promise<DatasetId>;
  /** At least one of name and description. Source: POST /v2/team/datasets/{id} */
  modifyDataset(request: ModifyDatasetRequest): Promise<void>;
  /** Deletes the dataset and all its data sources for good. Source: DELETE /v2/team/datasets/{id} */
  deleteDataset(request: DatasetRequest): Promise<void>;

  /**
   * Requests that belong together: the last ones of the announced `count` are sent without a wait between them,
   * at any rate, and none is retried; a session that a cache answers is asked for once more, which counts.
   */
  together(count: number): RequestBatch;
  /** Milliseconds until a failed request may be sent again, by the client's rules; undefined: never. */
  waitAfter(error: unknown, progress: AttemptsSoFar): number | undefined;
  /** The requests so far, retries included. */
  readonly stats: RequestStats;
  /**
   * The least number of milliseconds that our clock is ahead of the service's `Date` (negative: behind), of all
   * answers so far the one that differs most; 0 if all agree, null if none had a `Date`.
   */
  readonly clockGapMs: number | null;
  close(): Promise<void>;
}

/** Requests without retries: after a failure the caller checks again before the next attempt. */
export interface RequestBatch extends Pick<
  ServiceClient,
  'getSession' | 'getHistory' | 'deleteSession'
> {
  /** Requests that may still be sent without a wait. */
  readonly remaining: number;
  /** Ends the group, so that other requests may be sent. Safe to repeat. */
  close(): Promise<void>;
}

export interface AttemptsSoFar {
  /** Attempts, including the failed one. */
  readonly attempts: number;
  /** Total wait between them. */
  readonly waitedMs: number;
}

/** Every operation acts for a user and can be aborted. */
export interface UserRequest {
  readonly userId: UserId;
  readonly signal?: AbortSignal | undefined;
}

export type PageRequest = UserRequest & InputOf<'getHistory'>;

export type ListRequest = UserRequest &
  InputOf<'listSessions'> & {
    /** Requests for this operation, the first included; the client's own limit holds all the same. */
    readonly maxAttempts?: number | undefined;
  };

export interface SessionRequest extends UserRequest {
  readonly sessionId: SessionId;
}

export interface DeletionRequest extends SessionRequest {
  /**
   * Asked each time a connection is there, right before the request is written to it. True: it is not sent, and the
   * call fails with an `UnreachableError`. Connecting may take long, and what was checked before is older then.
   */
  readonly isTooLate?: (() => boolean) | undefined;
  /** Called where it was not too late: from now on bytes may go. */
  readonly onRequestStart?: (() => void) | undefined;
}

export type HistoryRequest = SessionRequest & PageRequest;

export type CreateSessionRequest = UserRequest & InputOf<'createSession'>;

export type ModifySessionRequest = SessionRequest & InputOf<'modifySession'>;

export interface DatasetRequest extends UserRequest {
  readonly datasetId: DatasetId;
}

export type CreateDatasetRequest = UserRequest & InputOf<'createDataset'>;

export type ModifyDatasetRequest = DatasetRequest & InputOf<'modifyDataset'>;

export interface ServedRecord<T> extends Verbatim<T> {
  readonly served: ServedAt;
}

export interface Page<T> {
  /** The requested page number. */
  readonly pageNumber: number;
  /** The granted page size from the answer; without one, the requested size. */
  readonly pageSize: number;
  /** Whether the answer has a page size. Default true. */
  readonly isSizeStated?: boolean | undefined;
  /** As sent; null if it is absent or not a whole number. Must not be the only bound of a loop. */
  readonly totalItems: number | null;
  /** Records with a usable id. */
  readonly records: readonly Verbatim<T>[];
  /** The other entries. */
  readonly unusable?: readonly UnusableRecord[] | undefined;
  /** Why this may not be the requested page. */
  readonly fault?: string | undefined;
  readonly served: ServedAt;
}

/** An entry of a page that is not a usable record. */
export interface UnusableRecord {
  /** Its index in the page, from 0. */
  readonly index: number;
  /** Follows "record 3 of page 1": `has no usable id`. */
  readonly reason: string;
}

/** When an answer was made, by two clocks; the lifetime of its URLs begins then. */
export interface ServedAt {
  /** Our monotonic clock when the request was sent: never later than the answer was made. */
  readonly sentAtMonotonicMs: number;
  /** The answer's own `Date` header in milliseconds since 1970, whole seconds; null without one. */
  readonly dateMs: number | null;
  /** The header that says that a cache gave the answer from its memory, as in `Age: 12`; absent if nothing says so. */
  readonly stale?: string | undefined;
}

/** Counts since the client was made. */
export interface RequestStats {
  readonly requests: number;
  readonly retries: number;
  readonly rateLimited: number;
  /** Answers that a cache gave from its memory. */
  readonly stale: number;
  /** The first header that said so: `Age: 12`; null without one. */
  readonly staleBecause: string | null;
}
