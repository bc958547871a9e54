/** Makes a reader for each kind of listing. */
import type { SessionId, UserId } from '../model/ids.js';
import type { DatasetRecord, JobRecord, SessionRecord } from '../model/records.js';
import { PageGrant } from './page.js';
import { PageReader } from './page-reader.js';
import type { ServiceClient } from './service-client.js';

export interface ListingAccess {
  readonly service: ServiceClient;
  /** The page size requested at first; the service may grant less. */
  readonly pageSize: number;
  readonly signal?: AbortSignal | undefined;
}

/** Readers of listings that share the page sizes that the service grants. */
export class Listings {
  readonly #sessionGrant: PageGrant;
  readonly #historyGrant: PageGrant;
  readonly #datasetGrant: PageGrant;
  readonly #access: ListingAccess;

  constructor(access: ListingAccess) {
    this.#access = access;

    this.#sessionGrant = new PageGrant(access.pageSize);
    this.#historyGrant = new PageGrant(access.pageSize);
    this.#datasetGrant = new PageGrant(access.pageSize);
  }

  sessionsOf(userId: UserId, search?: string): PageReader<SessionRecord> {
    const { service, signal } = this.#access;
    return new PageReader({
      fetchPage: (range) => service.listSessions({ userId, search, ...range, signal }),
      idOf: (session) => session.id,
      grant: this.#sessionGrant,
      what: `the sessions of user ${userId}`,
    });
  }

  historyOf(userId: UserId, sessionId: SessionId): PageReader<JobRecord> {
    const { service, signal } = this.#access;
    return new PageReader({
      fetchPage: (range) => service.getHistory({ userId, sessionId, ...range, signal }),
      idOf: (job) => job.job_id,
      grant: this.#historyGrant,
      what: `the history of session ${sessionId}`,
      recordsStay: true,
    });
  }

  datasetsOf(userId: UserId, search?: string): PageReader<DatasetRecord> {
    const { service, signal } = this.#access;
    return new PageReader({
      fetchPage: (range) => service.listDatasets({ userId, search, ...range, signal }),
      idOf: (dataset) => dataset.id,
      grant: this.#datasetGrant,
      what: `the datasets that user ${userId} sees`,
    });
  }
}
