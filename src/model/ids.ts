import type { Brand } from '../base/brand.js';

/** The caller's own identity of a person within its organisation; chosen by the caller. */
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

/** One text for a user and a session, for maps and sets. */
export function sessionKey(user: string, session: string): string {
  return JSON.stringify([user, session]);
}
