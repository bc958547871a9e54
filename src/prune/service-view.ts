/** Reads from the service, right before a deletion, which sessions it lists and what their histories hold. */
import type { ArtifactFetcher } from '../artifacts/artifact-fetcher.js';
import { FileComparison } from '../artifacts/file-settler.js';
import type { Runtime } from '../base/runtime.js';
import { contentHash } from '../flatten/content-hash.js';
import { differingParameters, urlTraces } from '../flatten/file-references.js';
import {
  asJobId,
  sessionKey,
  type JobId,
  asSessionId,
  asUserId,
  isUniqueId,
  type SessionId,
  type UserId,
} from '../model/ids.js';
import type { JobRecord, Verbatim, SessionRecord } from '../model/records.js';
import { Listings, PageReader } from '../service/page-reader.js';
import { readAll, type PlacedRecord, type ListingVerdict } from '../service/read-all.js';
import type { ServiceClient } from '../service/service-client.js';
import type { ArchivedSession, SessionState } from '../archive/state/user-state.js';
import {
  countOf,
  refusal,
  type PruneRefusal,
  leftByBudget,
  type RefusalReason,
} from './prune-rules.js';
import { StaleAnswerError, staleText, NotFoundError } from '../service/service-errors.js';
import { PageGrant } from '../service/page.js';
import { haveSharedJobs, historyOf, type SessionRef } from '../archive/histories/shared-jobs.js';
import { JobvaultError, messageOf, type FailureKind } from '../base/error.js';
import { redactText } from '../base/text/redact.js';
import { BudgetSpentError } from '../service/pace/request-budget.js';

/**
 * Compares the files of a session by their bytes where their URLs differ from the archived ones: a parameter
 * that belongs to no presigning scheme may name the file, or may only authorize the request.
 */

export interface FileCheckOptions extends Pick<Runtime, 'clock' | 'signal'> {
  readonly service: ServiceClient;
  readonly fetcher: ArtifactFetcher;
  readonly pageSize: number;
}

export class FileCheck {
  readonly #listings: Listings;
  /** Of each job whose bytes were compared in this run: the parameters that had changed without them. */
  readonly #proven = new Map<string, ReadonlySet<string>>();

  constructor(readonly options: FileCheckOptions) {
    this.#listings = new Listings(options);
  }

  /** Whether the URLs of a job's files say what the archived ones say, but for what was proven in this run. */
  isAccountedFor(
    { user, session, state }: ArchivedSession,
    job: JobId,
    record: Verbatim<JobRecord>,
  ): boolean {
    const proven = this.#proven.get(keyOf(user, session, job));
    const differing = differingParameters(state.jobs.get(job)?.urls ?? null, urlTraces(record));
    return differing.every((parameter) => proven?.has(parameter) === true);
  }

  /**
   * Reads the history and fetches what is doubtful; undefined where all of it is what is archived.
   *
   * @throws {ServiceError}
   */
  async refusalOf(archived: ArchivedSession): Promise<PruneRefusal | undefined> {
    const { fetcher, clock, signal } = this.options;
    const reader = this.#listings.historyOf(archived.user, archived.session);
    const comparison = new FileComparison({ fetcher, reader, clock, signal });
    const changed = { jobs: 0 };
    const unknown: string[] = [];
    for await (const page of readAll(reader)) {
      await fetcher.ready(signal);
      const verdicts = page.items.map(async (item) => {
        const verdict = await this.#compare(archived, item, comparison);
        if (verdict?.kind === 'other') changed.jobs++;
        if (verdict?.kind === 'unknown') unknown.push(`job ${item.id}: ${verdict.reason}`);
      });
      await Promise.all(verdicts);
    }
    if (changed.jobs > 0) {
      const what = `the files of ${countOf(changed.jobs, 'job')} changed since`;
      return refusal('changed', `${what}: to be archived by the next export --full`);
    }
    const [first] = unknown;
    if (first === undefined) return undefined;
    return refusal('files', `whether a file is still the archived one is not known; ${first}`);
  }

  async #compare(
    archived: ArchivedSession,
    item: PlacedRecord<JobRecord>,
    comparison: FileComparison,
  ) {
    const { user, session, state } = archived;
    const job = asJobId(item.id);
    const known = state.jobs.get(job);
    // the final check finds anything else that has changed
    if (known?.hash !== contentHash(item.record)) return undefined;
    if (this.isAccountedFor(archived, job, item.record)) return undefined;
    const differing = differingParameters(known.urls, urlTraces(item.record));
    const verdict = await comparison.compare(item, known.files);
    if (verdict.kind === 'same') {
      this.#proven.set(keyOf(user, session, job), new Set(differing));
    }
    return verdict;
  }
}

function keyOf(user: string, session: string, job: JobId): string {
  return `${sessionKey(user, session)}${job}`;
}

/** Turns failures of the service into refusals, and ends the run when the service no longer answers. */

/** The run ends after so many failures in a row to reach the service. */
const MOST_FAILURES = 5;

export class ServiceFailureTracker {
  /** Kinds of the failures that became refusals. */
  readonly failures = new Set<FailureKind>();
  #inARow = 0;

  constructor(readonly signal: AbortSignal) {}

  /** @throws what ends the run, an abort included */
  async answerOr<T>(asking: Promise<T>, reason: RefusalReason): Promise<T | PruneRefusal> {
    try {
      const answer = await asking;
      this.answered();
      return answer;
    } catch (error) {
      this.signal.throwIfAborted();
      if (error instanceof BudgetSpentError) return leftByBudget(error);
      this.failed(error);
      return refusal(reason, redactText(messageOf(error)));
    }
  }

  answered(): void {
    this.#inARow = 0;
  }

  /** @throws the error, where the run cannot go on after it */
  failed(error: unknown): void {
    if (error instanceof BudgetSpentError) return; // the service did not fail
    if (!(error instanceof JobvaultError) || error.disposition === 'fatal') throw error;
    if (error.failure !== 'unreachable') return;
    this.failures.add(error.failure);
    if (++this.#inARow >= MOST_FAILURES) throw error;
  }
}

export interface ListedByService {
  /** By id. */
  readonly sessions: ReadonlyMap<string, Verbatim<SessionRecord>>;
  /** Why it is not certain that these are all; undefined where it is. */
  readonly gap: string | undefined;
  /** Whether a cache gave a page of it from its memory: then it proves nothing. */
  readonly isStale: boolean;
}

type SessionIds = Pick<ArchivedSession, 'user' | 'session'>;

export class ServiceView {
  readonly #grants: { readonly sessions: PageGrant; readonly history: PageGrant };

  constructor(
    readonly service: ServiceClient,
    options: { readonly pageSize: number },
    readonly files: Pick<FileCheck, 'isAccountedFor'>,
    readonly signal: AbortSignal,
  ) {
    const { pageSize } = options;
    this.#grants = { sessions: new PageGrant(pageSize), history: new PageGrant(pageSize) };
  }

  /** @throws {ServiceError} */
  async list(userId: UserId): Promise<ListedByService> {
    const { service, signal } = this;
    const reader = new PageReader<SessionRecord>({
      fetchPage: (range) => service.listSessions({ userId, ...range, signal }),
      idOf: (session) => session.id,
      grant: this.#grants.sessions,
      what: `the sessions of user ${userId}`,
    });
    const sessions = new Map<string, Verbatim<SessionRecord>>();
    const { gap } = await forEachSighting(reader, ({ id, record }) => {
      sessions.set(id, record);
    });
    return { sessions, gap: gap?.message, isStale: gap instanceof StaleAnswerError };
  }

  /**
   * Reads the whole history again; undefined where it holds exactly the archived jobs with exactly
   * their content, each time that it sends one.
   *
   * @param service asked for the pages
   * @throws {ServiceError}
   */
  async changeOf(
    archived: ArchivedSession,
    service: Pick<ServiceClient, 'getHistory'>,
  ): Promise<PruneRefusal | undefined> {
    const { user, session, state } = archived;
    const reader = this.#historyReader(user, session, service);
    const seen = new Set<JobId>();
    const [grown, changed, doubtful] = [new Set<JobId>(), new Set<JobId>(), new Set<JobId>()];
    const { gap } = await forEachSighting(reader, ({ id, record }) => {
      const job = asJobId(id);
      seen.add(job);
      const known = state.jobs.get(job);
      if (!known) grown.add(job);
      else if (known.hash !== contentHash(record)) changed.add(job);
      else if (!this.files.isAccountedFor(archived, job, record)) doubtful.add(job);
    });
    if (grown.size > 0) {
      const what = `${countOf(grown.size, 'new job')} since`;
      return refusal('grown', `${what}: to be archived by the next export`);
    }
    if (changed.size > 0) {
      const what = `${countOf(changed.size, 'job')} changed since`;
      return refusal('changed', `${what}: to be archived by the next export --full`);
    }
    if (doubtful.size > 0) {
      const what = `the URLs of files of ${countOf(doubtful.size, 'job')} say something else now`;
      return refusal('files', `${what}: whether the files are the archived ones is not known`);
    }
    if (gap) return refusal('unproven', gap.message);
    const vanished = [...state.jobs.keys()].filter((job) => !seen.has(job)).length;
    if (vanished > 0) {
      const what = `${countOf(vanished, 'job')} of the archive`;
      return refusal('vanished', `the service no longer has ${what}: the two are not the same`);
    }
    return undefined;
  }

  /**
   * Whether the service shows jobs of the archived session in another one; also where that one cannot be read to its
   * end, or comes without a job that is archived as its own: neither shows a history of its own.
   *
   * @param state what is archived of the other one
   * @throws {ServiceError}
   */
  async sharesJobs(
    archived: ArchivedSession,
    other: SessionRef,
    state: Pick<SessionState, 'jobs'>,
  ): Promise<boolean> {
    const whole = new Map<string, string>();
    const reader = this.#historyReader(asUserId(other.user), asSessionId(other.session));
    let verdict: ListingVerdict;
    try {
      verdict = await forEachSighting(reader, ({ id, record }) => {
        whole.set(id, contentHash(record));
      });
    } catch (error) {
      if (error instanceof NotFoundError) return true;
      throw error;
    }
    const now = { ...other, ids: [...whole.keys()], whole };
    if (verdict.gap !== undefined || !showsOwn(whole, state, archived.state)) return true;
    return haveSharedJobs(historyOf(archived.user, archived.session, archived.state), now);
  }

  /** Requests that a history of so many jobs takes, as far as is known of the pages that the service grants: a last page that is full is followed by another. */
  pagesOf(jobs: number): number {
    return Math.floor(jobs / this.#grants.history.size) + 1;
  }

  #historyReader(
    userId: UserId,
    sessionId: SessionId,
    service: Pick<ServiceClient, 'getHistory'> = this.service,
  ): PageReader<JobRecord> {
    const { signal } = this;
    return new PageReader<JobRecord>({
      fetchPage: (range) => service.getHistory({ userId, sessionId, ...range, signal }),
      idOf: (job) => job.job_id,
      grant: this.#grants.history,
      what: `the history of session ${sessionId}`,
      recordsStay: true,
    });
  }

  /**
   * Whether the service says that there is no such session. Not called off by the run's signal: it is
   * asked about a DELETE that was sent.
   *
   * @throws {ServiceError} it says neither this nor that
   * @throws {StaleAnswerError} it was not the service that answered
   */
  async isGone({ user, session }: SessionIds): Promise<boolean> {
    const { isGone, stale } = await this.#found(user, session);
    if (stale !== undefined) throw new StaleAnswerError(staleText(session, stale));
    return isGone;
  }

  async #found(userId: UserId, sessionId: SessionId) {
    try {
      const { served } = await this.service.getSession({ userId, sessionId });
      return { isGone: false, stale: served.stale };
    } catch (error) {
      if (error instanceof NotFoundError) return { isGone: true, stale: error.stale };
      throw error;
    }
  }
}

/** Whether a job comes, by id and hash, that is archived as one of the session, and not as one of another. */
function showsOwn(
  shown: ReadonlyMap<string, string>,
  { jobs: own }: Pick<SessionState, 'jobs'>,
  { jobs: others }: Pick<SessionState, 'jobs'>,
): boolean {
  return [...shown].some(([id, hash]) => {
    const job = asJobId(id);
    if (isUniqueId(id)) return own.has(job) && !others.has(job);
    return own.get(job)?.hash === hash && others.get(job)?.hash !== hash;
  });
}

/** A record may be sent more than once, and be another one each time. */
async function forEachSighting<T>(
  reader: PageReader<T>,
  take: (item: PlacedRecord<T>) => void,
): Promise<ListingVerdict> {
  const pages = readAll(reader);
  for (;;) {
    const step = await pages.next();
    if (step.done) return step.value;
    step.value.items.forEach(take);
    step.value.again.forEach(take);
  }
}
