/** Answers requests from an archive as `serve --from` does, in memory: its own routes, without a socket. */
import { Dispatcher } from 'undici';
import type { Archive } from '../../src/archive/archive.js';
import { Refusal, type ApiContext } from '../../src/emulator/api/api-call.js';
import { noFaults, Occasions } from '../../src/emulator/faults/faults.js';
import { keysOf, UrlSigner } from '../../src/emulator/files/url-signer.js';
import { RandomStream } from '../../src/emulator/seed/seed-plan.js';
import { archiveHandlers, archivedPathOf } from '../../src/restore/archive-routes.js';
import type { ArchivedSessions } from '../../src/restore/archived-sessions.js';
import { exchanged } from './network.js';
import type { CachedAnswer } from './shared-cache.js';
import type { SimProcess } from './sim-process.js';
import { artifactAt } from '../../src/archive/objects/artifact-rows.js';

export const SERVED_FILES = 'https://archived.sim.example';

export class ArchiveDispatcher extends Dispatcher {
  readonly #context: ApiContext;
  readonly #handlers: ReturnType<typeof archiveHandlers>;

  constructor(
    readonly archive: Archive,
    sessions: ArchivedSessions,
    readonly process: SimProcess,
  ) {
    super();
    this.#handlers = archiveHandlers(sessions, () => Promise.resolve());
    const { clock } = process;
    this.#context = {
      world: undefined as never,
      faults: { ...noFaults(), order: 'oldest' },
      occasions: new Occasions(RandomStream.of('simulated')),
      signer: new UrlSigner({
        origin: () => SERVED_FILES,
        secret: 'simulated',
        ttlMs: 600_000,
        clock,
        changingParameter: () => '',
      }),
      clock,
      random: RandomStream.of('simulated'),
      maxPageSize: 100,
      growth: { next: () => 0 },
    };
  }

  override dispatch(
    { origin, path }: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const url = new URL(path, String(origin));
    return exchanged(handler, this.process, () =>
      url.origin === SERVED_FILES ? this.#file(url) : this.#api(url),
    );
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  override destroy(): Promise<void> {
    return Promise.resolve();
  }

  async #api(url: URL): Promise<CachedAnswer> {
    const [pathId = '', part] = url.pathname.split('/').slice(4).map(decodeURIComponent);
    const operation =
      pathId === '' ? 'listSessions' : part === 'history' ? 'getHistory' : 'getSession';
    const input = Object.fromEntries(url.searchParams);
    const { user_id: userId = '' } = input;
    try {
      const call = { project: 'archive', userId, pathId, input };
      const data = await this.#handlers[operation](call, this.#context);
      return { status: 200, body: `{"code":0,"data":${data}}` };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, serviceCode: code, message } = error;
      return { status, body: JSON.stringify({ code, message, data: null }) };
    }
  }

  async #file({ pathname, search }: URL): Promise<CachedAnswer> {
    const key = keysOf(pathname, search.slice(1)).at(-1) ?? '';
    const named = await artifactAt(this.archive.storage, archivedPathOf(key) ?? '');
    if (!named) return { status: 404, body: '' };
    const body = Buffer.from(await this.archive.storage.get(named.path));
    const headers = { 'content-type': 'text/csv', 'content-length': String(body.length) };
    return { status: 200, headers, body };
  }
}
