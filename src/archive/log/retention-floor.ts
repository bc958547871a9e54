/** How long the archive keeps everything at least, as the log says it. */
import type { RetentionEntry } from './commit.js';

/** The floor as of a commit; a later one replaces it, and the log has all. */
export interface RetentionFloor extends RetentionEntry {
  /** When it was set; ISO 8601. */
  readonly since: string;
  /** Number of the commit that set it. */
  readonly commit: number;
}
