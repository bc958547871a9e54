/** The service, and the one user that a command acts for. */
import { proxyFromEnvironment } from '../../base/http/proxy.js';
import { systemRandom } from '../../base/random.js';
import { systemClock } from '../../base/system-clock.js';
import { ulid } from '../../base/ulid.js';
import { UsageError } from '../../base/usage-error.js';
import { VERSION } from '../../base/version.js';
import type { actingSettings } from '../../config/service-command-settings.js';
import { asUserId, type UserId } from '../../model/ids.js';
import { createServiceClient } from '../../service/create-service-client.js';
import type { ServiceClient } from '../../service/service-client.js';
import { readApiKey } from './api-key.js';
import type { Invocation } from '../command.js';

export interface Acting {
  readonly service: ServiceClient;
  readonly userId: UserId;
  readonly signal: AbortSignal;
}

/** @throws {UsageError} no service, no key, or not exactly one user is named */
export async function actingFor<T>(
  { settings, terminal, logger, secrets }: Invocation<typeof actingSettings>,
  use: (acting: Acting) => Promise<T>,
): Promise<T> {
  const { baseUrl } = settings;
  const { signal } = terminal.interruption;
  if (baseUrl === undefined) throw new UsageError('no service is named; give --base-url');
  const userId = oneUser(settings.user);
  const apiKey = await readApiKey(settings.apiKeyFile, terminal);
  secrets.push(apiKey);
  const service = createServiceClient({
    clock: systemClock,
    random: systemRandom,
    logger,
    userAgent: `jobvault/${VERSION}`,
    traceId: `jobvault-${ulid(systemClock, systemRandom)}`,
    baseUrl,
    apiKey,
    apiKeyHeader: settings.apiKeyHeader,
    rate: settings.rate,
    signal,
    proxy: proxyFromEnvironment(terminal.environment),
  });
  try {
    return await use({ service, userId, signal });
  } finally {
    await service.close();
  }
}

/** @throws {UsageError} nobody, or several */
function oneUser(named: readonly string[] = []): UserId {
  const [user, ...others] = [...new Set(named)];
  if (user !== undefined && others.length === 0) return asUserId(user);
  const came = user === undefined ? 'no user is named' : `${1 + others.length} users are named`;
  throw new UsageError(`${came}; this command acts for exactly one: give --user`);
}
