/** The context that all parts of a run share. */
import type { ArtifactFetcher } from '../artifacts/artifact-fetcher.js';
import type { SessionOwners } from '../archive/histories/session-owners.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { Tracer } from '../base/tracer.js';
import type { RunId } from '../model/ids.js';
import type { PageGrant } from '../service/page-grant.js';
import type { ServiceClient } from '../service/service-client.js';
import type { Checkpointer } from './checkpoint/checkpointer.js';
import type { ExportObserver } from './export-observer.js';
import type { ReadHistories } from './history/read-histories.js';
import type { CircuitBreaker } from './circuit-breaker.js';

export interface ExportRun {
  readonly runId: RunId;
  /** When the run began: every row's `exported_at`, in microseconds since 1970 UTC. */
  readonly exportedAt: bigint;
  readonly service: ServiceClient;
  readonly fetcher: ArtifactFetcher;
  readonly checkpointer: Checkpointer;
  /** One for session lists and one for histories: the service may grant different sizes. */
  readonly grants: { readonly sessions: PageGrant; readonly history: PageGrant };
  readonly settings: RunSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: ExportObserver;
  readonly tracer: Tracer;
  readonly failures: CircuitBreaker;
  /** What the run has read so far. */
  readonly histories: ReadHistories;
  /** Whose sessions the run has listed so far. */
  readonly owners: SessionOwners;
  /** Stops the run. */
  readonly signal: AbortSignal;
}

export interface RunSettings {
  /** Users of whom the service must have listed a session. */
  readonly expectedUsers?: Pick<ReadonlySet<string>, 'has'> | undefined;
  readonly full: boolean;
  readonly settleTimeMs: number;
  /** Only these sessions; all when empty. */
  readonly sessions: readonly string[];
  readonly search: string | undefined;
  /** Retry only sessions with gaps. */
  readonly retryGaps: boolean;
  /** Kinds of files whose gaps are accepted. */
  readonly acceptUnfetched?: ReadonlySet<string> | undefined;
  /** Whether the project's datasets are exported, too. */
  readonly withDatasets?: boolean | undefined;
}

/** Whether the run exports only some sessions of a user; then it cannot know which are gone. */
export function isNarrowed({ sessions, search }: RunSettings): boolean {
  return sessions.length > 0 || search !== undefined;
}
