/** A difference between the archive and the service. */
import { type SessionId, type UserId } from '../model/ids.js';

export interface Difference {
  /**
   * - `service_only`: the archive lacks it
   * - `archive_only`: the service no longer has it
   * - `changed`: both have the job, with different contents
   * - `unread`: it could not be read from the service to its end
   */
  readonly kind: 'service_only' | 'archive_only' | 'changed' | 'unread';
  readonly user: UserId;
  /** Null for the whole user. */
  readonly session: SessionId | null;
  /** Null for the whole session. */
  readonly job: string | null;
  /** One short phrase for people. */
  readonly note: string;
}

export interface Comparison {
  /** People: two spellings that list the same session are one. */
  readonly users: number;
  /** Sessions of either side, each once of the spellings of a user. */
  readonly sessions: number;
  /** Jobs that both sides have with the same content. */
  readonly equalJobs: number;
  /** Ordered by user, session and job. */
  readonly differences: readonly Difference[];
}

/** Whether the archive may lack something. */
export function archiveIsBehind({ differences }: Comparison): boolean {
  return differences.some(({ kind }) => kind !== 'archive_only');
}
