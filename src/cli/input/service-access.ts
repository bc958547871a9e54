/** Collects the settings that reach the service of an archive. */
import { proxyFromEnvironment } from '../../base/http/proxy.js';
import type { verifySettings } from '../../config/verify-settings.js';
import type { ServiceChoices } from '../../repair/service-access.js';
import type { Invocation } from '../command.js';
import { readApiKey } from './api-key.js';

/** @throws {UsageError} there is no API key */
export async function serviceChoicesOf(
  invocation: Invocation<typeof verifySettings>,
): Promise<ServiceChoices> {
  const { settings, terminal, runId } = invocation;
  const apiKey = await readApiKey(settings.apiKeyFile, invocation);
  return {
    ...settings,
    apiKey,
    runId,
    proxy: proxyFromEnvironment(terminal.environment),
  };
}

/** Whether a key is given, so that a repair can ask the service. */
export function hasApiKey({
  settings,
  terminal,
}: Pick<Invocation<typeof verifySettings>, 'settings' | 'terminal'>): boolean {
  return settings.apiKeyFile !== undefined || Boolean(terminal.environment['JOBVAULT_API_KEY']);
}
