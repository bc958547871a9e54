/** Warns where a configuration file that was found, not named, sends secrets: another person may have written it. */
import {
  valueInEffect,
  type SettingSources,
  type SettingGroup,
} from '../config/resolve-settings.js';
import { type Setting } from '../config/setting.js';
import { shownAddress } from '../base/text/address.js';

/**
 * One sentence; undefined where `--config` named the file, or the command uses no host that it names.
 *
 * @param settings the command's own
 */
export function foundConfigSentence(
  settings: SettingGroup,
  sources: SettingSources,
): string | undefined {
  const { file } = sources;
  if (!file?.isFound) return undefined;
  const parts = Object.values<Setting>(settings).flatMap((setting) => {
    const { name, sends } = setting;
    const inEffect = sends === undefined ? undefined : valueInEffect(setting, sources);
    if (inEffect?.source !== 'file') return [];
    const what = name === 'base-url' ? keyOf(settings, sources) : sends;
    return what === undefined ? [] : [`${what} to ${hostOf(inEffect.value)}`];
  });
  if (parts.length === 0) return undefined;
  return `${file.path}, found in this directory, sends ${parts.join(', ')}; pass --config ${file.path} to confirm`;
}

/** Names the API key; undefined where the command sends none. */
function keyOf({ apiKeyFile }: SettingGroup, sources: SettingSources): string | undefined {
  const inEffect = apiKeyFile && valueInEffect(apiKeyFile, sources);
  if (inEffect) return `the API key in ${String(inEffect.value)}`;
  return apiKeyFile && sources.environment['JOBVAULT_API_KEY']
    ? 'the API key of JOBVAULT_API_KEY'
    : undefined;
}

/** Without credentials, path and query: they can hold secrets. */
function hostOf(value: unknown): string {
  const url = String(value);
  return URL.canParse(url) && !url.includes('@') ? new URL(url).host : shownAddress(url);
}
