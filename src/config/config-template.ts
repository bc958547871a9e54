/** Makes the text of a new configuration file, and the JSON Schema with which editors check it. */
import { ALL_SETTINGS } from './all-settings.js';
import { serviceSettings } from './access-settings.js';
import { exportSettings } from './export-settings.js';
import { budgetSettings } from './budget-settings.js';
import type { SettingGroup } from './resolve-settings.js';
import { choicesText, sectionsOf, type Setting } from './setting.js';
import { storageSettings } from './storage-settings.js';
import { telemetrySettings } from './telemetry-settings.js';

const { user, usersFile, out, formats, project } = exportSettings;

/** The settings of a new configuration file; `init` takes each as a flag. */
export const templateSettings = {
  ...serviceSettings,
  user,
  usersFile,
  out,
  formats,
  project,
  ...budgetSettings,
  ...telemetrySettings,
  ...storageSettings,
} satisfies SettingGroup;

const INTRODUCTION = `# Settings of jobvault. A flag (--rate 10) or a variable (JOBVAULT_RATE=10) overrides this
# file. The API key does not belong here: set JOBVAULT_API_KEY, or name a file that holds it
# (api-key-file). jobvault config show prints the settings in effect.
`;

/** `stringify` of the library `yaml`, which is loaded on demand. */
type Stringify = (value: unknown) => string;

/**
 * @param values by name; other settings become comments with their default
 * @param schema where editors find the JSON Schema: a path relative to the file
 */
export async function configTemplate(
  values: ReadonlyMap<string, unknown>,
  schema: string,
): Promise<string> {
  const { stringify } = await import('yaml');
  const lasting = ALL_SETTINGS.filter(({ inNewFile }) => inNewFile);
  const isFirst = ({ name }: Setting, at: number): boolean =>
    lasting.findIndex((other) => other.name === name) === at;
  const sections = sectionsOf(lasting.filter(isFirst), 'Others').map(({ heading, settings }) =>
    [
      `\n# --- ${heading} ---\n`,
      ...settings.map((setting) => entryOf(setting, values, stringify)),
    ].join('\n'),
  );
  return `# yaml-language-server: $schema=${schema}\n${INTRODUCTION}${sections.join('')}`;
}

function entryOf(
  setting: Setting,
  values: ReadonlyMap<string, unknown>,
  stringify: Stringify,
): string {
  const { name, describe } = setting;
  const about = `# ${describe}${choicesText(setting)}\n`;
  if (values.has(name)) return about + stringify({ [name]: values.get(name) });
  const standard = setting.default === undefined ? '' : ` ${stringify(setting.default).trimEnd()}`;
  return `${about}# ${name}:${standard}\n`;
}
