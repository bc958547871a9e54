/** Defines a setting: a flag `--name`, a variable `JOBVAULT_NAME` and a key `name` of the configuration file. */
import { z } from 'zod';
import { DURATION_PATTERN, parseDuration } from '../base/units.js';
import { parseByteSize } from '../base/byte-size.js';

/** `Optional`: whether the value can be missing, because there is no default. */
export interface Setting<T = unknown, Optional extends boolean = boolean> {
  /** For types only. */
  readonly optional?: Optional;
  /** Words with hyphens: `page-size`. */
  readonly name: string;
  /** For `--help`, which adds the default. */
  readonly describe: string;
  /** What it is about, in a long help and in a new configuration file. Default: nothing that has a heading. */
  readonly section?: Section;
  /** A new configuration file has it, as a comment with its default: it is not for a single run. */
  readonly inNewFile?: boolean;
  /** The allowed values, for errors: `a whole number from 1 to 1000`. */
  readonly allowed: string;
  /** Parses the value of a file, a variable or a flag: text, numbers, booleans or lists of these. */
  readonly schema: z.ZodType<T>;
  /** How it is given on the command line. */
  readonly form: 'value' | 'switch' | 'list';
  /** For `--help`, where the values are few. */
  readonly choices?: readonly string[];
  /**
   * Neither a variable nor the file can set it: there the name means something else, as `user` is a user to
   * export.
   */
  readonly isFlagOnly?: boolean;
  /** Names of settings with the same purpose: the one with the strongest source is in effect. */
  readonly alternatives?: readonly string[];
  /** A list whose values from all sources are in effect together: no flag replaces those of a file. */
  readonly addsUp?: boolean;
  /** As a user writes it; undefined without a default. */
  readonly default?: string | number | boolean | readonly string[] | undefined;
  /** The command ends without it. */
  readonly required?: boolean;
  /** `--help` leaves it out, `--help --all` has it. */
  readonly isRare?: boolean;
  /** Never shown. */
  readonly isSecret?: boolean;
  /** It may hold credentials, which are never shown: rightly written, wrongly written, or not allowed. */
  readonly isAddress?: boolean;
  /** What goes to the host that it names: whoever can set it for others gets that. */
  readonly sends?: string;
}

/** Settings under a heading, in a help text or in a configuration file. */
export interface SettingSection {
  readonly heading: string;
  readonly settings: readonly Setting[];
}

/** The headings, in their order. */
const SECTIONS = {
  users: 'Users and archive',
  service: 'The service',
  scope: 'What to export',
  budget: 'Budget',
  pace: 'Concurrency and checkpoints',
  files: 'Files',
  bucket: 'An archive in a bucket: s3://bucket/prefix',
  deletion: 'Deleting from the service what is archived',
  signing: 'Signing',
  monitoring: 'Monitoring',
  log: 'Log',
} as const;
export type Section = keyof typeof SECTIONS;

/** Settings by what they are about, without empty sections; those of none have the heading `others`. */
export function sectionsOf(settings: readonly Setting[], others: string): SettingSection[] {
  const under = (about: string | undefined) => settings.filter(({ section }) => section === about);
  return [
    ...Object.entries(SECTIONS).map(([about, heading]) => ({ heading, settings: under(about) })),
    { heading: others, settings: under(undefined) },
  ].filter(({ settings: some }) => some.length > 0);
}

/** Goes on where the description ends; empty where any value is allowed. */
export function choicesText({ choices, form }: Setting): string {
  if (!choices) return '';
  return `; ${form === 'list' ? 'any' : 'one'} of ${choices.join(', ')}`;
}

type Described = Pick<Setting, 'name' | 'describe' | 'default'> &
  Partial<
    Pick<
      Setting,
      | 'isSecret'
      | 'isAddress'
      | 'sends'
      | 'isFlagOnly'
      | 'isRare'
      | 'section'
      | 'inNewFile'
      | 'alternatives'
      | 'addsUp'
      | 'required'
    >
  >;
type IsOptional<D extends Described> = D extends
  { readonly default: NonNullable<D['default']> } | { readonly required: true }
  ? false
  : true;

/** The same setting for a command that cannot do without it. */
export function required<T>(setting: Setting<T>): Setting<T, false> {
  return { ...setting, optional: false, required: true };
}

const SIZE = String.raw`^\d+(\.\d+)?\s*([KMGT]?B|[KMGT]iB)?$`;
const SHARE = String.raw`^(\d+(?:\.\d+)?)%$`;

const scalar = z.union([z.string(), z.number()]).transform(String);
// these are made once, not for each of some hundred settings: that takes a few milliseconds of each start
const TEXT = scalar.pipe(z.string().min(1)).meta({ minLength: 1 });
const TOGGLE = z.union([
  z.boolean(),
  z
    .enum(['true', 'false', '1', '0', 'yes', 'no'])
    .transform((word) => ['true', '1', 'yes'].includes(word)),
]);
const LIST = z
  .union([scalar.transform((value) => [value]), z.array(scalar)])
  .pipe(z.array(z.string().min(1)).min(1))
  .meta({ minLength: 1, minItems: 1 });
const POSITIVE = scalar
  .refine((value) => /^\d+(\.\d+)?$/.test(value))
  .transform(Number)
  .pipe(z.number().positive())
  .meta({ exclusiveMinimum: 0, pattern: String.raw`^\d+(\.\d+)?$` });
const BYTES = converted(parseByteSize).meta({ exclusiveMinimum: 0, pattern: SIZE });

export function text<const D extends Described>(setting: D): Setting<string, IsOptional<D>> {
  return {
    allowed: 'a text that is not empty',
    form: 'value',
    schema: TEXT,
    ...setting,
  };
}

/** @param most characters */
export function limitedText<const D extends Described>(
  setting: D,
  most: number,
): Setting<string, IsOptional<D>> {
  const { schema, ...rest } = text(setting);
  return {
    ...rest,
    allowed: `a text of 1 to ${most} characters`,
    schema: schema
      .refine((value) => Array.from(value).length <= most)
      .meta({ minLength: 1, maxLength: most }),
  };
}

/** Off by default. `default: undefined`: without a value until one is given. */
export function toggle<const D extends Described>(
  setting: D,
): Setting<boolean, D extends { readonly default: undefined } ? true : false> {
  return { allowed: 'true or false', form: 'switch', schema: TOGGLE, default: false, ...setting };
}

export function whole<const D extends Described>(
  setting: D,
  [least, most]: readonly [number, number],
): Setting<number, IsOptional<D>> {
  const schema = scalar
    .refine((value) => /^\d+$/.test(value))
    .transform(Number)
    .pipe(z.int().min(least).max(most))
    .meta({ multipleOf: 1, minimum: least, maximum: most, pattern: String.raw`^\d+$` });
  return { allowed: `a whole number from ${least} to ${most}`, form: 'value', schema, ...setting };
}

export function positive<const D extends Described>(setting: D): Setting<number, IsOptional<D>> {
  return { allowed: 'a number above 0', form: 'value', schema: POSITIVE, ...setting };
}

/** Milliseconds. */
export function duration<const D extends Described>(setting: D): Setting<number, IsOptional<D>> {
  return durationFrom('above 0 such as 200ms, 30s, 5m, 2h, 30d or 7y', 1, setting);
}

/** Milliseconds; `0s` for not at all. */
export function durationOrNone<const D extends Described>(
  setting: D,
): Setting<number, IsOptional<D>> {
  return durationFrom('such as 0s, 30s, 5m, 2h, 30d or 7y', 0, setting);
}

/** Milliseconds, an hour at least. */
export function hours<const D extends Described>(setting: D): Setting<number, IsOptional<D>> {
  return durationFrom('of at least 1h, such as 12h or 30d', 3_600_000, setting);
}

/** Milliseconds, by which something is deleted or erased: `6m` is refused, which people write for six months. */
export function age<const D extends Described>(setting: D): Setting<number, IsOptional<D>> {
  const allowed =
    'a duration above 0 such as 12h, 30d or 7y; minutes, which m stands for elsewhere, are not taken, since it is read as months';
  const pattern = DURATION_PATTERN.replace('|m|', '|');
  const parse = (text: string): number | undefined =>
    new RegExp(pattern).test(text.trim()) ? parseDuration(text) : undefined;
  const schema = converted(parse).meta(asText(pattern));
  return { allowed, form: 'value', schema, ...setting };
}

function durationFrom<const D extends Described>(
  such: string,
  leastMs: number,
  setting: D,
): Setting<number, IsOptional<D>> {
  const schema = converted(parseDuration, leastMs).meta(asText(DURATION_PATTERN));
  return { allowed: `a duration ${such}`, form: 'value', schema, ...setting };
}

/** Bytes. */
export function size<const D extends Described>(setting: D): Setting<number, IsOptional<D>> {
  const allowed = 'a size above 0 such as 512KB, 128MB or 1GiB';
  return {
    allowed,
    form: 'value',
    schema: BYTES,
    ...setting,
  };
}

export function choice<const Choice extends string, const D extends Described>(
  setting: D,
  choices: readonly Choice[],
): Setting<Choice, IsOptional<D>> {
  const allowed = choices.join(', ');
  const schema = scalar.pipe(z.enum(choices)).meta({ enum: [...choices] });
  return { allowed, choices, form: 'value', schema, ...setting };
}

/** Repeated on the command line, a list in the file. */
export function list<const D extends Described>(
  setting: D,
): Setting<readonly string[], IsOptional<D>> {
  return {
    allowed: 'one or more texts that are not empty',
    form: 'list',
    schema: LIST,
    ...setting,
  };
}

/** Repeated. Refuses commas: `a,b` could be two users or one. */
export function userList<const D extends Described>(
  setting: D,
): Setting<readonly string[], IsOptional<D>> {
  const { schema, ...rest } = list(setting);
  return {
    ...rest,
    allowed:
      'one user each time (repeat it for several; an id that holds a comma can stand in a --users-file)',
    schema: schema
      .refine((users) => !users.some((user) => user.includes(',')))
      .meta({ minLength: 1, minItems: 1 }),
  };
}

/** What several choices must have in common. */
interface ChoicesRule<Choice> {
  readonly holds: (chosen: readonly Choice[]) => boolean;
  /** Behind what is allowed. */
  readonly text: string;
}

/** Separated by commas, repeated, or a list in the file; each once. */
export function choices<const Choice extends string, const D extends Described>(
  setting: D,
  allowedChoices: readonly Choice[],
  rule?: ChoicesRule<NoInfer<Choice>>,
): Setting<readonly Choice[], IsOptional<D>> {
  const schema = z
    .union([scalar.transform((value) => [value]), z.array(scalar)])
    .transform((given) => given.flatMap((entry) => entry.split(',')).map((word) => word.trim()))
    .pipe(z.array(z.enum(allowedChoices)).min(1))
    .transform((given) => [...new Set(given)])
    .refine((given) => rule?.holds(given) !== false)
    .meta(separated(allowedChoices));
  const several = `${allowedChoices.join(', ')}, several separated by commas`;
  const allowed = rule ? `${several}; ${rule.text}` : several;
  return { allowed, choices: allowedChoices, form: 'list', schema, ...setting };
}

/** A share such as `5%`, as a fraction above 0 and at most 1. */
export function share<const D extends Described>(setting: D): Setting<number, IsOptional<D>> {
  const allowed = 'a share above 0% and up to 100%, such as 5%';
  return { allowed, form: 'value', schema: converted(parseShare).meta(asText(SHARE)), ...setting };
}

/** A text that `convert` can parse. @param allowed the allowed values, for errors */
export function parsed<T, const D extends Described>(
  setting: D,
  allowed: string,
  convert: (text: string) => T | undefined,
): Setting<T, IsOptional<D>> {
  const schema = scalar.transform((given, context) => {
    const value = convert(given);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: 'not convertible' });
    return z.NEVER;
  });
  return { allowed, form: 'value', schema, ...setting };
}

function parseShare(text: string): number | undefined {
  const percent = new RegExp(SHARE).exec(text)?.[1];
  const fraction = Number(percent) / 100;
  return fraction <= 1 ? fraction : undefined;
}

/** For editors: a text of this pattern. */
function asText(pattern: string): { readonly type: 'string'; readonly pattern: string } {
  return { type: 'string', pattern };
}

/** For editors: values separated by commas, or a list of them. */
function separated(allowed: readonly string[]): Readonly<Record<string, unknown>> {
  const anyChoice = `(${allowed.join('|')})`;
  const pattern = String.raw`^\s*${anyChoice}(\s*,\s*${anyChoice})*\s*$`;
  return { type: ['string', 'array'], pattern, items: { type: 'string', pattern }, minItems: 1 };
}

function converted(
  convert: (text: string) => number | undefined,
  least = Number.MIN_VALUE,
): z.ZodType<number> {
  return scalar.transform((given, context) => {
    const value = convert(given);
    if (value !== undefined && value >= least) return value;
    context.addIssue({ code: 'custom', message: 'not convertible' });
    return z.NEVER;
  });
}
