/** Checks everything that an export needs. */
import type { ArchiveFormat } from '../archive/identity.js';
import type { Clock } from '../base/clock.js';
import { messageOf } from '../base/error.js';
import { silentLogger, type Logger } from '../base/logger.js';
import { proxyFor, type ProxySettings } from '../base/http/proxy.js';
import { systemRandom, type Random } from '../base/random.js';
import { systemClock } from '../base/system-clock.js';
import { ulid } from '../base/ulid.js';
import { VERSION } from '../base/version.js';
import { asUserId } from '../model/ids.js';
import { createServiceClient } from '../service/create-service-client.js';
import { SERVICE_DEFAULTS } from '../service/options.js';
import type { StorageOptions } from '../storage/open-storage.js';
import { examineLocation } from './examine-location.js';
import { examineService } from './examine-service.js';
import { failed, ok, type Finding } from './finding.js';

/** The options of an export. Each can be missing, which is a finding. */
export interface SetupOptions {
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly apiKeyHeader?: string | undefined;
  readonly users?: readonly string[] | undefined;
  readonly out?: string | undefined;
  readonly storage?: StorageOptions | undefined;
  readonly project?: string | undefined;
  readonly formats?: readonly ArchiveFormat[] | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** Default 20. */
  readonly rate?: number | undefined;
  /** Default 100. */
  readonly pageSize?: number | undefined;
  /** Default 128 MB. */
  readonly checkpointBytes?: number | undefined;
  /** `process.version`. */
  readonly nodeVersion: string;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly logger?: Logger | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Sends one request to the service, two if the first fails. Removes what it writes. */
export async function examineSetup(options: SetupOptions): Promise<Finding[]> {
  const { out, storage = {}, clock = systemClock, random = systemRandom } = options;
  const checkpointBytes = options.checkpointBytes ?? 128e6;
  const { baseUrl, project, formats } = options;
  const location =
    out === undefined
      ? [failed('write access', 'no archive is named', 'give --out', 'usage')]
      : await examineLocation({
          out,
          storage,
          baseUrl,
          project,
          formats,
          checkpointBytes,
          clock,
          random,
        });
  return [
    ...examineVersions(options.nodeVersion),
    ...(await service(options, clock, random)),
    ...location,
  ];
}

async function service(options: SetupOptions, clock: Clock, random: Random): Promise<Finding[]> {
  const { baseUrl, apiKey, signal, users = [], logger = silentLogger } = options;
  const [user] = users;
  const missing = [
    ...(baseUrl === undefined
      ? [failed('service', 'no service is named', 'give --base-url', 'usage')]
      : []),
    ...(apiKey === undefined
      ? [failed('API key', 'no key is set', 'set JOBVAULT_API_KEY or give --api-key-file', 'usage')]
      : []),
    ...(user === undefined
      ? [failed('users', 'no user is named', 'give --user or --users-file', 'usage')]
      : [ok('users', users.length === 1 ? user : `${users.length}; ${user} is checked`)]),
  ];
  if (baseUrl === undefined || apiKey === undefined || user === undefined) return missing;
  const rate = options.rate ?? SERVICE_DEFAULTS.rate;
  try {
    const { apiKeyHeader, proxy, pageSize = 100 } = options;
    const client = createServiceClient({
      baseUrl,
      apiKey,
      apiKeyHeader,
      proxy,
      rate,
      clock,
      random,
      logger,
      signal,
      traceId: `jobvault-doctor-${ulid(clock, random)}`,
      userAgent: `jobvault/${VERSION}`,
    });
    try {
      const proxyHost = proxyFor(new URL(baseUrl), proxy)?.host;
      const request = { baseUrl, proxy: proxyHost, userId: asUserId(user), pageSize, rate };
      return [
        ...missing,
        ...(await examineService({ ...request, service: client, clock, signal })),
      ];
    } finally {
      await client.close();
    }
  } catch (error) {
    signal?.throwIfAborted();
    const fix = 'jobvault config show shows where a setting comes from';
    return [...missing, failed('service', messageOf(error), fix, 'usage')];
  }
}

/** `engines` of package.json. */
const MIN_NODE = [20, 19] as const;

/** @param nodeVersion `v20.19.0` */
function examineVersions(nodeVersion: string): Finding[] {
  const message = `jobvault ${VERSION} on Node.js ${nodeVersion.replace(/^v/, '')}`;
  const [major = 0, minor = 0] = nodeVersion.replace(/^v/, '').split('.').map(Number);
  const [minMajor, minMinor] = MIN_NODE;
  const isRecent = major > minMajor || (major === minMajor && minor >= minMinor);
  if (isRecent) return [ok('versions', message)];
  return [failed('versions', message, `install Node.js ${MIN_NODE.join('.')} or newer`, 'usage')];
}
