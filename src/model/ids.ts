/** A string with a type of its own: a job id cannot be used as a session id. */
type Brand<Text extends string, Name extends string> = Text & { readonly __brand: Name };

/** The id of a user within the caller's organisation; chosen by the caller. */
export type UserId = Brand<string, 'UserId'>;
/** Unique within a project; given by the service. */
export type SessionId = Brand<string, 'SessionId'>;
/** Unique within its session; given by the service. */
export type JobId = Brand<string, 'JobId'>;
/** Unique within a project; given by the service. */
export type DatasetId = Brand<string, 'DatasetId'>;
/** One export run: a ULID. */
export type RunId = Brand<string, 'RunId'>;

export const asUserId = (text: string): UserId => text as UserId;
export const asSessionId = (text: string): SessionId => text as SessionId;
export const asJobId = (text: string): JobId => text as JobId;
export const asDatasetId = (text: string): DatasetId => text as DatasetId;
export const asRunId = (text: string): RunId => text as RunId;

/** The key of a user's session in maps and sets. */
export function sessionKey(user: string, session: string): string {
  return JSON.stringify([user, session]);
}

/**
 * An id as rows have it: where the service sent half of a surrogate pair, the log keeps it and rows have U+FFFD. Compare
 * an id of a row, or one that somebody has copied from a table, with this.
 */
export function rowId(id: string): string {
  return id.toWellFormed();
}

/** Stands in the log for the id of who was erased, and for a text that went with one (I-49, I-63). */
export const ERASED = '[erased]';
