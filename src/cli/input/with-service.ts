/** Opens a client of the service for the one user that a command acts for. */
import { proxyFromEnvironment } from '../../base/http/proxy.js';
import { systemRandom, systemClock } from '../../base/runtime.js';
import { ulid } from '../../base/ulid.js';
import { UsageError } from '../../base/error.js';
import { VERSION } from '../../base/version.js';
import type { serviceUserSettings } from '../../config/service-command-settings.js';
import { asUserId, type UserId } from '../../model/ids.js';
import { createServiceClient } from '../../service/create-service-client.js';
import type { ServiceClient } from '../../service/service-client.js';
import { readApiKey } from './api-key.js';
import type { Invocation } from '../command.js';
import { maskedValue } from '../../model/mask-secrets.js';
import { visible } from '../../base/text/visible.js';

export interface UserService {
  readonly service: ServiceClient;
  readonly userId: UserId;
  readonly signal: AbortSignal;
}

/** @throws {UsageError} the service or the key is missing, or not exactly one user is named */
export async function withService<T>(
  { settings, terminal, logger, secrets }: Invocation<typeof serviceUserSettings>,
  use: (acting: UserService) => Promise<T>,
): Promise<T> {
  const { baseUrl } = settings;
  const { signal } = terminal.interruption;
  const userId = oneUser(settings.user);
  const apiKey = await readApiKey(settings.apiKeyFile, { terminal, secrets, logger });
  const service = createServiceClient({
    clock: systemClock,
    random: systemRandom,
    logger,
    terms: terminal.terms,
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

/** @throws {UsageError} no user or several users are named */
function oneUser(named: readonly string[] = []): UserId {
  const [user, ...others] = [...new Set(named)];
  if (user !== undefined && others.length === 0) return asUserId(user);
  const came = user === undefined ? 'no user is named' : `${1 + others.length} users are named`;
  throw new UsageError(`${came}; this command needs exactly one; give --user`);
}

/**
 * Formats a field as a cell: absent and null are empty, lists are separated by semicolons, signatures of
 * URLs are masked.
 */
export function fieldText(field: unknown): string {
  const value = maskedValue(field);
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return visible(value).trimEnd().replaceAll('\n', '\n    ');
  if (Array.isArray(value) && value.every((element) => typeof element === 'string')) {
    return visible(value.join('; '));
  }
  return visible(JSON.stringify(value));
}
