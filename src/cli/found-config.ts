/** Says where a configuration file that nobody named sends things: whoever put it there may be somebody else. */
import { redactUrl } from '../base/redact.js';
import { saidOf, type SettingGroup, type SettingSources } from '../config/resolve-settings.js';
import type { Setting } from '../config/setting.js';

/** What goes to a host that the setting of this name names. */
const SENT: Readonly<Record<string, string>> = {
  'base-url': 'the API key',
  redis: 'the users to export',
  's3-endpoint': 'the archive',
  'target-s3-endpoint': 'the copy',
  'storage-base-url': 'requests for files',
  'ping-url': 'pings',
  'webhook-url': 'what came of the run',
};

/**
 * One sentence; undefined where the file was named, or names no host that the command uses.
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
    const sent = SENT[setting.name];
    const said = sent === undefined ? undefined : saidOf(setting, sources);
    if (sent === undefined || said?.source !== 'file') return [];
    const what = setting.name === 'base-url' ? keyOf(settings, sources) : sent;
    return what === undefined ? [] : [`${what} to ${hostOf(said.value)}`];
  });
  if (parts.length === 0) return undefined;
  return `${file.path}, found in this directory, sends ${parts.join(', ')}; --config ${file.path} says that it is meant`;
}

/** Which API key it is; undefined where the command sends none. */
function keyOf({ apiKeyFile }: SettingGroup, sources: SettingSources): string | undefined {
  const said = apiKeyFile && saidOf(apiKeyFile, sources);
  if (said) return `the API key in ${String(said.value)}`;
  return apiKeyFile && sources.environment['JOBVAULT_API_KEY']
    ? 'the API key of JOBVAULT_API_KEY'
    : undefined;
}

/** Without credentials, path and query, of which some are secrets. */
function hostOf(value: unknown): string {
  const url = String(value);
  return URL.canParse(url) ? new URL(url).host : redactUrl(url);
}
