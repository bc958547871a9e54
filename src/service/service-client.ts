/** The service's interface, typed: twelve operations. */
import type { DatasetId, SessionId, UserId } from '../model/ids.js';
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
  /** Source: GET /v2/team/sessions/{id} */
  getSession(request: SessionRequest): Promise<Verbatim<SessionRecord>>;
  /** Returns the new session's id. Source: POST /v2/team/sessions */
  createSession(request: CreateSessionRequest): Promise<SessionId>;
  /** Source: POST /v2/team/sessions/{id} */
  modifySession(request: ModifySessionRequest): Promise<void>;
  /**
   * Deletes the session and its history for good, and tries again like any other operation. A caller that deletes
   * on the strength of a look uses `together`. Source: DELETE /v2/team/sessions/{id}
   */
  deleteSession(request: SessionRequest): Promise<void>;
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
   * Requests that belong together: of the `count` that are announced the last ones go out without a wait
   * between them, however low the rate, and each is sent exactly once.
   */
  together(count: number): Together;
  /** Milliseconds until a request that failed may be sent again, by the client's own rules; undefined: not at all. */
  waitAfter(error: unknown, progress: AttemptsSoFar): number | undefined;
  /** What was asked of the service so far, retries included. */
  readonly stats: RequestStats;
  /**
   * Milliseconds that our clock is ahead of the service's newest `Date` (negative: behind), at the least;
   * 0 where they agree, null where no answer had a `Date`.
   */
  readonly clockGapMs: number | null;
  close(): Promise<void>;
}

/** Nothing in it is tried again: a failure is for the caller, who looks again before the next attempt. */
export interface Together extends Pick<
  ServiceClient,
  'getSession' | 'getHistory' | 'deleteSession'
> {
  /** Requests that may still be sent without a wait. */
  readonly left: number;
  /** Lets others send again. Harmless when repeated. */
  close(): Promise<void>;
}

export interface AttemptsSoFar {
  /** Including the one that failed. */
  readonly attempts: number;
  /** Between them. */
  readonly waitedMs: number;
}

/** Every operation acts for a user and can be called off. */
export interface UserRequest {
  readonly userId: UserId;
  readonly signal?: AbortSignal | undefined;
}

export interface PageRequest extends UserRequest {
  /** From 1; the service's default is 1. */
  readonly pageNumber?: number | undefined;
  /** The service's default is 10; it may grant fewer than asked for. */
  readonly pageSize?: number | undefined;
}

export interface ListRequest extends PageRequest {
  /** At most 128 characters, a part of the name. */
  readonly search?: string | undefined;
  /** Requests for this operation, the first included; the client's own limit holds all the same. */
  readonly maxAttempts?: number | undefined;
}

export interface SessionRequest extends UserRequest {
  readonly sessionId: SessionId;
}

export interface HistoryRequest extends PageRequest {
  readonly sessionId: SessionId;
}

export interface SessionSettings {
  /** At most 128 characters. */
  readonly name: string;
  readonly outputLanguage?: string | undefined;
  readonly jobMode?: string | undefined;
  /** 0 to 10. */
  readonly maxContextualJobHistory?: number | undefined;
}

export interface CreateSessionRequest extends UserRequest, SessionSettings {
  readonly agentId?: string | undefined;
}

export interface ModifySessionRequest extends SessionRequest, SessionSettings {}

export interface DatasetRequest extends UserRequest {
  readonly datasetId: DatasetId;
}

export interface CreateDatasetRequest extends UserRequest {
  /** At most 128 characters. */
  readonly name: string;
  /** At most 5000 characters. */
  readonly description?: string | undefined;
}

export interface ModifyDatasetRequest extends DatasetRequest {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

export interface Page<T> {
  /** As asked for. */
  readonly pageNumber: number;
  /** As echoed: what the service grants. Where it echoes none, as asked for. */
  readonly pageSize: number;
  /** Whether the answer tells the page size. Default true. */
  readonly isSizeTold?: boolean | undefined;
  /** As sent; null where it is absent or no whole number. Never the sole bound of a loop. */
  readonly totalItems: number | null;
  /** Those that can be told apart by an id. */
  readonly records: readonly Verbatim<T>[];
  /** The others. */
  readonly unusable?: readonly UnusableRecord[] | undefined;
  /** Why this may be another page than the one asked for. */
  readonly fault?: string | undefined;
  readonly served: ServedAt;
}

/** What a page holds in the place of a record. */
export interface UnusableRecord {
  /** Among all that the page holds, from 0. */
  readonly index: number;
  /** Follows "record 3 of page 1": `has no usable id`. */
  readonly reason: string;
}

/** When an answer was made, by two clocks: URLs in it live from here on. */
export interface ServedAt {
  /** Our monotonic clock when the request that was answered went out: never later than the answer. */
  readonly sentAtMonotonicMs: number;
  /** The answer's own `Date` header in milliseconds since 1970, whole seconds; null without one. */
  readonly dateMs: number | null;
}

/** Counts since the client was made. */
export interface RequestStats {
  readonly requests: number;
  readonly retries: number;
  readonly rateLimited: number;
}
