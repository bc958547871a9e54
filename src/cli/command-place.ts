/** Says for the lines of other commands where the archive is, what finds its store, and where the API key is from. */
import { resolve } from 'node:path';
import { NO_PLACE, type CommandPlace } from '../base/next-step.js';
import { valueInEffect, type SettingSources } from '../config/resolve-settings.js';
import type { Setting } from '../config/setting.js';
import { serviceSettings } from '../config/access-settings.js';
import { exportSettings } from '../config/export-settings.js';
import { storageSettings } from '../config/storage-settings.js';

/** @param archive default: that of this invocation */
export function placeOf(
  sources: SettingSources,
  archive: string | undefined = archiveIn(sources),
): CommandPlace {
  const location = archive === undefined ? undefined : fullLocation(archive);
  return {
    archive: location,
    options: optionsOf(location ?? '', sources),
    apiKey: keyPlace(sources),
  };
}

/** Where the key in effect is from: `the key in /etc/jobvault/api-key (--api-key-file)`. */
function keyPlace(sources: SettingSources): string {
  const found = valueInEffect(serviceSettings.apiKeyFile, sources);
  const isSet = Boolean(sources.environment['JOBVAULT_API_KEY']);
  if (typeof found?.value !== 'string') {
    return isSet ? 'the key in JOBVAULT_API_KEY' : NO_PLACE.apiKey;
  }
  const rest = isSet ? '; JOBVAULT_API_KEY is set, too, and not used' : '';
  return `the key in ${found.value} (${found.where}${rest})`;
}

/** Undefined where there is none, or several. */
function archiveIn(sources: SettingSources): string | undefined {
  const { archive } = sources.flags;
  const named = archive ?? valueInEffect(exportSettings.out, sources)?.value;
  return typeof named === 'string' && named !== '' ? named : undefined;
}

/** The configuration file that was named, or that knows the store; without a file, the flags that find a store. */
function optionsOf(location: string, sources: SettingSources): string[] {
  const isBucket = location.startsWith('s3://');
  const config = configInEffect(sources, isBucket);
  const { s3Endpoint, s3Region, s3ForcePathStyle } = storageSettings;
  const flags = isBucket ? [s3Endpoint, s3Region, s3ForcePathStyle] : [];
  return [
    ...(config === undefined ? [] : ['--config', config]),
    ...flags.flatMap((setting: Setting) => {
      const found = valueInEffect({ ...setting, default: undefined }, sources);
      if (!found || found.source === 'file') return [];
      // a variable has a switch as a text
      const value: unknown = setting.schema.safeParse(found.value).data;
      if (typeof value === 'boolean') return value ? [`--${setting.name}`] : [];
      const word = typeof value === 'string' ? value : '';
      return word === '' || word.includes('@') ? [] : [`--${setting.name}`, word];
    }),
  ];
}

/**
 * The archive to which a setting belongs. A flag is for the archive beside it; what a configuration or a variable names
 * belongs to the archive that it names as `out`, and a command on another one leaves it alone.
 *
 * @returns undefined where the setting is a flag, has no value, or names none
 */
export function archiveOfSetting(setting: Setting, sources: SettingSources): string | undefined {
  const { source } = valueInEffect(setting, sources) ?? {};
  if (source !== 'file' && source !== 'variable') return undefined;
  const beside = { ...sources, flags: {} };
  const inFile =
    source === 'file' && valueInEffect(exportSettings.out, { ...beside, environment: {} });
  const out = (inFile || valueInEffect(exportSettings.out, beside))?.value;
  return typeof out === 'string' ? fullLocation(out) : undefined;
}

/** An absolute path or a URL. */
export function fullLocation(location: string): string {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(location) ? location : resolve(location);
}

/** One that was found is found again, by whoever is in its directory: an archive there is, and a bucket is not. */
export function configInEffect({ file }: SettingSources, countsFound: boolean): string | undefined {
  if (!file || (file.isFound && !countsFound)) return undefined;
  return resolve(file.path);
}
