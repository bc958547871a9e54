import { describe, expect, it } from 'vitest';
import {
  age,
  choice,
  choices,
  duration,
  durationOrNone,
  hours,
  list,
  parsed,
  positive,
  share,
  size,
  text,
  toggle,
  whole,
  type Setting,
} from '../../../src/config/setting.js';
import { ALL_SETTING_NAMES, ALL_SETTINGS as all } from '../../../src/config/all-settings.js';

const named = { name: 'n', describe: 'd' };
/** What a given value becomes; 'refused' where it is none. */
const taken = (setting: Setting, given: unknown) => {
  const result = setting.schema.safeParse(given);
  return result.success ? result.data : 'refused';
};

it.each([
  [true, true],
  [false, false],
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
  ['yes', true],
  ['no', false],
])('toggle takes %j for %j', (given, value) => {
  expect(taken(toggle(named), given)).toBe(value);
});

it.each(['', 'TRUE', 'on', 'maybe', 2, null, [true], {}])('toggle refuses %j', (given) => {
  expect(taken(toggle(named), given)).toBe('refused');
});

it.each([
  ['30d', 2_592_000_000],
  ['1s', 1000],
  ['500ms', 500],
  ['12h', 43_200_000],
])('age takes %j', (given, ms) => {
  expect(taken(age(named), given)).toBe(ms);
});

it.each(['6m', '6mo', '0d', '30', 'm', '1.5m'])('age refuses %j', (given) => {
  expect(taken(age(named), given)).toBe('refused');
});

it('age says why 6m, which people write for six months, is none', () => {
  expect(age(named).allowed).toBe(
    'a duration above 0 such as 12h, 30d or 7y; minutes, which m stands for elsewhere, are not taken, since it is read as months',
  );
});

describe('whole', () => {
  const setting = whole(named, [0, 9_007_199_254_740_991]);

  it.each([
    ['0', 0],
    ['007', 7],
    [12, 12],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('takes %j for %j', (given, value) => {
    expect(taken(setting, given)).toBe(value);
  });

  it.each(['', '-1', '+1', '1.0', '1e3', ' 1', '1_000', '0x10', '9007199254740992', NaN, true, []])(
    'refuses %j',
    (given) => {
      expect(taken(setting, given)).toBe('refused');
    },
  );

  it('includes both ends of its range and nothing beyond', () => {
    const narrow = whole(named, [2, 4]);
    expect(['1', '2', '4', '5'].map((given) => taken(narrow, given))).toEqual([
      'refused',
      2,
      4,
      'refused',
    ]);
    expect(narrow.allowed).toBe('a whole number from 2 to 4');
  });
});

it.each([
  ['20', 20],
  ['0.5', 0.5],
  [19.5, 19.5],
])('positive takes %j for %j', (given, value) => {
  expect(taken(positive(named), given)).toBe(value);
});

it.each(['0', '0.0', '-1', '1/2', '1e1', 'Infinity', 'NaN', '', '9'.repeat(400), Infinity])(
  'positive refuses %j',
  (given) => {
    expect(taken(positive(named), given)).toBe('refused');
  },
);

it('duration and size are milliseconds and bytes', () => {
  expect(taken(duration(named), '5m')).toBe(300_000);
  expect(taken(size(named), '128MB')).toBe(128_000_000);
  expect(taken(size(named), 1024)).toBe(1024);
});

it.each(['0s', '0.4ms', '5', '', 'constructor', '1h30m', 5, true, `${'9'.repeat(400)}d`])(
  'duration and size refuse a duration of %j',
  (given) => {
    expect(taken(duration(named), given)).toBe('refused');
  },
);

it('duration and size may begin elsewhere', () => {
  expect(['0s', '0.2ms', '2d', '-1s'].map((given) => taken(durationOrNone(named), given))).toEqual([
    0,
    0,
    172_800_000,
    'refused',
  ]);
  expect(['59m', '60m', '0s'].map((given) => taken(hours(named), given))).toEqual([
    'refused',
    3_600_000,
    'refused',
  ]);
});

it.each(['0', '0.1', '128mb', '', '5constructor', -1, null])(
  'duration and size refuse a size of %j',
  (given) => {
    expect(taken(size(named), given)).toBe('refused');
  },
);

it('text takes what is written, digits too', () => {
  expect(['007', ' a ', 2024].map((given) => taken(text(named), given))).toEqual([
    '007',
    ' a ',
    '2024',
  ]);
});

it.each(['', null, true, ['a'], {}])('text refuses %j', (given) => {
  expect(taken(text(named), given)).toBe('refused');
});

it.each([
  ['ada', ['ada']],
  ['a,b', ['a,b']],
  [
    ['a', 'b', 'a'],
    ['a', 'b', 'a'],
  ],
  [
    [7, '07'],
    ['7', '07'],
  ],
])('list takes %j for %j', (given, value) => {
  expect(taken(list(named), given)).toEqual(value);
});

it.each(['', [], [''], ['a', null], [['a']], true, { a: 1 }])('list refuses %j', (given) => {
  expect(taken(list(named), given)).toBe('refused');
});

describe('choice and choices', () => {
  const one = choice(named, ['text', 'json']);
  const several = choices(named, ['parquet', 'jsonl', 'xlsx']);

  it('are spelled exactly', () => {
    expect(['text', 'Text', '', 'toString', ['text']].map((given) => taken(one, given))).toEqual([
      'text',
      'refused',
      'refused',
      'refused',
      'refused',
    ]);
  });

  it.each([
    ['parquet', ['parquet']],
    ['xlsx,parquet', ['xlsx', 'parquet']],
    [
      ['parquet', 'jsonl , xlsx'],
      ['parquet', 'jsonl', 'xlsx'],
    ],
    ['parquet,parquet', ['parquet']],
  ])('of %j are %j: separated or repeated, each once', (given, value) => {
    expect(taken(several, given)).toEqual(value);
  });

  it.each(['', 'csv', 'parquet,', ',', [], ['parquet', 'csv'], null])('refuse %j', (given) => {
    expect(taken(several, given)).toBe('refused');
  });

  it('say what is allowed', () => {
    expect(one.allowed).toBe('text, json');
    expect(several.allowed).toBe('parquet, jsonl, xlsx, several separated by commas');
  });
});

it.each([
  ['5%', 0.05],
  ['100%', 1],
  ['0.1%', 0.001],
])('share of %j is %j', (given, value) => {
  expect(taken(share(named), given)).toBe(value);
});

it.each(['5', '0%', '0.0%', '101%', '-5%', '%', 'all', 0.05, ['5%']])(
  'share refuses %j',
  (given) => {
    expect(taken(share(named), given)).toBe('refused');
  },
);

const even = parsed(named, 'an even number', (given) =>
  Number(given) % 2 === 0 ? Number(given) : undefined,
);

it('parsed takes what its parser accepts, and says what is allowed', () => {
  expect(taken(even, '4')).toBe(4);
  expect(taken(even, 0)).toBe(0);
  for (const given of ['3', 'x', ['4'], null]) expect(taken(even, given)).toBe('refused');
  expect(even.allowed).toBe('an even number');
});

it('the settings of every command have names of their own, in words with hyphens', () => {
  expect(new Set(ALL_SETTING_NAMES).size).toBe(ALL_SETTING_NAMES.length);
  for (const name of ALL_SETTING_NAMES) expect(name).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
  for (const { name } of all.filter(({ isFlagOnly }) => !isFlagOnly)) {
    expect(ALL_SETTING_NAMES).toContain(name);
  }
});

it('the settings leave out of the file what is a flag alone wherever it is known', () => {
  for (const name of ['match', 'from', 'limit']) {
    expect(all.map((setting) => setting.name)).toContain(name);
    expect(ALL_SETTING_NAMES).not.toContain(name);
  }
});

it('the settings of every command have defaults that they allow themselves', () => {
  for (const setting of all) {
    if (setting.default === undefined) continue;
    expect([setting.name, taken(setting, setting.default)]).not.toContain('refused');
  }
});

it('the settings take a key from a file alone, since a list of processes would show a flag', () => {
  const keys = all.filter(({ name, form }) => /key(-file)?$/.test(name) && form !== 'switch');
  const names = keys.map(({ name }) => name);
  for (const name of ['api-key-file', 'signing-key', 'public-key']) expect(names).toContain(name);
  for (const { describe: told } of keys) expect(told).toMatch(/^A file /);
  expect(ALL_SETTING_NAMES).not.toContain('api-key');
});

it('the settings of every command have the defaults of the contract', () => {
  const defaults = Object.fromEntries(all.map((one) => [one.name, one.default]));
  expect(defaults).toMatchObject({
    'api-key-header': 'x-pd-api-key',
    rate: 20,
    'settle-time': '1h',
    'checkpoint-size': '128MB',
    'checkpoint-interval': '5m',
    'max-file-size': '1GiB',
    'parquet-codec': 'zstd',
    json: false,
    'rate-limit': 20,
  });
});

it("every setting of a host's address says what is sent there; a secret address is one", () => {
  const silent = all.filter(({ isAddress, sends }) => isAddress && sends === undefined);
  expect(silent.map(({ name }) => name)).toEqual([]);
  const hosts = all.filter(({ sends }) => sends !== undefined);
  expect(Object.fromEntries(hosts.map(({ name, sends }) => [name, sends]))).toEqual({
    'base-url': 'the API key',
    'storage-base-url': 'requests for files',
    's3-endpoint': 'all requests for the archive',
    'target-s3-endpoint': 'all requests for the copy',
    redis: 'the users to export',
    'ping-url': 'pings',
    'webhook-url': 'the result of the run',
  });
});
