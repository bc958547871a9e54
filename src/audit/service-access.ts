/** The service and its files, as somebody who looks needs them. */
import type { ArtifactFetcher } from '../artifacts/artifact-fetcher.js';
import type { Clock } from '../base/clock.js';
import type { SessionId, UserId } from '../model/ids.js';
import type { JobRecord, SessionRecord } from '../model/records.js';
import { PageGrant } from '../service/page-grant.js';
import { PageReader } from '../service/page-reader.js';
import type { ServiceClient } from '../service/service-client.js';

export interface ServiceAccess {
  readonly service: ServiceClient;
  readonly fetcher: ArtifactFetcher;
  readonly clock: Clock;
  /** Asked for at first; the service may grant fewer. */
  readonly pageSize: number;
  readonly signal?: AbortSignal | undefined;
}

/** Readers of listings that share what they learn about pages. */
export class Listings {
  private readonly sessionGrant: PageGrant;
  private readonly historyGrant: PageGrant;

  constructor(private readonly access: Pick<ServiceAccess, 'service' | 'pageSize' | 'signal'>) {
    this.sessionGrant = new PageGrant(access.pageSize);
    this.historyGrant = new PageGrant(access.pageSize);
  }

  sessionsOf(userId: UserId): PageReader<SessionRecord> {
    const { service, signal } = this.access;
    return new PageReader({
      fetchPage: (range) => service.listSessions({ userId, ...range, signal }),
      idOf: (session) => session.id,
      grant: this.sessionGrant,
      what: `the sessions of user ${userId}`,
    });
  }

  historyOf(userId: UserId, sessionId: SessionId): PageReader<JobRecord> {
    const { service, signal } = this.access;
    return new PageReader({
      fetchPage: (range) => service.getHistory({ userId, sessionId, ...range, signal }),
      idOf: (job) => job.job_id,
      grant: this.historyGrant,
      what: `the history of session ${sessionId}`,
    });
  }
}
