/** Writes a configuration file and its schema, after asking for what is missing. */
import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isThere } from '../../input/given-file.js';
import { codeOf, fileErrorReason, UsageError } from '../../../base/error.js';
import {
  resolveSettings,
  valueInEffect,
  type SettingSources,
  type ValuesOf,
} from '../../../config/resolve-settings.js';
import {
  type ConfigFile,
  DEFAULT_CONFIG_PATH,
  readConfigFile,
} from '../../../config/config-file.js';
import { configTemplate, templateSettings } from '../../../config/config-template.js';
import { configSchema } from '../../../config/config-schema.js';
import { asConfigured, NO_PLACE, step } from '../../../base/next-step.js';
import type { Setting } from '../../../config/setting.js';
import type { commonSettings } from '../../../config/common-settings.js';
import { setupSettings } from '../../../config/setup-settings.js';
import { checkBaseUrl } from '../../../base/http/base-url.js';
import { askForSettings, type Answers } from '../../ask-for-settings.js';
import { defineCommand } from '../../command.js';
import { isUrl } from '../../input/outside-archive.js';
import { loginName } from '../../input/recorded-person.js';
import { canAsk } from '../../input/questions.js';
import {
  keyFileBeside,
  metricsFolderBeside,
  nightlyFiles,
  nightlySteps,
  bucketStep,
  toldText,
  type Credentials,
  type NightlyFile,
} from '../../nightly-files.js';
import type { Text } from '../../output/aligned.js';
import type { Terminal } from '../../output/terminal.js';

const SCHEMA_NAME = 'jobvault.schema.json';

export const initCommand = defineCommand({
  usage: 'init',
  describe: 'Write a commented configuration file, with a schema for editors',
  settings: {
    ...templateSettings,
    force: setupSettings.force,
    yes: setupSettings.yes,
    nightly: setupSettings.nightly,
    scheduler: setupSettings.scheduler,
  },
  examples: {
    'jobvault init': 'on a terminal, asks for what a first export needs',
    'jobvault init --base-url https://api.example.com --users-file users.csv --out ./archive':
      'then: jobvault doctor, jobvault export',
    'jobvault init --nightly --users-file users.csv --out s3://bucket/prefix':
      'also the key file, systemd units (--scheduler cron: a crontab and its script), alert rules and a dashboard',
    'jobvault init --nightly --force --ping-url https://hc-ping.com/…':
      'changes one setting, and keeps what else the file sets',
  },
  ignoresConfigFile: true,
  // it writes the URLs of monitors, and must not call them
  isDryRun: () => true,
  run: async ({ settings: asGiven, sources: withoutFile, terminal, secrets }) => {
    const config = asGiven.config ?? DEFAULT_CONFIG_PATH;
    const schema = join(dirname(config), SCHEMA_NAME);
    if (!asGiven.force) await assertAbsent(config);
    const { file, notKept } = await earlierFile(config);
    const known: SettingSources = { ...withoutFile, file };
    const given = { ...asGiven, ...resolveSettings(templateSettings, known) };
    if (given.baseUrl !== undefined) checkBaseUrl(given.baseUrl);
    const asks = canAsk(terminal) && !given.yes;
    const planned = given.nightly ? withNightlyFiles(known, config) : known;
    const isScheduled = await isThere(join(dirname(config), 'jobvault.cron'));
    const isChosen = known.flags[setupSettings.scheduler.name] !== undefined;
    const nightlyQuestions = given.nightly
      ? {
          asksScheduler: !isChosen && !isScheduled,
          keyFile: await keyFileToFill(planned, terminal),
          lacksCredentials: !(await isThere(join(dirname(config), 'environment'))),
        }
      : undefined;
    const answers: Answers = asks
      ? await askForSettings({ terminal, sources: planned, secrets, nightly: nightlyQuestions })
      : { sources: planned };
    const { sources } = answers;
    const settings = {
      ...given,
      ...resolveSettings(templateSettings, sources),
      scheduler:
        answers.scheduler === 'cron' || (isScheduled && !isChosen)
          ? ('cron' as const)
          : given.scheduler,
    };
    const key = answers.apiKey ?? terminal.environment['JOBVAULT_API_KEY'] ?? '';
    const { credentials } = answers;
    const nightly = given.nightly
      ? await nightlyFilesOf({ ...settings, credentials }, config, key)
      : [];
    if (!given.force) for (const { path } of nightly) await assertAbsent(path);
    const text = await configTemplate(valuesOf(sources), `./${basename(schema)}`);
    await mkdir(dirname(config), { recursive: true }).catch(cannotWrite(config));
    const replaced = await writeNew(config, text, settings.force);
    await writeFile(schema, `${JSON.stringify(configSchema(), null, 2)}\n`).catch(
      cannotWrite(schema),
    );
    for (const { path, text: content, mode } of nightly) {
      await mkdir(dirname(path), { recursive: true }).catch(cannotWrite(path));
      replaced.push(...(await writeNew(path, content, settings.force, mode)));
    }
    const { metricsDir } = settings;
    if (given.nightly && metricsDir !== undefined) {
      await makeReadable(metricsDir).catch(cannotWrite(metricsDir));
    }
    const files = nightly.map(({ path }) => path);
    const { apiKeyFile, usersFile } = settings;
    const lacks = {
      lacksKey: given.nightly && apiKeyFile !== undefined && (await isEmpty(apiKeyFile)),
      lacksUsers: usersFile !== undefined && usersFile !== '-' && !(await isThere(usersFile)),
    };
    const bucket = given.nightly ? await bucketStep({ config, out: settings.out }) : '';
    return {
      value: { config, schema, ...(given.nightly ? { files } : {}), replaced },
      view: {
        // the configuration names the store
        place: NO_PLACE,
        headline: `Wrote ${config} and, for editors, ${schema}.`,
        lines: [
          ...(files.length === 0 ? [] : [`Wrote ${files.join(', ')}.`]),
          ...notKept,
          ...(replaced.length === 0
            ? []
            : [`What was there before is kept: ${replaced.join(', ')}.`]),
          ...nextSteps(settings, { ...lacks, bucket }),
        ],
      },
    };
  },
});

/** What is set already; of a file that cannot be read, a sentence instead. */
async function earlierFile(
  config: string,
): Promise<{ readonly file: ConfigFile | undefined; readonly notKept: readonly string[] }> {
  if (!(await isThere(config))) return { file: undefined, notKept: [] };
  try {
    return { file: await readConfigFile(config), notKept: [] };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { file: undefined, notKept: [`None of its settings were kept: ${error.message}.`] };
  }
}

/** The key and the metrics lie beside the configuration, unless somebody says otherwise. */
function withNightlyFiles(sources: SettingSources, config: string): SettingSources {
  const { apiKeyFile, metricsDir } = templateSettings;
  const beside = [
    [apiKeyFile, keyFileBeside(config)],
    [metricsDir, metricsFolderBeside(config)],
  ] as const;
  const missing = beside.filter(([setting]) => !valueInEffect(setting, sources));
  const added = Object.fromEntries(missing.map(([{ name }, path]) => [name, path]));
  return { ...sources, flags: { ...sources.flags, ...added } };
}

/** Undefined where the file is there already, or a variable has the key. */
async function keyFileToFill(
  sources: SettingSources,
  { environment }: Terminal,
): Promise<string | undefined> {
  const { apiKeyFile } = resolveSettings({ apiKeyFile: templateSettings.apiKeyFile }, sources);
  const isKnown = Boolean(environment['JOBVAULT_API_KEY']);
  return apiKeyFile === undefined || isKnown || (await isThere(apiKeyFile))
    ? undefined
    : apiKeyFile;
}

/** A key file that is there already stays as it is. */
async function nightlyFilesOf(
  {
    apiKeyFile,
    out,
    scheduler,
    metricsDir,
    credentials,
  }: Settled &
    Pick<ValuesOf<typeof setupSettings>, 'scheduler'> & {
      readonly credentials: Credentials | undefined;
    },
  config: string,
  key: string,
): Promise<NightlyFile[]> {
  const program = [process.execPath, resolve(process.argv[1] ?? 'jobvault')];
  const files: NightlyFile[] = [];
  for (const file of await nightlyFiles({
    ...{ config, scheduler, out, metricsDir, credentials, program },
    user: loginName(),
  })) {
    if (file.isKept !== true || !(await isThere(file.path))) files.push(file);
  }
  if (apiKeyFile === undefined || (await isThere(apiKeyFile))) return files;
  return [{ path: apiKeyFile, text: key === '' ? '' : `${key}\n`, mode: 0o600 }, ...files];
}

/** Whether the file is empty, as after an earlier `init` after which nobody has put the key there. */
async function isEmpty(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text?.trim() === '';
}

/** The given values as they were written; defaults stay comments. */
function valuesOf(sources: SettingSources): Map<string, unknown> {
  const values = Object.values<Setting>(templateSettings).flatMap((setting) => {
    const found = valueInEffect({ ...setting, default: undefined }, sources);
    return found ? [[setting.name, plain(setting, found.value)] as const] : [];
  });
  return new Map(values);
}

/** Settings that name a file or a directory of this machine. */
const PATHS: ReadonlySet<string> = new Set(['out', 'users-file', 'api-key-file', 'metrics-dir']);

/** Writes numbers as numbers, and paths as absolute paths: cron runs in another directory. */
function plain({ name, schema }: Setting, value: unknown): unknown {
  if (PATHS.has(name) && typeof value === 'string' && value !== '-' && !isUrl(value)) {
    return resolve(value);
  }
  const { data } = schema.safeParse(value);
  return typeof data === 'number' && String(data) === value ? data : value;
}

/**
 * What it replaces stays beside it, unless that is the same.
 *
 * @param mode default: a configuration that everybody may write is not found without --config
 * @returns the path of what was there before, or nothing
 */
async function writeNew(
  path: string,
  text: string,
  force: boolean,
  mode = 0o644,
): Promise<string[]> {
  try {
    const before = force ? await readFile(path, 'utf8').catch(() => text) : text;
    const kept = before === text ? [] : [`${path}.bak`];
    for (const copy of kept) await copyFile(path, copy);
    await writeFile(path, text, { flag: force ? 'w' : 'wx', mode });
    return kept;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') cannotWrite(path)(error);
    throw existsAlready(path);
  }
}

/** Makes what is missing of a path, for a collector that runs as another user: whatever the umask is. */
async function makeReadable(directory: string): Promise<void> {
  const first = await mkdir(directory, { recursive: true });
  if (first === undefined) return;
  const top = resolve(first);
  for (let made = resolve(directory); made.startsWith(top); made = dirname(made)) {
    await chmod(made, 0o755);
  }
}

/** Called before any question. @throws {UsageError} the file exists */
async function assertAbsent(path: string): Promise<void> {
  if (await isThere(path)) throw existsAlready(path);
}

function existsAlready(path: string): UsageError {
  return new UsageError(
    `${path} exists already; --force replaces it, and keeps the settings of the configuration`,
  );
}

function cannotWrite(path: string): (error: unknown) => never {
  return (error) => {
    throw new UsageError(`${path} cannot be written: ${fileErrorReason(error)}`, { cause: error });
  };
}

type Settled = Pick<
  ValuesOf<typeof templateSettings & typeof commonSettings>,
  | 'baseUrl'
  | 'user'
  | 'usersFile'
  | 'out'
  | 'config'
  | 'apiKeyFile'
  | 'metricsDir'
  | 'pingUrl'
  | 'webhookUrl'
>;

function nextSteps(
  {
    baseUrl,
    user,
    usersFile,
    out,
    config: named,
    apiKeyFile,
    nightly,
    scheduler,
    pingUrl,
    webhookUrl,
  }: Settled & Pick<ValuesOf<typeof setupSettings>, 'scheduler' | 'nightly'>,
  {
    lacksKey,
    lacksUsers,
    bucket,
  }: { readonly lacksKey: boolean; readonly lacksUsers: boolean; readonly bucket: string },
): Text[] {
  const missing = [
    ...(baseUrl === undefined ? ['base-url'] : []),
    ...(user === undefined && usersFile === undefined ? ['user'] : []),
    ...(out === undefined ? ['out'] : []),
  ];
  const users = lacksUsers
    ? `There is no ${resolve(usersFile ?? '')} yet: write it, with the id of a user in each line. `
    : '';
  const fillIn = `${missing.length === 0 ? '' : `Fill in ${missing.join(', ')}. `}${users}`;
  const config = nightly ? resolve(named ?? DEFAULT_CONFIG_PATH) : named;
  const place = config === undefined ? [] : ['--config', config];
  const toKey = apiKeyFile === undefined ? 'Set JOBVAULT_API_KEY, then:' : 'Then:';
  const first = [
    lacksKey ? `Put the API key into ${apiKeyFile ?? ''}, then:` : toKey,
    step`  ${asConfigured('doctor', ...place)}`,
    step`  ${asConfigured('export', ...place)}`,
  ];
  if (!nightly || config === undefined) {
    const again = asConfigured('init', '--nightly', '--force', ...place);
    return before(fillIn, [...first, 'Every night:', step`  ${again}`]);
  }
  return before(fillIn + bucket, [
    ...first,
    ...nightlySteps({ config, scheduler }),
    ...toldText({ scheduler, pingUrl, webhookUrl }),
  ]);
}

/** Sentences before the first line, on the same line. */
function before(sentences: string, [first = '', ...rest]: readonly Text[]): Text[] {
  return [step`${sentences}${first}`, ...rest];
}
