/** Reads from the service, right before a deletion, which sessions it lists and what their histories hold. */
import { contentHash } from '../flatten/content-hash.js';
import type { JobRecord, SessionRecord, Verbatim } from '../model/records.js';
import { StaleAnswerError, staleText, NotFoundError } from '../service/service-errors.js';
import { LEAST_GRANTED, PageGrant } from '../service/page.js';
import { PageReader } from '../service/page-reader.js';
import { readAll, type ListingVerdict, type PlacedRecord } from '../service/read-all.js';
import type { ServiceClient } from '../service/service-client.js';
import { asJobId, type JobId, type SessionId, type UserId } from '../model/ids.js';
import type { ArchivedSession } from '../archive/state/archived-session.js';
import type { FileCheck } from './file-check.js';
import { counted } from '../base/text/counted.js';
import { refusal, type PruneRefusal } from './refusal.js';

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
  #refusesPagesBehind = false;
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
      const what = `${counted(grown.size, 'new job')} since`;
      return refusal('grown', `${what}: to be archived by the next export`);
    }
    if (changed.size > 0) {
      const what = `${counted(changed.size, 'job')} changed since`;
      return refusal('changed', `${what}: to be archived by the next export --full`);
    }
    if (doubtful.size > 0) {
      const what = `the URLs of files of ${counted(doubtful.size, 'job')} say something else now`;
      return refusal('files', `${what}: whether the files are the archived ones is not known`);
    }
    if (gap) return refusal('unproven', gap.message);
    const vanished = [...state.jobs.keys()].filter((job) => !seen.has(job)).length;
    if (vanished > 0) {
      const what = `${counted(vanished, 'job')} of the archive`;
      return refusal('vanished', `the service no longer has ${what}: the two are not the same`);
    }
    return undefined;
  }

  /**
   * Whether more jobs stand behind a short history: a proxy may grant fewer than any service does, say that it grants what
   * was asked for, and count only the page. The archive and the final check would both have the same part of it. Asked
   * until an answer has shown what totals count.
   *
   * @throws {ServiceError}
   */
  async cutShort({ user, session, state }: ArchivedSession): Promise<PruneRefusal | undefined> {
    const grant = this.#grants.history;
    const isShort = state.jobs.size > 0 && state.jobs.size < LEAST_GRANTED;
    if (!isShort || grant.totalsAreGlobal !== undefined) return undefined;
    if (this.#refusesPagesBehind) return undefined;
    const reader = this.#historyReader(user, session);
    try {
      const { ids, page } = await reader.read({ pageNumber: 2, pageSize: grant.size });
      const { stale } = page.served;
      if (stale !== undefined) return refusal('unproven', staleText(session, stale));
      if (ids.length === 0) return undefined;
    } catch (error) {
      if (!reader.isRefusal(error)) throw error;
      this.#refusesPagesBehind = true; // there is no such page
      return undefined;
    }
    const detail = `its history goes on behind a page that has all of the ${counted(state.jobs.size, 'job')} of the archive: what answers grants less than it says`;
    return refusal('unproven', detail);
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
