/** A service with one session, in memory, which a test changes between two requests: no sockets, no waiting. */
import type { Clock } from '../../../src/base/runtime.js';
import type { Logger } from '../../../src/base/logger.js';
import type { ArchivedSession } from '../../../src/archive/state/archived-session.js';
import { contentHash, sessionRowHash } from '../../../src/flatten/content-hash.js';
import { asJobId, asSessionId, asUserId } from '../../../src/model/ids.js';
import type { JobRecord, SessionRecord, Verbatim } from '../../../src/model/records.js';
import { NotFoundError, UnreachableError } from '../../../src/service/service-errors.js';
import type {
  AttemptsSoFar,
  DeletionRequest,
  Page,
  PageRequest,
  ServiceClient,
  RequestBatch,
} from '../../../src/service/service-client.js';
import { archived, job } from '../store/archived-sessions.js';

export type Operation = 'listSessions' | 'getHistory' | 'getSession' | 'deleteSession';

export const errorFacts = {
  operation: 'do it',
  attempts: 1,
  externalTraceId: 'test',
  redact: (text: string) => text,
};

export class OneSession {
  readonly user = asUserId('ann');
  readonly id = asSessionId('s1');
  /** What the service answers about the session itself. */
  settings: Readonly<Record<string, unknown>> = { id: 's1', name: 'A name' };
  isThere = true;
  /** Of history and listing; the service grants no more. */
  pageCap = 100;
  /** Added to the total that the history announces. */
  extraTotal = 0;
  readonly asked: Operation[] = [];
  readonly users = new Set<string>();
  readonly logged: string[] = [];
  /** Requests that were announced to go out together. */
  readonly announced: number[] = [];
  open = 0;
  /** What the client's own rules say of each failure, in order; then they say no more. */
  waits: number[] = [];
  readonly progress: AttemptsSoFar[] = [];
  /** Called when a request has reached the service and is not yet answered; what it throws is the answer. */
  before: (operation: Operation, count: number) => void = () => undefined;
  /** Called when a connection for a DELETE is made, before it is sent. */
  connecting: (count: number) => void = () => undefined;
  #connected = 0;
  /** The header with which a cache answers in place of the service. */
  stale: (operation: Operation) => string | undefined = () => undefined;
  passedMs = 0;
  readonly slept: number[] = [];
  jobs: Verbatim<JobRecord>[];

  constructor(jobs = 2) {
    this.jobs = Array.from({ length: jobs }, (_, at) => jobRecord(`j${at}`, 'Well?'));
  }

  readonly clock: Clock = {
    now: () => Date.UTC(2026, 10, 2) + this.passedMs,
    monotonic: () => this.passedMs,
    sleep: (ms, signal) => {
      if (signal?.aborted) return Promise.reject(new Error('called off'));
      this.slept.push(ms);
      this.passedMs += ms;
      return Promise.resolve();
    },
  };

  readonly logger: Logger = Object.fromEntries(
    (['debug', 'info', 'warn', 'error'] as const).map((level) => [
      level,
      (fields: object, message: string) =>
        void this.logged.push(`${level} ${message} ${JSON.stringify(fields)}`),
    ]),
  ) as unknown as Logger;

  /** As an export has just archived it. */
  archived(): ArchivedSession {
    const jobs = this.jobs.map((record) => {
      const hash = contentHash(record);
      return [asJobId(record.value.job_id), job({ hash })] as const;
    });
    const metaHash = sessionRowHash(this.record(), jobs.length, true);
    return archived(this.id, { commit: 7 }, { jobs: new Map(jobs), metaHash });
  }

  record(): Verbatim<SessionRecord> {
    return verbatim(this.settings) as Verbatim<SessionRecord>;
  }

  get service(): ServiceClient {
    const { getSession, getHistory } = this.#operations();
    const known: Partial<ServiceClient> = {
      getSession,
      getHistory,
      listSessions: (request) =>
        this.#answer('listSessions', request, () =>
          this.#page(this.isThere ? [this.record()] : [], request),
        ),
      together: (count) => this.#together(count),
      waitAfter: (_, progress) => {
        this.progress.push(progress);
        return this.waits.shift();
      },
    };
    return known as ServiceClient;
  }

  count(operation: Operation): number {
    return this.asked.filter((asked) => asked === operation).length;
  }

  #together(count: number): RequestBatch {
    this.announced.push(count);
    this.open++;
    let left = count;
    const { getSession, getHistory, deleteSession } = this.#operations(() => {
      left = Math.max(0, left - 1);
    });
    return {
      getSession,
      getHistory,
      deleteSession,
      get remaining() {
        return left;
      },
      close: () => {
        this.open--;
        return Promise.resolve();
      },
    };
  }

  #operations(onSend: () => void = () => undefined) {
    const answer = <T>(operation: Operation, request: { userId: string }, of: () => T) => {
      onSend();
      return this.#answer(operation, request, of);
    };
    const served = { sentAtMonotonicMs: 0, dateMs: null };
    return {
      getSession: (request: { userId: string }) =>
        answer('getSession', request, () => ({ ...this.record(), served })),
      getHistory: (request: { userId: string } & Pick<PageRequest, 'pageNumber' | 'pageSize'>) =>
        answer('getHistory', request, () => this.#page(this.jobs, request)),
      deleteSession: (request: DeletionRequest) => {
        this.connecting(++this.#connected);
        if (request.isTooLate?.() === true) {
          onSend();
          const details = { ...errorFacts, mayHaveHappened: false };
          return Promise.reject(new UnreachableError('the connection came too late', details));
        }
        request.onRequestStart?.();
        return answer('deleteSession', request, () => {
          this.isThere = false;
        });
      },
    };
  }

  async #answer<T>(
    operation: Operation,
    { userId, sessionId }: { readonly userId: string; readonly sessionId?: string },
    of: () => T,
  ): Promise<T> {
    if (operation !== 'listSessions' && sessionId !== this.id) throw new Error('another session');
    const sentAtMs = this.passedMs;
    this.asked.push(operation);
    this.users.add(userId);
    await Promise.resolve();
    this.before(operation, this.count(operation));
    if (!this.isThere && operation !== 'listSessions') {
      throw new NotFoundError('it is not there', { ...errorFacts, stale: this.stale(operation) });
    }
    const made = of();
    return typeof made === 'object' && made !== null
      ? {
          ...made,
          served: { sentAtMonotonicMs: sentAtMs, dateMs: null, stale: this.stale(operation) },
        }
      : made;
  }

  #page<T>(
    all: readonly Verbatim<T>[],
    { pageNumber = 1, pageSize = 10 }: Pick<PageRequest, 'pageNumber' | 'pageSize'>,
  ): Page<T> {
    const granted = Math.min(pageSize, this.pageCap);
    const start = (pageNumber - 1) * granted;
    return {
      pageNumber,
      pageSize: granted,
      totalItems: all.length + this.extraTotal,
      records: all.slice(start, start + granted),
      served: { sentAtMonotonicMs: 0, dateMs: null },
    };
  }
}

export function jobRecord(id: string, question: string): Verbatim<JobRecord> {
  const blocks = [{ type: 'MESSAGE', content: question }];
  return verbatim({
    job_id: id,
    question: { blocks },
    answer: { blocks: [] },
  }) as Verbatim<JobRecord>;
}

function verbatim(value: object): Verbatim<unknown> {
  return { value, text: JSON.stringify(value) };
}
