/** A difference between the archive and the service. */
import type { SessionId, UserId } from '../model/ids.js';

export interface Difference {
  /**
   * - `service_only`: the archive lacks it
   * - `archive_only`: the service has it no longer
   * - `changed`: both have the job, with another content
   * - `unread`: the service could not be asked, or not be read to the end
   */
  readonly kind: 'service_only' | 'archive_only' | 'changed' | 'unread';
  readonly user: UserId;
  /** Null where the user as a whole is meant. */
  readonly session: SessionId | null;
  /** Null where the session as a whole is meant. */
  readonly job: string | null;
  /** One short phrase for people. */
  readonly note: string;
}

export interface Comparison {
  readonly users: number;
  /** Looked at on either side. */
  readonly sessions: number;
  /** Jobs that both sides have with the same content. */
  readonly equalJobs: number;
  /** Ordered by user, session and job. */
  readonly differences: readonly Difference[];
}

/** Whether the archive may lack something: what is only in the archive is no loss. */
export function archiveIsBehind({ differences }: Comparison): boolean {
  return differences.some(({ kind }) => kind !== 'archive_only');
}
