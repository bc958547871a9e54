/** Settings of S3, for every command that opens an archive. */
import { parseRetention } from '../model/times/retention.js';
import { S3_OPTIONS, type S3Options, type S3OptionValue } from '../storage/s3/s3-options.js';
import type { SettingGroup, ValuesOf } from './resolve-settings.js';
import { type Setting, choice, list, parsed, text, toggle } from './setting.js';

type Option = keyof typeof S3_OPTIONS;
type OptionSetting<Name extends Option> = Setting<
  S3OptionValue<Name>,
  (typeof S3_OPTIONS)[Name] extends { readonly kind: 'switch' } | { readonly default: string }
    ? false
    : true
>;

const s3Settings = Object.fromEntries(
  Object.entries(S3_OPTIONS).map(([option, shape]) => [option, settingOf(option, shape)]),
) as unknown as { readonly [Name in Option]: OptionSetting<Name> };

function settingOf(option: string, shape: (typeof S3_OPTIONS)[Option]): Setting {
  const { describe, kind } = shape;
  const name = `s3-${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const described = { name, describe, section: 'bucket', inNewFile: true } as const;
  switch (kind) {
    case 'text':
      return text(described);
    case 'address':
      return text({ ...described, isAddress: true, sends: 'all requests for the archive' });
    case 'switch':
      return toggle(described);
    case 'list':
      return list(described);
    case 'choice': {
      const { choices, ...rest } = shape;
      return choice({ ...described, ...('default' in rest && { default: rest.default }) }, [
        ...choices,
      ]);
    }
    case 'retention':
      return parsed(
        described,
        'a time such as 7y or 90d, or a day, month or year such as 2033-12-31, 2033-12 or 2033',
        parseRetention,
      );
  }
}

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

/** The settings of a copy's target, where it differs from the archive: `--target-s3-region` and so on, without defaults. */
export const targetSettings = prefixed(
  'targetS3',
  Object.fromEntries(
    Object.entries(s3Settings).map(([option, setting]) => [
      option,
      {
        ...setting,
        name: `target-${setting.name}`,
        default: undefined,
        inNewFile: false,
        ...(setting.sends !== undefined && { sends: 'all requests for the copy' }),
      },
    ]),
  ) as unknown as Optional<typeof s3Settings>,
);

/** What the settings say, as options of a storage. */
export function storageOptionsOf(given: ValuesOf<typeof storageSettings>): { s3: S3Options } {
  return s3Options((option) => keyOf('s3', option), given);
}

/** The options of a copy's target: where nothing else is said, what is said of the archive. */
export function targetOptionsOf(given: ValuesOf<typeof storageSettings & typeof targetSettings>): {
  s3: S3Options;
} {
  const values = new Map(Object.entries(given));
  const isSet = (option: string): boolean => values.get(keyOf('targetS3', option)) !== undefined;
  return s3Options((option) => keyOf(isSet(option) ? 'targetS3' : 's3', option), given);
}

function s3Options(nameOf: (option: string) => string, given: object): { s3: S3Options } {
  const values = new Map<string, unknown>(Object.entries(given));
  const valueOf = (option: string): [string, unknown] => [option, values.get(nameOf(option))];
  return { s3: Object.fromEntries(Object.keys(S3_OPTIONS).map(valueOf)) };
}
