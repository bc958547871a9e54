/** A service in memory that has what an archive has, until a test changes it: no sockets, no waiting. */
import type { JobRecord, SessionRecord, Verbatim } from '../../../src/model/records.js';
import { NotFoundError } from '../../../src/service/service-errors.js';
import type {
  HistoryRequest,
  Page,
  PageRequest,
  ServiceClient,
  DeletionRequest,
  SessionRequest,
} from '../../../src/service/service-client.js';
import { flattenedJob, sessionRecord, type JobToWrite } from '../store/written-jobs.js';
import { errorFacts, type Operation } from './one-session.js';

export interface ServedSession {
  record: Verbatim<SessionRecord>;
  jobs: Verbatim<JobRecord>[];
}

export class ArchivedService {
  /** By user and id, as in `ann a1`. */
  readonly sessions = new Map<string, ServedSession>();
  /** As in `deleteSession ann a1`. */
  readonly asked: string[] = [];
  clockGapMs: number | null = 0;
  /** Called with each request; what it throws is the answer. */
  before: (operation: Operation, key: string) => void | Promise<void> = () => undefined;
  /** The header with which a cache answers in place of the service. */
  stale: (operation: Operation) => string | undefined = () => undefined;

  add(job: JobToWrite): ServedSession {
    const key = `${job.user} ${job.session}`;
    const served: ServedSession = this.sessions.get(key) ?? {
      record: sessionRecord(job),
      jobs: [],
    };
    served.jobs.push(flattenedJob(job).record);
    this.sessions.set(key, served);
    return served;
  }

  get left(): string[] {
    return [...this.sessions.keys()];
  }

  get deleted(): string[] {
    return this.asked.flatMap((one) => /^deleteSession (.*)/.exec(one)?.[1] ?? []);
  }

  get client(): ServiceClient {
    const known: Partial<ServiceClient> = {
      listSessions: ({ userId, ...page }) =>
        this.#answer('listSessions', userId, () => {
          const own = [...this.sessions].filter(([key]) => key.startsWith(`${userId} `));
          return pageOf(
            own.map(([, { record }]) => record),
            page,
          );
        }),
      getSession: ({ userId, sessionId }) =>
        this.#answer('getSession', `${userId} ${sessionId}`, (key) => ({
          ...this.#at(key).record,
          served: { sentAtMonotonicMs: 0, dateMs: null },
        })),
      getHistory: ({ userId, sessionId, ...page }) =>
        this.#answer('getHistory', `${userId} ${sessionId}`, (key) =>
          pageOf(this.#at(key).jobs, page),
        ),
      together: (count) => this.#together(count),
      waitAfter: () => undefined,
      stats: { requests: 11, retries: 2, rateLimited: 1, stale: 0, staleBecause: null },
    };
    const client = known as ServiceClient;
    Object.defineProperty(client, 'clockGapMs', { get: () => this.clockGapMs });
    return client;
  }

  #together(count: number): ReturnType<ServiceClient['together']> {
    const { client } = this;
    let left = count;
    const counting =
      <A, B>(ask: (request: A) => Promise<B>) =>
      (request: A): Promise<B> => {
        left = Math.max(0, left - 1);
        return ask(request);
      };
    return {
      getSession: counting((request: SessionRequest) => client.getSession(request)),
      getHistory: counting((request: HistoryRequest) => client.getHistory(request)),
      deleteSession: counting((request: DeletionRequest) => {
        const { userId, sessionId } = request;
        if (request.isTooLate?.() === true) throw new Error('no connection takes any time here');
        request.onRequestStart?.();
        return this.#answer('deleteSession', `${userId} ${sessionId}`, (key) => {
          this.sessions.delete(key);
        });
      }),
      get remaining() {
        return left;
      },
      close: () => Promise.resolve(),
    };
  }

  #at(key: string): ServedSession {
    const found = this.sessions.get(key);
    if (found) return found;
    throw new NotFoundError('it is not there', errorFacts);
  }

  async #answer<T>(operation: Operation, key: string, of: (key: string) => T): Promise<T> {
    this.asked.push(`${operation} ${key}`);
    await this.before(operation, key);
    const made = of(key);
    if (typeof made !== 'object' || made === null) return made;
    const served = { sentAtMonotonicMs: 0, dateMs: null, stale: this.stale(operation) };
    return { ...made, served };
  }
}

function pageOf<T>(
  all: readonly Verbatim<T>[],
  { pageNumber = 1, pageSize = 10 }: Pick<PageRequest, 'pageNumber' | 'pageSize'>,
): Page<T> {
  const start = (pageNumber - 1) * pageSize;
  return {
    pageNumber,
    pageSize,
    totalItems: all.length,
    records: all.slice(start, start + pageSize),
    served: { sentAtMonotonicMs: 0, dateMs: null },
  };
}
