/** Opens the service that an archive belongs to, for commands that look at both. */
import type { Archive } from '../../archive/archive.js';
import { normaliseBaseUrl } from '../../base/http/base-url.js';
import { createArtifactFetcher } from '../../artifacts/fetcher.js';
import { privateNetworkOf } from '../../artifacts/guard.js';
import type { ServiceAccess } from '../../repair/service-access.js';
import { withFields } from '../../base/logger.js';
import { proxyFromEnvironment } from '../../base/http/proxy.js';
import { systemRandom } from '../../base/random.js';
import { systemClock } from '../../base/system-clock.js';
import { UsageError } from '../../base/usage-error.js';
import { VERSION } from '../../base/version.js';
import type { verifySettings } from '../../config/verify-settings.js';
import { createServiceClient } from '../../service/create-service-client.js';
import { readApiKey } from './api-key.js';
import type { Invocation } from '../command.js';

/**
 * The archive knows its service; an address that is given must be the same.
 *
 * @throws {UsageError} it is another, or there is no API key
 */
export async function withServiceAccess<T>(
  invocation: Invocation<typeof verifySettings>,
  archive: Archive,
  use: (access: ServiceAccess) => Promise<T>,
): Promise<T> {
  const { settings, terminal, secrets, runId, tracer } = invocation;
  const { signal } = terminal.interruption;
  const baseUrl = archive.identity.service.base_url;
  if (settings.baseUrl !== undefined && normaliseBaseUrl(settings.baseUrl) !== baseUrl) {
    throw new UsageError(
      `${archive.storage.location} is the archive of ${baseUrl}, not of ${normaliseBaseUrl(settings.baseUrl)}`,
    );
  }
  const apiKey = await readApiKey(settings.apiKeyFile, terminal);
  secrets.push(apiKey);
  const logger = withFields(invocation.logger, { run: runId });
  const proxy = proxyFromEnvironment(terminal.environment);
  const world = { clock: systemClock, random: systemRandom, logger, proxy, tracer };
  const userAgent = `jobvault/${VERSION}`;
  const service = createServiceClient({
    ...world,
    userAgent,
    baseUrl,
    apiKey,
    apiKeyHeader: settings.apiKeyHeader,
    traceId: `jobvault-${runId}`,
    rate: settings.rate,
    signal,
  });
  const fetcher = createArtifactFetcher({
    ...world,
    userAgent,
    storage: archive.storage,
    concurrency: settings.fileConcurrency,
    maxFileBytes: settings.maxFileSize,
    storageBaseUrl: settings.storageBaseUrl,
    allowPrivateNetwork: settings.allowPrivateNetwork || privateNetworkOf(baseUrl),
  });
  try {
    return await use({ service, fetcher, clock: systemClock, pageSize: settings.pageSize, signal });
  } finally {
    await Promise.all([service.close(), fetcher.close()]);
  }
}

/** Whether somebody has given a key, so that the service can be asked without being told to. */
export function hasApiKey({
  settings,
  terminal,
}: Pick<Invocation<typeof verifySettings>, 'settings' | 'terminal'>): boolean {
  return settings.apiKeyFile !== undefined || Boolean(terminal.environment['JOBVAULT_API_KEY']);
}
