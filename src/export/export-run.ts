/** The context that all parts of a run share, and the events of its progress. */
import type { ArtifactFetcher } from '../artifacts/artifact-fetcher.js';
import type { SharedJobs } from '../archive/histories/shared-jobs.js';
import type { SessionOwners } from '../archive/histories/session-owners.js';
import type { ArchiveTask } from '../archive/archive.js';
import type { OpenDeletions } from '../archive/open-deletions.js';
import type { UserSpellings } from '../archive/reading/users/user-spellings.js';
import type { RunId } from '../model/ids.js';
import type { PageGrant } from '../service/page.js';
import type { ServiceClient } from '../service/service-client.js';
import type { Checkpointer } from './checkpoint/checkpointer.js';
import type { RunPart } from './export-summary.js';
import type { SameImages } from './jobs/same-images.js';
import type { ExportObserver } from './export-observer.js';
import type { UnfinishedUsers } from './run-tally.js';
import type { CircuitBreaker } from './circuit-breaker.js';

/** What asks the service for the sessions of users: a run, or a plan, which has no more. */
export interface ListingRun {
  readonly service: ServiceClient;
  /** One for session lists and one for histories: the service may grant different sizes. */
  readonly grants: { readonly sessions: PageGrant; readonly history: PageGrant };
  readonly settings: RunSettings;
  readonly openDeletions: OpenDeletions;
  /** Whether a listing has shown it, or somebody says so; see `projectOfKey`. */
  readonly isOfProject: boolean;
  readonly signal: AbortSignal;
}

export interface ExportRun extends ArchiveTask, ListingRun {
  readonly runId: RunId;
  /** When the run began: every row's `exported_at`, in microseconds since 1970 UTC. */
  readonly exportedAt: bigint;
  readonly fetcher: ArtifactFetcher;
  readonly checkpointer: Checkpointer;
  readonly observer: ExportObserver;
  readonly failures: CircuitBreaker;
  /** The jobs of the sessions that the run has exported so far. */
  readonly exported: SharedJobs;
  /** Whose sessions the run has listed so far. */
  readonly owners: SessionOwners;
  /** Counts what the run has done of users who are not finished. */
  readonly unfinished: UnfinishedUsers;
  /** The images that the run has archived so far. */
  readonly images: SameImages;
  readonly spellings: UserSpellings;
}

export interface RunSettings {
  /** Users of whom the service must have listed a session. */
  readonly expectedUsers?: Pick<ReadonlySet<string>, 'has'> | undefined;
  readonly full: boolean;
  /** In a lap each history is read whole once in this time. */
  readonly rereadMs: number;
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
  /** Whether images of the same bytes are doubtful: not where all come from an archive. Default: yes. */
  readonly doubtsSameImages?: boolean | undefined;
}

/** Whether the run exports only some sessions of a user; then it cannot know which are gone. */
export function isNarrowed({ sessions, search }: RunSettings): boolean {
  return sessions.length > 0 || search !== undefined;
}

/** Undefined where it reads all sessions of all its users. */
export function partOf(settings: RunSettings): RunPart | undefined {
  if (isNarrowed(settings)) return 'sessions';
  return settings.retryGaps ? 'gaps' : undefined;
}
