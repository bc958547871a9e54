/** Starts the emulator: the API on one origin, the files on another, and access for tests to its data, statistics and faults. */
import { setMaxListeners } from 'node:events';
import { API_ROUTES, buildApiServer } from './api/api-server.js';
import { KeyRing } from './api/key-ring.js';
import { RateWindow } from './api/rate-window.js';
import { EmulatorState } from './emulator-state.js';
import { noFaults, type Faults } from './faults/faults.js';
import { Occasions } from './faults/occasions.js';
import { buildFileServer } from './files/file-server.js';
import { UrlSigner } from './files/url-signer.js';
import { closeServer, listen } from './listen.js';
import { emulatorSettings, type EmulatorOptions } from './options.js';
import { RandomStream } from './seed/random-stream.js';
import { SeededWorld } from './seed/seeded-world.js';
import { TrafficStats } from './stats.js';
import { openDataFile } from './world/data-file.js';
import { importHistories } from './world/import-histories.js';
import { World } from './world/world.js';

export interface Emulator {
  /** `http://host:port`, without a slash at the end. */
  readonly baseUrl: string;
  /** The origin of the file host. */
  readonly filesUrl: string;
  /** The data; can be read and changed at any time. */
  readonly state: EmulatorState;
  /** The requests so far. */
  readonly stats: TrafficStats;
  /** The faults; can be set at any time. */
  readonly faults: Faults;
  /** Cuts open connections, frees the ports and saves the data file. */
  close(): Promise<void>;
}

/**
 * Resolves when both origins answer.
 *
 * @throws {UsageError} an option, a data file or an import file makes no sense, or a port cannot be had
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const settings = emulatorSettings(options);
  const { clock, seed, apiKeys, host } = settings;
  const seedProject = Object.values(apiKeys)[0] ?? '';
  const world = new World(new SeededWorld(settings), seedProject);
  const dataFile = await openDataFile(settings.dataFile, world);
  for (const path of settings.importFiles) await importHistories(path, world, seedProject);
  const saving = await dataFile.saveAfterEveryChange();

  const faults: Faults = { ...noFaults(), ...settings.faults };
  const stats = new TrafficStats();
  const closing = new AbortController();
  // each delayed answer adds a listener, and Node.js warns about more than ten
  setMaxListeners(0, closing.signal);
  const random = RandomStream.of(seed, 'answers');
  const occasions = new Occasions(RandomStream.of(seed, 'faults'));
  let filesUrl = '';
  let growth = 0;
  const secret = `emulator secret ${seed}`;
  const signer = new UrlSigner({
    origin: () => filesUrl,
    secret,
    ttlMs: settings.urlTtlMs,
    clock,
    changingParameter: () => faults.changingUrlParameter,
  });
  const { maxPageSize } = settings;
  const growing = { next: () => ++growth };
  const context = { world, faults, signer, clock, random, maxPageSize, growth: growing };
  const keys = new KeyRing(settings.apiKeyHeader, apiKeys, settings.expiredApiKeys);
  const rate = new RateWindow(settings.rateLimit);
  const guard = { faults, stats, occasions, clock, closing: closing.signal };
  const api = buildApiServer({ ...guard, routes: API_ROUTES, context, keys, rate });
  const files = buildFileServer({ ...guard, files: world.files, signer });

  const close = async (): Promise<void> => {
    closing.abort(new Error('the emulator is closed'));
    await closeServer(api);
    await closeServer(files);
    await saving.finish();
  };
  try {
    filesUrl = await listen(files, { port: settings.filesPort, host, flag: '--files-port' });
    const baseUrl = await listen(api, { port: settings.port, host, flag: '--port' });
    const state = new EmulatorState({ world, keys, origin: () => filesUrl });
    return { baseUrl, filesUrl, state, stats, faults, close };
  } catch (error) {
    await close();
    throw error;
  }
}
