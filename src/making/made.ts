/** What every product says of itself, a report, a workbook or a pack: programs get it, and the record of its request keeps it. */
import type { CommitRef } from '../archive/log/commit-log.js';
import type { Caveat } from '../archive/reading/caveats/caveat.js';
import type { Completeness } from '../archive/reading/caveats/completeness.js';
import type { SearchFacts } from '../search/search-facts.js';

export interface Made {
  readonly status: Completeness;
  /** What qualifies it, what is missing first. */
  readonly caveats: readonly Caveat[];
  readonly users: number;
  readonly sessions: number;
  readonly jobs: number;
  /** Stored tables and images, each file once. */
  readonly artifacts: number;
  /** The commit whose data it has; null of an empty log. */
  readonly head: CommitRef | null;
  /** Null where it has everything of its users or sessions. */
  readonly search: SearchFacts | null;
  /** The name of the request for which it was made; null of none. */
  readonly request: string | null;
  readonly bytes: number;
}
