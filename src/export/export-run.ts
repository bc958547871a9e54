/** The context that all parts of a run share, and the events of its progress. */
import type { ArtifactFetcher } from '../artifacts/artifact-fetcher.js';
import type { SharedJobs } from '../archive/histories/shared-jobs.js';
import type { SessionOwners } from '../archive/histories/session-owners.js';
import type { ArchiveTask } from '../archive/archive.js';
import type { UserSpellings } from '../archive/reading/user-spellings.js';
import type { RunId } from '../model/ids.js';
import type { PageGrant } from '../service/page.js';
import type { ServiceClient } from '../service/service-client.js';
import type { Checkpointer } from './checkpoint/checkpointer.js';
import { ServiceError } from '../service/service-errors.js';
import type { RunPart } from './export-summary.js';
import type { SameImages } from './jobs/same-images.js';
import { failureBehindGap, isSkippable, type Gap } from './jobs/gap.js';

export interface ExportRun extends ArchiveTask {
  readonly runId: RunId;
  /** When the run began: every row's `exported_at`, in microseconds since 1970 UTC. */
  readonly exportedAt: bigint;
  readonly service: ServiceClient;
  readonly fetcher: ArtifactFetcher;
  readonly checkpointer: Checkpointer;
  /** One for session lists and one for histories: the service may grant different sizes. */
  readonly grants: { readonly sessions: PageGrant; readonly history: PageGrant };
  readonly settings: RunSettings;
  readonly observer: ExportObserver;
  readonly failures: CircuitBreaker;
  /** The jobs of the sessions that the run has exported so far. */
  readonly exported: SharedJobs;
  /** Whose sessions the run has listed so far. */
  readonly owners: SessionOwners;
  /** The images that the run has archived so far. */
  readonly images: SameImages;
  readonly spellings: UserSpellings;
  /** Whether the API key sees what the archive holds. */
  readonly project: ProjectWitness;
}

export interface RunSettings {
  /** Users of whom the service must have listed a session. */
  readonly expectedUsers?: Pick<ReadonlySet<string>, 'has'> | undefined;
  /** Whether the service may list none of the archived sessions of anybody. */
  readonly allowUnlisted?: boolean | undefined;
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

/** Ends a run if the whole service does not answer. */

/** Consecutive users or sessions without an answer after which the run ends. */
const MAX_IN_A_ROW = 10;

export class CircuitBreaker {
  #hasAnswered = false;
  #inARow = 0;
  #last: { readonly error: unknown } | undefined;

  /** The service has answered properly: resets the count. */
  succeeded(): void {
    this.#hasAnswered = true;
    this.#inARow = 0;
  }

  /** Whether the failure of a user or session ends the run; called once for each. */
  isFatal(error: unknown): boolean {
    if (!isSkippable(error)) return true;
    if (failureBehindGap(error) !== 'unreachable') return false;
    this.#inARow++;
    this.#last = { error };
    // a failure that rarely goes away, before any proper answer: the address is wrong
    if (!this.#hasAnswered && error instanceof ServiceError && error.retries === 'brief')
      return true;
    return this.#inARow >= MAX_IN_A_ROW;
  }

  /**
   * @param forget discards what the run would record: that no request succeeded
   * @throws the newest failure of a service that has never answered
   */
  async assertAnswered(forget: () => Promise<void>): Promise<void> {
    if (this.#hasAnswered || !this.#last) return;
    await forget();
    throw this.#last.error;
  }
}

/** Progress events of a run. */

/** Observes a run: a progress bar, a log. Called often; must be quick and must not throw. */
export interface ExportObserver {
  /** Called again for a user whose work was discarded because another run committed first. */
  userStarted?(user: string): void;
  sessionsListed?(user: string, count: number): void;
  sessionFinished?(user: string, session: string, outcome: FinishedSession): void;
  /** Only of a dry run: an export would check the session. */
  sessionPlanned?(user: string, session: string): void;
  jobArchived?(user: string, session: string): void;
  /** Also called for failed users. */
  userFinished?(user: string): void;
  /** The storage has confirmed a commit. @param jobs archived so far by this run */
  committed?(commit: number, jobs: number): void;
}

/** The outcome of a session. */
export interface FinishedSession {
  readonly kind: 'new' | 'changed' | 'unchanged' | 'failed';
  readonly gaps: readonly Gap[];
}

/** What a run knows of whether its API key sees what the archive holds: that of another project lists none of its sessions. */

/** A listing has none of the sessions that it should have, and nobody else's shows that the key is the right one. */
export class UnseenArchive extends Error {}

export class ProjectWitness {
  #hasSeen = false;
  /** Other users are asked once in a run. */
  #asked: Promise<boolean> | undefined;

  /** Whether the service has listed an archived session of anybody. */
  get hasSeen(): boolean {
    return this.#hasSeen;
  }

  seen(): void {
    this.#hasSeen = true;
  }

  /** @param askOthers whether other users list an archived session */
  async sees(askOthers: () => Promise<boolean>): Promise<boolean> {
    if (this.#hasSeen) return true;
    this.#asked ??= askOthers();
    return await this.#asked;
  }
}
