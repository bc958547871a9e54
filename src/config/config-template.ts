/** The text of a new configuration file: what is known is set, what could be set is told. */
import { budgetSettings } from './budget-settings.js';
import { pruneRuleSettings } from './prune-settings.js';
import type { SettingGroup } from './resolve-settings.js';
import type { Setting } from './setting.js';
import { commonSettings, exportSettings, serviceSettings } from './settings.js';
import { storageSettings } from './storage-settings.js';
import { telemetrySettings } from './telemetry-settings.js';

interface Section {
  readonly heading: string;
  readonly settings: readonly Setting[];
}

const { user, usersFile, out, format, project } = exportSettings;
const { logLevel, logFormat } = commonSettings;

const SECTIONS: readonly Section[] = [
  { heading: 'The service', settings: Object.values(serviceSettings) },
  {
    heading: 'Whose history, and where it goes',
    settings: [user, usersFile, out, format, project],
  },
  { heading: 'How an export goes about it', settings: tuningSettings() },
  {
    heading: 'An archive in a bucket: s3://bucket/prefix',
    settings: Object.values(storageSettings),
  },
  { heading: 'What prune and export --delete-archived may delete', settings: pruning() },
  {
    heading: 'Every night: how long it may take, and who is told how it ended',
    settings: [...Object.values(budgetSettings), ...Object.values(telemetrySettings)],
  },
  { heading: 'What is logged', settings: [logLevel, logFormat] },
];

/** What may stand in a new configuration file; `init` takes each as a flag. */
export const templateSettings = {
  ...serviceSettings,
  user,
  usersFile,
  out,
  format,
  project,
  ...budgetSettings,
  ...telemetrySettings,
  ...storageSettings,
} satisfies SettingGroup;

const INTRODUCTION = `# What jobvault is told when nothing else is said. A flag (--rate 10) or a variable
# (JOBVAULT_RATE=10) wins over this file. The API key does not belong in here: set
# JOBVAULT_API_KEY, or name a file that holds it. jobvault config show tells what counts.
`;

/** As the library `yaml` writes it, which no other command needs. */
type Stringify = (value: unknown) => string;

/**
 * @param values by name, as they are to be written; of other settings a commented line tells the default
 * @param schema where editors find the JSON Schema: a path relative to the file
 */
export async function configTemplate(
  values: ReadonlyMap<string, unknown>,
  schema: string,
): Promise<string> {
  const { stringify } = await import('yaml');
  const sections = SECTIONS.map(({ heading, settings }) =>
    [
      `\n# --- ${heading} ---\n`,
      ...settings.map((setting) => entryOf(setting, values, stringify)),
    ].join('\n'),
  );
  return `# yaml-language-server: $schema=${schema}\n${INTRODUCTION}${sections.join('')}`;
}

function entryOf(
  { name, describe, choices, ...setting }: Setting,
  values: ReadonlyMap<string, unknown>,
  stringify: Stringify,
): string {
  const about = `# ${describe}${choices ? `: ${choices.join(', ')}` : ''}\n`;
  if (values.has(name)) return about + stringify({ [name]: values.get(name) });
  const standard = setting.default === undefined ? '' : ` ${stringify(setting.default).trimEnd()}`;
  return `${about}# ${name}:${standard}\n`;
}

/** Not those that make sense for one run only. */
function tuningSettings(): Setting[] {
  const { concurrency, fileConcurrency, pageSize, settleTime, checkpointSize } = exportSettings;
  const { checkpointInterval, maxFileSize, storageBaseUrl, allowPrivateNetwork } = exportSettings;
  const { parquetCodec, signingKey } = exportSettings;
  return [
    concurrency,
    fileConcurrency,
    pageSize,
    settleTime,
    checkpointSize,
    checkpointInterval,
    maxFileSize,
    storageBaseUrl,
    allowPrivateNetwork,
    parquetCodec,
    signingKey,
  ];
}

/** Which sessions go is said when they go: a file must not decide that for `prune`. */
function pruning(): Setting[] {
  return [pruneRuleSettings.holdFile, pruneRuleSettings.maxDelete];
}
