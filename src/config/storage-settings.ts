/** Settings of S3, for every command that opens an archive. */
import { parseRetention } from '../model/records.js';
import type { SettingGroup, ValuesOf } from './resolve-settings.js';
import { type Setting, choice, list, parsed, text, toggle } from './setting.js';

/** Under the names of the storage's options: flag, setting and option follow from one entry. */
const s3Settings = {
  endpoint: text({
    name: 's3-endpoint',
    describe: 'The address of an S3-compatible store, such as https://s3.example.com; default: AWS',
    isAddress: true,
  }),
  region: text({ name: 's3-region', describe: 'The region of the bucket' }),
  forcePathStyle: toggle({
    name: 's3-force-path-style',
    describe: 'Put the bucket into the path, not into the host name',
  }),
  sse: choice({ name: 's3-sse', describe: 'Encryption on the server' }, ['AES256', 'aws:kms']),
  kmsKeyId: text({ name: 's3-kms-key-id', describe: 'The key for --s3-sse aws:kms' }),
  storageClass: text({
    name: 's3-storage-class',
    describe: 'The storage class, such as STANDARD_IA',
  }),
  acl: text({ name: 's3-acl', describe: 'A canned ACL such as bucket-owner-full-control' }),
  tags: list({ name: 's3-tags', describe: 'KEY=VALUE for every object; repeatable' }),
  checksum: choice(
    {
      name: 's3-checksum',
      describe: 'What the store checks uploads against; none for stores that refuse checksums',
      default: 'sha256',
    },
    ['sha256', 'crc32', 'none'],
  ),
  objectLock: choice(
    { name: 's3-object-lock', describe: 'The object lock mode of everything that is archived' },
    ['COMPLIANCE', 'GOVERNANCE'],
  ),
  retain: parsed(
    {
      name: 's3-retain-until',
      describe:
        'With --s3-object-lock: how long, counted from the upload, or up to and including which day, month or year (UTC)',
    },
    'a time such as 7y or 90d, or a day, month or year such as 2033-12-31, 2033-12 or 2033',
    parseRetention,
  ),
};

type S3Options = ValuesOf<typeof s3Settings>;
type Prefixed<Prefix extends string, Settings> = {
  readonly [
    Option in keyof Settings & string as `${Prefix}${Capitalize<Option>}`
  ]: Settings[Option];
};
type Optional<Settings> = {
  readonly [Option in keyof Settings]: Settings[Option] extends Setting<infer T>
    ? Setting<T, true>
    : never;
};

const keyOf = (prefix: string, option: string): string =>
  `${prefix}${option.charAt(0).toUpperCase()}${option.slice(1)}`;

function prefixed<Prefix extends string, Settings extends SettingGroup>(
  prefix: Prefix,
  settings: Settings,
): Prefixed<Prefix, Settings> {
  return Object.fromEntries(
    Object.entries(settings).map(([option, setting]) => [keyOf(prefix, option), setting]),
  ) as Prefixed<Prefix, Settings>;
}

export const storageSettings = prefixed('s3', s3Settings);

/** Of a copy's target, where it differs from the archive: `--target-s3-region` and so on, without defaults. */
export const targetSettings = prefixed(
  'targetS3',
  Object.fromEntries(
    Object.entries(s3Settings).map(([option, setting]) => [
      option,
      { ...setting, name: `target-${setting.name}`, default: undefined },
    ]),
  ) as unknown as Optional<typeof s3Settings>,
);

/** What the settings say, as options of a storage. */
export function storageOptionsOf(given: ValuesOf<typeof storageSettings>): { s3: S3Options } {
  return s3Options((option) => keyOf('s3', option), given);
}

/** Likewise, of a copy's target: where nothing else is said, what is said of the archive. */
export function targetOptionsOf(given: ValuesOf<typeof storageSettings & typeof targetSettings>): {
  s3: S3Options;
} {
  const values = new Map(Object.entries(given));
  const isTold = (option: string): boolean => values.get(keyOf('targetS3', option)) !== undefined;
  return s3Options((option) => keyOf(isTold(option) ? 'targetS3' : 's3', option), given);
}

function s3Options(nameOf: (option: string) => string, given: object): { s3: S3Options } {
  const values = new Map<string, unknown>(Object.entries(given));
  const valueOf = (option: string): [string, unknown] => [option, values.get(nameOf(option))];
  return { s3: Object.fromEntries(Object.keys(s3Settings).map(valueOf)) as S3Options };
}
