/** The network between a process and the service: requests of the real client, answered in memory, late, twice or not at all. */
import { Dispatcher } from 'undici';
import type { CachedAnswer, SharedCache } from './shared-cache.js';
import { FILE_ORIGIN, type SimService, type SimSession } from './sim-service.js';
import { knownUser } from './spellings.js';
import type { SimProcess } from './sim-process.js';

export const API_ORIGIN = 'https://api.sim.example';

export interface NetworkFaults {
  /** Fraction of requests that get an error and are not executed. */
  refused: number;
  /** Fraction of requests that are executed, and then fail with an error or a broken connection. */
  lost: number;
  /** Fraction of files that are sent without a length; half of these are cut off. */
  unended: number;
}

/** What a process has read of a session since its last attempt to delete it; in `SimService.time`. */
export interface LookedAt {
  /** When the first page of its history was last served. */
  history: number | undefined;
  /** When its record was last served, alone or in a listing. */
  meta: number | undefined;
  /** When a DELETE was last sent. */
  attempt: number | undefined;
}

/** What a run had read of a session, and under which spelling of its user. */
export interface Looked {
  readonly history: number;
  readonly meta: number;
  readonly user: string;
}

/** Called right before the service executes a DELETE, with the user as the run spells them. */
export type BeforeDelete = (
  session: SimSession,
  process: SimProcess,
  looked: LookedAt & { readonly user: string },
) => void;

type Answer = CachedAnswer;

/** The handler of undici's own `request`; its types mark these methods as deprecated. */
interface Listener {
  onConnect(abort: (reason?: Error) => void): void;
  onHeaders(status: number, headers: Buffer[], resume: () => void, statusText: string): boolean;
  onData(chunk: Buffer): boolean;
  onComplete(trailers: string[]): void;
  onError(error: Error): void;
}

interface Wire {
  readonly service: SimService;
  readonly process: SimProcess;
  readonly faults: NetworkFaults;
  readonly cache: SharedCache;
  readonly beforeDelete: BeforeDelete;
}

const NOT_FOUND: Answer = { status: 200, body: '{"code":300003,"message":"no such session"}' };

/** The dispatcher of one process's clients. */
export class SimDispatcher extends Dispatcher {
  readonly #looked = new Map<string, LookedAt>();

  constructor(readonly wire: Wire) {
    super();
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const { process } = this.wire;
    return exchanged(handler, process, (isOver) => this.#exchange(options, isOver));
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  override destroy(): Promise<void> {
    return Promise.resolve();
  }

  /** Undefined if the connection breaks. */
  async #exchange(
    { origin, path, method, body }: Dispatcher.DispatchOptions,
    isOver: () => boolean,
  ): Promise<Answer | undefined> {
    const { process, service, faults, cache } = this.wire;
    const { scheduler } = service;
    const url = new URL(path, String(origin));
    const label = `${method} ${url.pathname}`;
    const looked = method === 'DELETE' ? this.#lookedAt(url) : undefined;
    const before = looked && { ...looked };
    if (looked) {
      // whatever the outcome, another attempt needs another final check
      Object.assign(looked, { history: undefined, meta: undefined, attempt: service.tick() });
    }
    await process.step(label);
    if (isOver()) return undefined;
    if (scheduler.chance(faults.refused)) return this.#refusal();
    const isLost = scheduler.chance(faults.lost);
    const isFile = url.origin === FILE_ORIGIN;
    const isCacheable = method === 'GET' && !isFile;
    const answer =
      (isCacheable ? cache.answerTo(path) : undefined) ??
      (isFile
        ? this.#file(url)
        : this.#api(method, url, typeof body === 'string' ? body : '', before));
    if (isCacheable && answer.headers === undefined) cache.keep(path, answer);
    await process.step(`answer to ${label}`);
    if (!isLost) return answer;
    return scheduler.chance(0.5) ? undefined : { status: 504, body: '' };
  }

  #refusal(): Answer | undefined {
    const { scheduler } = this.wire.service;
    return scheduler.anyOf([
      { status: 429, headers: { 'retry-after': '2' }, body: '{"code":201,"message":"slow down"}' },
      { status: 500, body: '{"code":9999,"message":"internal"}' },
      { status: 503, headers: { 'retry-after': '20' }, body: '' },
      undefined,
    ]);
  }

  #api(method: string, url: URL, body: string, before: LookedAt | undefined): Answer {
    const { service, process, beforeDelete } = this.wire;
    const [id, part] = url.pathname.split('/').slice(4);
    const sent = method === 'GET' ? undefined : (JSON.parse(body) as { user_id: string });
    const user = sent?.user_id ?? url.searchParams.get('user_id') ?? '';
    if (id === undefined) return this.#listing(user, url);
    const session = service.sessions.get(decodeURIComponent(id));
    if (session?.user !== knownUser(user)) return NOT_FOUND;
    if (part === 'history') return this.#history(session, url);
    const looked = this.#lookedAt(url);
    if (method === 'GET') {
      looked.meta = service.tick();
      return ok(session.meta.now);
    }
    beforeDelete(session, process, { ...(before ?? looked), user });
    service.remove(session, process.name);
    return ok('{}');
  }

  #listing(user: string, url: URL): Answer {
    const { service } = this.wire;
    const sessions = service.listed(knownUser(user));
    return this.#page(
      sessions.map(({ meta }) => meta.now),
      url,
    );
  }

  #history(session: SimSession, url: URL): Answer {
    const { service } = this.wire;
    const looked = this.#lookedAt(url);
    if ((url.searchParams.get('page_number') ?? '1') === '1') looked.history = service.tick();
    const own = service.history(session).map(({ record }) => record.now);
    return this.#page(service.misreads.recordsFor(session) ?? own, url);
  }

  #page(records: readonly string[], url: URL): Answer {
    const { service } = this.wire;
    const asked = Number(url.searchParams.get('page_size') ?? 10);
    const size = Math.min(asked, service.options.pageCap);
    const number = Number(url.searchParams.get('page_number') ?? 1);
    const shown = records.slice((number - 1) * size, number * size);
    const list = shown.map((record) => service.signed(record)).join(',');
    const counts = `"page_number":${number},"page_size":${size},"total_items":${records.length}`;
    return ok(`{${counts},"records":[${list}]}`);
  }

  #file(url: URL): Answer {
    const { service } = this.wire;
    const { scheduler } = service;
    const [, y, m, d, h, min, s] =
      /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(url.searchParams.get('X-Amz-Date') ?? '') ??
      [];
    const madeAtMs = Date.parse(`${y}-${m}-${d}T${h}:${min}:${s}Z`);
    const endMs = madeAtMs + Number(url.searchParams.get('X-Amz-Expires')) * 1000;
    if (!(scheduler.nowMs() < endMs)) {
      const body = '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>';
      return { status: 403, headers: { 'content-type': 'application/xml' }, body };
    }
    const bytes = service.files.get(url.pathname.slice(1));
    if (!bytes) return { status: 404, body: '' };
    const type = { 'content-type': 'text/csv' };
    const { unended } = this.wire.faults;
    if (unended > 0 && scheduler.chance(unended)) {
      const body = scheduler.chance(0.5) ? service.cut(url.pathname.slice(1), bytes) : bytes;
      return { status: 200, headers: type, body };
    }
    const headers = { ...type, 'content-length': String(bytes.length) };
    return { status: 200, headers, body: bytes };
  }

  #lookedAt(url: URL): LookedAt {
    const id = decodeURIComponent(url.pathname.split('/')[4] ?? '');
    let looked = this.#looked.get(id);
    if (!looked) {
      looked = { history: undefined, meta: undefined, attempt: undefined };
      this.#looked.set(id, looked);
    }
    return looked;
  }
}

/**
 * Hands an answer to undici's `request`.
 *
 * @param exchange resolves with undefined if the connection breaks; its parameter says whether the client has given up
 */
export function exchanged(
  handler: Dispatcher.DispatchHandler,
  { clock }: Pick<SimProcess, 'clock'>,
  exchange: (isOver: () => boolean) => Promise<Answer | undefined>,
): boolean {
  const listener = handler as unknown as Listener;
  let isOver = false;
  const fail = (error: Error): void => {
    if (isOver) return;
    isOver = true;
    listener.onError(error);
  };
  listener.onConnect((reason) => fail(reason ?? new Error('called off')));
  void exchange(() => isOver).then((answer) => {
    if (isOver) return;
    if (answer === undefined) {
      fail(Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' }));
      return;
    }
    isOver = true;
    const headers = { date: new Date(clock.now()).toUTCString(), ...answer.headers };
    const raw = Object.entries(headers).flatMap(([name, value]) => [
      Buffer.from(name),
      Buffer.from(value),
    ]);
    listener.onHeaders(answer.status, raw, () => undefined, '');
    listener.onData(Buffer.from(answer.body));
    listener.onComplete([]);
  });
  return true;
}

function ok(data: string): Answer {
  return { status: 200, body: `{"code":0,"data":${data}}` };
}
