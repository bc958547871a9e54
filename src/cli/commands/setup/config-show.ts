/** Shows the effective settings with their sources; secrets are masked. */
import { proxyFromEnvironment } from '../../../base/http/proxy.js';
import { ENCRYPTED, keyInTheClear } from '../../../base/http/key-in-the-clear.js';
import { shownAddress } from '../../../base/text/address.js';
import { ALL_SETTINGS } from '../../../config/all-settings.js';
import { type Setting } from '../../../config/setting.js';
import { masked } from '../../../config/masked-setting.js';
import {
  resolveSettings,
  valueInEffect,
  type SettingSources,
} from '../../../config/resolve-settings.js';
import { defineCommand } from '../../command.js';
import type { Terminal } from '../../output/terminal.js';

interface Shown {
  readonly name: string;
  readonly value: unknown;
  readonly source: string;
  /** The source, for people. */
  readonly where: string;
}

/** By name; where several commands have a setting of one name, the first. Here none is required. */
const settings = new Map<string, Setting>();
for (const setting of ALL_SETTINGS) {
  if (!settings.has(setting.name)) settings.set(setting.name, { ...setting, required: false });
}

const group: Readonly<Record<string, Setting>> = Object.fromEntries(settings);

export const configShowCommand = defineCommand({
  usage: 'config show',
  describe: 'Show the effective settings and where each comes from; secrets are masked',
  settings: group,
  examples: {
    'jobvault config show': 'what the file and the variables say',
    'jobvault config show --defaults': 'also the defaults',
    'jobvault config show --rate 5 --json': 'what a command would use with this flag',
  },
  onlyReads: () => true,
  run: ({ settings: given, sources, terminal }) => {
    // reports values that no command would accept
    resolveSettings(group, sources);
    const all = [...settings.values()].flatMap((setting) => shownOf(setting, sources));
    const wanted = all.filter(({ source }) => given['defaults'] === true || source !== 'default');
    const shown = [...wanted, ...otherVariables(terminal.environment)];
    const rows = shown.map((setting) => [
      setting.name,
      textOf(setting.value),
      sourceText(setting, sources),
    ]);
    const baseUrl = given['base-url'];
    const inTheClear = keyInTheClear(typeof baseUrl === 'string' ? baseUrl : '');
    const warnings = inTheClear === undefined ? [] : [`${inTheClear}; ${ENCRYPTED}`];
    const value = { file: sources.file?.path ?? null, settings: shown, warnings };
    return Promise.resolve({
      value: value,
      view:
        rows.length === 0
          ? { headline: 'Nothing is set; --defaults shows the default values.' }
          : { table: { headings: ['setting', 'value', 'source'], rows } },
      ...(warnings.length > 0 && { note: `\n${warnings.map(sentenceOf).join('\n')}` }),
    });
  },
});

function sentenceOf(warning: string): string {
  return `${warning.slice(0, 1).toUpperCase()}${warning.slice(1)}.`;
}

function shownOf(setting: Setting, sources: SettingSources): Shown[] {
  const inEffect = valueInEffect(setting, sources);
  if (!inEffect) return [];
  const { source } = inEffect;
  const where = source === 'default' ? 'default' : inEffect.where;
  return [{ name: setting.name, value: masked(setting, inEffect.value), source, where }];
}

/** Variables that are no settings: the API key and the proxies. */
function otherVariables(environment: Terminal['environment']): Shown[] {
  const { httpProxy, httpsProxy, noProxy } = proxyFromEnvironment(environment);
  const variables: readonly (readonly [string, string | undefined])[] = [
    ['JOBVAULT_API_KEY', environment['JOBVAULT_API_KEY'] ? '*** (set, not shown)' : undefined],
    ['HTTP_PROXY', httpProxy && shownAddress(httpProxy)],
    ['HTTPS_PROXY', httpsProxy && shownAddress(httpsProxy)],
    ['NO_PROXY', noProxy],
    ['NODE_EXTRA_CA_CERTS', environment['NODE_EXTRA_CA_CERTS']],
  ];
  return variables.flatMap(([name, value]) =>
    value ? [{ name, value, source: 'variable', where: 'environment' }] : [],
  );
}

/** The file by its path alone: the key is the setting's name. */
function sourceText({ source, where }: Shown, { file }: SettingSources): string {
  return source === 'file' && file ? file.path : where;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
