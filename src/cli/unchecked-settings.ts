/** What settings say before they are checked: where they are from, what of them is secret, how to print. */
import { readConfigFile } from '../config/config-file.js';
import { secretsOf } from '../config/masked-setting.js';
import { resolveSettings, valueInEffect, type SettingSources } from '../config/resolve-settings.js';
import { commonSettings } from '../config/common-settings.js';
import type { Command } from './command.js';
import { validSettings } from './monitors/monitored-run.js';
import type { LoggerSettings } from './output/cli-logger.js';

/** @throws {UsageError} the configuration file cannot be read */
export async function withFile(sources: SettingSources): Promise<SettingSources> {
  const { config } = resolveSettings({ config: commonSettings.config }, sources);
  return { ...sources, file: await readConfigFile(config) };
}

/** What is not allowed may be a secret, too. */
export function noteSecrets(
  { settings }: Command,
  sources: SettingSources,
  secrets: string[],
): void {
  for (const setting of Object.values(settings)) {
    secrets.push(...secretsOf(setting, valueInEffect(setting, sources)?.value));
  }
}

/** Whether the output is JSON, also where other settings are not valid. */
export function wantsJson(sources: SettingSources): boolean {
  return validSettings({ json: commonSettings.json }, sources).json ?? false;
}

/** The format of the log, as far as flags and variables say it. */
export function formatIn(sources: SettingSources): LoggerSettings['format'] {
  return validSettings({ logFormat: commonSettings.logFormat }, sources).logFormat;
}
