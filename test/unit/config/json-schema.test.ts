import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { expect, it } from 'vitest';
import { ALL_SETTINGS, ALL_SETTING_NAMES } from '../../../src/config/all-settings.js';
import { configTemplate } from '../../../src/config/config-template.js';
import { configSchema } from '../../../src/config/config-schema.js';

const validate = new Ajv({ strictTypes: false }).compile(configSchema());
const isValid = (file: unknown) => validate(file);

const SAMPLES = [
  'a text',
  '',
  '7',
  '0',
  '-1',
  '1.5',
  '20',
  'true',
  'no',
  'parquet',
  'parquet, xlsx',
  'html',
  '30s',
  '5 minutes',
  '2h',
  '128MB',
  '1 GiB',
  '12 parsecs',
  '5%',
  '101',
  'info',
  'zstd',
  7,
  0,
  1.5,
  -1,
  10_000_000_000,
  true,
  false,
  null,
  [],
  ['a', 'b'],
  [7],
  [[]],
  {},
];

const IN_FILE = ALL_SETTINGS.filter(({ isFlagOnly }) => !isFlagOnly);

it('the schema knows every setting that a file may hold, with its description', () => {
  const { properties } = configSchema() as {
    properties: Record<string, { description: string }>;
  };
  expect(Object.keys(properties)).toEqual([...ALL_SETTING_NAMES]);
  for (const { name, describe: about } of IN_FILE) {
    expect(properties[name]!.description).toContain(about);
  }
});

it('the schema of the configuration file refuses nothing that a command would take', () => {
  for (const { name, schema } of IN_FILE) {
    for (const sample of SAMPLES) {
      if (schema.safeParse(sample).success) {
        expect([name, sample, isValid({ [name]: sample })]).toEqual([name, sample, true]);
      }
    }
  }
});

it('the schema refuses what no command would take, if a schema can express it', () => {
  const told = [
    'rate',
    'page-size',
    'settle-time',
    'checkpoint-size',
    'format',
    'log-level',
    'full',
    'user',
  ];
  for (const name of told) {
    const settings = IN_FILE.filter((setting) => setting.name === name);
    for (const sample of SAMPLES) {
      const isTaken = settings.some(({ schema }) => schema.safeParse(sample).success);
      // a number that is no text above 0, or an empty text in a list: only the command looks
      if (!isTaken && sample !== '0') {
        expect([name, sample, isValid({ [name]: sample })]).toEqual([name, sample, false]);
      }
    }
  }
});

it('the schema of the configuration file refuses an unknown key', () => {
  expect(isValid({ 'user-file': 'x' })).toBe(false);
});

it('the schema accepts what init writes, with every comment taken for a setting, too', async () => {
  const values = new Map<string, unknown>([
    ['base-url', 'https://api.example.com'],
    ['user', ['007', 'a: b # c']],
    ['rate', 10],
  ]);
  const text = await configTemplate(values, './schema.json');
  expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/schema\.json\n/);
  expect(parse(text)).toEqual(Object.fromEntries(values));
  expect(isValid(parse(text))).toBe(true);
  expect(text).toContain(
    '# Never export this user, however spelt; repeatable\n# exclude-user:\n\n' +
      '# A file of users never to export, like --users-file; repeatable\n# exclude-users-file:\n',
  );

  const all = text.replace(/^# ((?!yaml-)[a-z0-9-]+: \S.*)$/gm, '$1');
  const defaults = parse(all) as Record<string, unknown>;
  expect(Object.keys(defaults).length).toBeGreaterThan(values.size + 8);
  expect(isValid(defaults)).toBe(true);
});
