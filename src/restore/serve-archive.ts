/** Serves an archive as the service would: the twelve operations on one origin, the files on another, read-only. */
import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Archive } from '../archive/archive.js';
import { assertNotPseudonymised } from '../archive/identity.js';
import { type Clock, systemClock } from '../base/runtime.js';
import { buildApiServer } from '../emulator/api/api-server.js';
import { refusals, RateWindow } from '../emulator/api/api-call.js';
import { KeyRing } from '../emulator/api/key-ring.js';
import { noFaults, Occasions } from '../emulator/faults/faults.js';
import { UrlSigner } from '../emulator/files/url-signer.js';
import { emulatorSettings } from '../emulator/options.js';
import { closeServer, listen } from '../emulator/listen.js';
import { RandomStream } from '../emulator/seed/seed-plan.js';
import { SeededWorld } from '../emulator/seed/seeded-world.js';
import { TrafficStats } from '../emulator/stats.js';
import { World } from '../emulator/world/world.js';
import { makeTemporaryDirectory } from '../storage/local/temporary-directory.js';
import { archiveHandlers } from './archive-routes.js';
import { buildArchivedFiles } from './archived-files.js';
import { ArchivedSessions, type ReadingOptions } from './archived-sessions.js';

export interface ServeArchiveOptions extends Omit<ReadingOptions, 'scratch'> {
  /** The directory in which records are set aside while they are served. Default: the system's temporary directory */
  readonly scratch?: string | undefined;
  /** The only one. Default: one made at random. */
  readonly apiKey?: string | undefined;
  /** Default 127.0.0.1 */
  readonly host?: string | undefined;
  /** The port of the API; 0 takes a free one. Default 0 */
  readonly port?: number | undefined;
  /** The port of the file host; 0 takes a free one. Default 0 */
  readonly filesPort?: number | undefined;
  /** How long a file's URL lives. Default 10 minutes */
  readonly urlTtlMs?: number | undefined;
  /** Called when a file turns out to be missing or damaged; its answer is cut. */
  readonly onDamage?: ((error: unknown) => void) | undefined;
}

export interface ServedArchive {
  /** `http://host:port`, without a slash at the end. */
  readonly baseUrl: string;
  readonly filesUrl: string;
  readonly apiKey: string;
  readonly sessions: ArchivedSessions;
  close(): Promise<void>;
}

const PROJECT = 'archive';
/** How long an answer may come after an erasure has begun. */
const CHECK_EVERY_MS = 1000;

/**
 * Resolves when both origins answer.
 *
 * @throws {UsageError} a port cannot be had, or the archive is a pseudonymised copy
 * @throws {ErasureUnfinishedError} the log is half redacted
 * @throws {IntegrityError | FormatError} the archive is damaged
 */
export async function serveArchive(options: ServeArchiveOptions): Promise<ServedArchive> {
  const { archive, host = '127.0.0.1', urlTtlMs = 600_000, onDamage = () => undefined } = options;
  assertNotPseudonymised(archive.storage.location, archive.identity);
  const apiKey = options.apiKey ?? randomBytes(24).toString('base64url');
  const clock = systemClock;
  const directory = await makeTemporaryDirectory(options.scratch);
  const sessions = await ArchivedSessions.read({ ...options, scratch: directory.storage }).catch(
    async (error: unknown) => {
      await directory.remove();
      throw error;
    },
  );
  let filesUrl = '';
  const signer = new UrlSigner({
    origin: () => filesUrl,
    secret: randomBytes(32).toString('hex'),
    ttlMs: urlTtlMs,
    clock,
    changingParameter: () => '',
  });
  const settings = emulatorSettings({ users: 0 });
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const faults = { ...noFaults(), order: 'oldest' as const };
  const random = RandomStream.of(randomBytes(16).toString('hex'));
  const occasions = new Occasions(random);
  const api = buildApiServer({
    handlers: archiveHandlers(sessions, erasureCheck(archive, sessions, clock)),
    context: {
      world: new World(new SeededWorld(settings), PROJECT),
      faults,
      occasions,
      signer,
      clock,
      random,
      maxPageSize: settings.maxPageSize,
      growth: { next: () => 0 },
    },
    keys: new KeyRing(settings.apiKeyHeader, { [apiKey]: PROJECT }, []),
    rate: new RateWindow(0),
    stats: new TrafficStats(),
    occasions,
    closing: closing.signal,
  });
  const files = buildArchivedFiles({ archive, signer, clock, onDamage });
  const close = async (): Promise<void> => {
    closing.abort();
    await closeServer(api);
    await closeServer(files);
    await sessions.discard();
    await directory.remove();
  };
  try {
    const { port = 0, filesPort = 0 } = options;
    filesUrl = await listen(files, { port: filesPort, host, flag: '--files-port' });
    const baseUrl = await listen(api, { port, host, flag: '--port' });
    return { baseUrl, filesUrl, apiKey, sessions, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Refuses to answer once something was erased from the archive; the log is asked once a second. */
function erasureCheck(
  archive: Archive,
  sessions: ArchivedSessions,
  clock: Clock,
): () => Promise<void> {
  let askedAtMs = clock.monotonic();
  let asked = Promise.resolve();
  return async () => {
    if (clock.monotonic() - askedAtMs >= CHECK_EVERY_MS) {
      askedAtMs = clock.monotonic();
      asked = archive.index.refresh();
    }
    await asked;
    if (sessions.isOutlivedIn(archive)) {
      throw refusals.internal('something was erased from the archive: serve it again');
    }
  };
}
