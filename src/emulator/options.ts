/** The emulator's options with their defaults and checks. `jobvault serve` maps its flags to them. */
import { type Clock, systemClock } from '../base/runtime.js';
import { LIMITS } from '../model/records.js';
import { UsageError } from '../base/error.js';
import type { Faults } from './faults/faults.js';

export interface EmulatorOptions {
  /** The address to listen on. Default 127.0.0.1 */
  readonly host?: string;
  /** The port of the API; 0 takes a free one. Default 0 */
  readonly port?: number;
  /** The port of the file host; 0 takes a free one. Default 0 */
  readonly filesPort?: number;
  /** Each key with the project that it belongs to; seed data belongs to the first. Default `demo-key` of `demo` */
  readonly apiKeys?: Readonly<Record<string, string>>;
  /** Expired keys, answered with 1002. Default none */
  readonly expiredApiKeys?: readonly string[];
  /** Default x-pd-api-key */
  readonly apiKeyHeader?: string;
  /** How long a file's URL lives, in milliseconds from the moment its page is served. Default 600000 */
  readonly urlTtlMs?: number;
  /** API requests in any one second, all keys together; 0: no limit. Default 0 */
  readonly rateLimit?: number;
  /** A larger page is clamped to this. Default 100 */
  readonly maxPageSize?: number;
  /** The same seed gives the same data, where the other options are the same, too. Default 1 */
  readonly seed?: number;
  /** Default 3 */
  readonly users?: number;
  /** The sessions of each user, at most 150. Default 8 */
  readonly sessions?: number;
  /** At most, in each session. Default 12 */
  readonly jobs?: number;
  /** Every session has exactly `jobs` jobs. Default false */
  readonly exactJobs?: boolean;
  /** Blocks of every answer. Default: as the topic has it */
  readonly blocksPerJob?: number | undefined;
  /** Files of every answer. Default: as the topic has it */
  readonly artifactsPerJob?: number | undefined;
  /** Adds unusual names and contents, as a test wants them and a first look does not. Default true */
  readonly odd?: boolean;
  /** Adds jobs whose files cannot be downloaded: bare storage keys, missing files, a web page as a table. Default false */
  readonly gaps?: boolean;
  /** JSON files with histories to serve beside the seed data. Default none */
  readonly importFiles?: readonly string[];
  readonly clock?: Clock;
  /** Faults from the start. Default none, newest first */
  readonly faults?: Partial<Faults>;
}

export type Settings = Required<EmulatorOptions>;

/** The defaults of `startEmulator`; `jobvault serve` has nothing odd unless asked. */
export const EMULATOR_DEFAULTS: Settings = {
  host: '127.0.0.1',
  port: 0,
  filesPort: 0,
  apiKeys: { 'demo-key': 'demo' },
  expiredApiKeys: [],
  apiKeyHeader: 'x-pd-api-key',
  urlTtlMs: 600_000,
  rateLimit: 0,
  maxPageSize: 100,
  seed: 1,
  users: 3,
  sessions: 8,
  jobs: 12,
  exactJobs: false,
  blocksPerJob: undefined,
  artifactsPerJob: undefined,
  odd: true,
  gaps: false,
  importFiles: [],
  clock: systemClock,
  faults: {},
};

/** Whole numbers and their bounds, both included. */
const BOUNDS: Readonly<Partial<Record<keyof Settings, readonly [number, number]>>> = {
  port: [0, 65_535],
  filesPort: [0, 65_535],
  urlTtlMs: [1, 7 * 86_400_000],
  rateLimit: [0, 1_000_000],
  maxPageSize: [1, 1_000_000],
  seed: [0, 2 ** 32 - 1],
  users: [0, 1_000_000],
  sessions: [0, LIMITS.sessionsPerUser],
  jobs: [0, 1_000_000],
  blocksPerJob: [3, 10_000],
  artifactsPerJob: [0, 1000],
};

/**
 * Options with their defaults filled in.
 *
 * @throws {UsageError} naming the option, what came and what is allowed
 */
export function emulatorSettings(options: EmulatorOptions): Settings {
  const given = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  );
  const settings: Settings = { ...EMULATOR_DEFAULTS, ...given };
  for (const [name, bounds] of Object.entries(BOUNDS)) {
    const value = settings[name as keyof Settings];
    if (value !== undefined && !isWithin(value, bounds)) {
      const [low, high] = bounds;
      const came = JSON.stringify(value);
      throw new UsageError(
        `emulator: ${name} is ${came}; allowed is a whole number from ${low} to ${high}`,
      );
    }
  }
  if (Object.keys(settings.apiKeys).length === 0) {
    throw new UsageError('emulator: apiKeys is empty; at least one key with its project is needed');
  }
  const { blocksPerJob, artifactsPerJob } = settings;
  if ((artifactsPerJob ?? 0) + 2 > (blocksPerJob ?? Infinity)) {
    throw new UsageError(
      `emulator: artifactsPerJob is ${artifactsPerJob ?? 0}; allowed is at most blocksPerJob less 2`,
    );
  }
  return settings;
}

function isWithin(value: unknown, [low, high]: readonly [number, number]): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high;
}
