/** Resolves settings: default < configuration file < environment < flag. The file is YAML (and so JSON), one key per setting. */
import { UsageError } from '../base/error.js';
import { nearest } from '../base/text/short-texts.js';
import { type Setting } from './setting.js';
import { masked } from './masked-setting.js';
import { type ConfigFile } from './config-file.js';

export interface SettingSources {
  /** By name; undefined where a flag is not given. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly file: ConfigFile | undefined;
}

export type SettingGroup = Readonly<Record<string, Setting>>;
export type ValuesOf<Group extends SettingGroup> = {
  readonly [K in keyof Group]: Group[K] extends Setting<infer T, infer Optional>
    ? Optional extends false
      ? T
      : T | undefined
    : never;
};

/** `--page-size` is `JOBVAULT_PAGE_SIZE`. */
export function variableOf(name: string): string {
  return `JOBVAULT_${name.toUpperCase().replaceAll('-', '_')}`;
}

/**
 * Returns the values of a group of settings, undefined without a value and a default.
 *
 * @throws {UsageError} names the source, the value and what is allowed; or what is missing
 */
export function resolveSettings<Group extends SettingGroup>(
  group: Group,
  sources: SettingSources,
): ValuesOf<Group> {
  const entries = Object.entries(group);
  const values = new Map(entries.map(([key, setting]) => [key, valueOf(setting, sources)]));
  // what is wrong is told before what is missing
  for (const [key, setting] of entries) {
    if (setting.required === true) givenValue(setting, values.get(key));
  }
  return Object.fromEntries(values) as ValuesOf<Group>;
}

/** @throws {UsageError} the configuration file has an unknown key */
export function checkKeys(file: ConfigFile, known: readonly string[]): void {
  for (const key of Object.keys(file.values)) {
    if (known.includes(key)) continue;
    if (/^(jobvault[-_])?(api[-_]?)?(key|token)$/i.test(key)) {
      throw new UsageError(
        `${file.path}: the API key does not belong in this file ("${key}"); set JOBVAULT_API_KEY, or name a file that holds it: "api-key-file"`,
      );
    }
    const guess = nearest(key, known);
    throw new UsageError(
      `${file.path}: unknown key "${key}"${guess === undefined ? '' : `; did you mean "${guess}"?`}`,
    );
  }
}

/** A value with its source. */
export interface SettingValue {
  readonly source: 'flag' | 'variable' | 'file' | 'default';
  /** For people: `--rate`, `JOBVAULT_RATE`, `jobvault.config.yaml: rate`. */
  readonly where: string;
  /** As it was written, not checked. */
  readonly value: unknown;
}

/** By precedence, the strongest first. */
const SOURCES: readonly SettingValue['source'][] = ['flag', 'variable', 'file', 'default'];

/**
 * Finds the value in effect, unchecked; undefined without a value, or where a rival has a stronger
 * source.
 */
export function valueInEffect(setting: Setting, sources: SettingSources): SettingValue | undefined {
  if (setting.addsUp === true) return valuesOfAllSources(setting, sources);
  const found = ownValue(setting, sources);
  const rank = (candidate: SettingValue | undefined): number =>
    candidate ? SOURCES.indexOf(candidate.source) : Infinity;
  const isBeaten = setting.alternatives?.some(
    (name) => rank(ownValue({ name }, sources)) < rank(found),
  );
  return isBeaten === true ? undefined : found;
}

/** The values of a list from all sources together. */
function valuesOfAllSources(
  setting: Setting,
  { flags, environment, file }: SettingSources,
): SettingValue | undefined {
  const nothing = { flags: {}, environment: {}, file: undefined };
  const found = [{ flags }, { environment }, { file }].flatMap(
    (source) => ownValue(setting, { ...nothing, ...source }) ?? [],
  );
  const [nearest] = found;
  if (!nearest) return undefined;
  const where = found.map((settingValue) => settingValue.where).join(' and ');
  return { source: nearest.source, where, value: found.flatMap(({ value }) => value) };
}

function ownValue(
  { name, isFlagOnly = false, default: standard }: Pick<Setting, 'name' | 'isFlagOnly' | 'default'>,
  { flags, environment, file }: SettingSources,
): SettingValue | undefined {
  const variable = variableOf(name);
  const inEnvironment = environment[variable];
  if (flags[name] !== undefined) {
    return { source: 'flag', where: `--${name}`, value: flags[name] };
  }
  if (!isFlagOnly && inEnvironment !== undefined && inEnvironment !== '') {
    return { source: 'variable', where: variable, value: inEnvironment };
  }
  if (!isFlagOnly && file && Object.hasOwn(file.values, name)) {
    return { source: 'file', where: `${file.path}: ${name}`, value: file.values[name] };
  }
  if (standard === undefined) return undefined;
  return { source: 'default', where: `the default of --${name}`, value: standard };
}

function valueOf(setting: Setting, sources: SettingSources): unknown {
  const found = valueInEffect(setting, sources);
  return found && checked(setting, found.value, found.where);
}

/** A value that some invocations of a command cannot do without. @throws {UsageError} it is undefined */
export function givenValue<T>(setting: Setting<T>, value: T | undefined): T {
  if (value !== undefined) return value;
  const { name, isFlagOnly, describe } = setting;
  const how = isFlagOnly === true ? 'give it' : `give it, or set ${variableOf(name)}`;
  throw new UsageError(`--${name} is missing; ${how} (${uncapitalised(describe)})`);
}

/** `Why: a matter` is `why: a matter`; a word such as JSON stays. */
function uncapitalised(text: string): string {
  return text.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());
}

function checked(setting: Setting, given: unknown, where: string): unknown {
  const result = setting.schema.safeParse(given);
  if (result.success) return result.data;
  if (isGivenTwice(setting, given, where)) {
    const values = setting.isSecret
      ? ''
      : `, as ${given.map((received) => shown(received)).join(' and ')}`;
    throw new UsageError(
      `${where} is given ${TIMES[given.length] ?? `${given.length} times`}${values}; give it once`,
    );
  }
  const value = setting.isSecret ? 'not what it should be' : shown(masked(setting, given));
  throw new UsageError(`${where} is ${value}; allowed is ${setting.allowed}`);
}

const TIMES: Readonly<Record<number, string>> = { 2: 'twice' };

/** Whether each value of a flag would do, and only one is allowed. */
function isGivenTwice({ schema }: Setting, given: unknown, where: string): given is unknown[] {
  if (!where.startsWith('--') || !Array.isArray(given) || given.length < 2) return false;
  return given.every((value) => schema.safeParse(value).success);
}

function shown(given: unknown): string {
  if (Array.isArray(given) && given.length === 1) return shown(given[0]);
  const json = JSON.stringify(given);
  return json.length > 80 ? `${json.slice(0, 77)}…` : json;
}
