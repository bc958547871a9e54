/** Lines of other commands, so that they work where they are pasted: in another shell, in another directory. */
import { resolve } from 'node:path';
import { valueInEffect, type SettingSources } from '../config/resolve-settings.js';
import type { Setting } from '../config/setting.js';
import { exportSettings, serviceSettings } from '../config/settings.js';
import { storageSettings } from '../config/storage-settings.js';

/** An archive in the line of another command, with what says where its store is. */
export function placeWords(location: string, sources: SettingSources): string {
  return `${placeWord(location)}${optionWords(location, sources)}`;
}

/** Commands that need no archive in their line, but what the configuration says. */
const OF_SETTINGS =
  /\bjobvault (?:doctor|enqueue|export|sessions list|datasets list)(?![\w-])(?! --out)/g;
const OF_ARCHIVE = /(\bjobvault [a-z]+(?: [a-z]+)?(?: --out)?) ARCHIVE\b/g;

/** A text of this program whose commands name the archive of this invocation, and what says where its store is. */
export function pasteable(text: string, sources: SettingSources): string {
  const archive = archiveIn(sources);
  const options = optionWords(archive ?? '', sources);
  const withOptions = text
    .replace(ANY_KEY, () => keyPlace(sources))
    .replace(OF_SETTINGS, (command) => `${command}${options}`);
  if (archive === undefined) return withOptions;
  return withOptions.replace(
    OF_ARCHIVE,
    (_, command: string) => `${command} ${placeWord(archive)}${options}`,
  );
}

/** Where a next step means the key, wherever it is from. */
const ANY_KEY = 'JOBVAULT_API_KEY or --api-key-file';

/** Where the key in effect is from: `the key in /etc/jobvault/api-key (--api-key-file)`. */
export function keyPlace(sources: SettingSources): string {
  const found = valueInEffect(serviceSettings.apiKeyFile, sources);
  const isSet = Boolean(sources.environment['JOBVAULT_API_KEY']);
  if (typeof found?.value !== 'string') return isSet ? 'the key in JOBVAULT_API_KEY' : ANY_KEY;
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
function optionWords(location: string, sources: SettingSources): string {
  const isBucket = location.startsWith('s3://');
  const config = configInEffect(sources, isBucket);
  const { s3Endpoint, s3Region, s3ForcePathStyle } = storageSettings;
  const flags = isBucket ? [s3Endpoint, s3Region, s3ForcePathStyle] : [];
  return [
    ...(config === undefined ? [] : [` --config ${shellWord(config)}`]),
    ...flags.flatMap((setting: Setting) => {
      const found = valueInEffect({ ...setting, default: undefined }, sources);
      if (!found || found.source === 'file') return [];
      // a variable has a switch as a text
      const value: unknown = setting.schema.safeParse(found.value).data;
      if (typeof value === 'boolean') return value ? [` --${setting.name}`] : [];
      const word = typeof value === 'string' ? value : '';
      return word === '' || word.includes('@') ? [] : [` --${setting.name} ${shellWord(word)}`];
    }),
  ].join('');
}

/** One that was found is found again, by whoever is in its directory: an archive there is, and a bucket is not. */
export function configInEffect({ file }: SettingSources, countsFound: boolean): string | undefined {
  if (!file || (file.isFound && !countsFound)) return undefined;
  return resolve(file.path);
}

/** A directory or a bucket as it is typed into a POSIX shell: never like a flag, nor like a word of the sentence. */
export function placeWord(place: string): string {
  return /^[\w@-][\w.@-]*$/.test(place) ? `./${place}` : shellWord(place);
}

/** A word as it is typed into a POSIX shell. */
export function shellWord(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
