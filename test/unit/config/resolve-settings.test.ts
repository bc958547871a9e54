import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/base/error.js';
import { checkKeys, resolveSettings, variableOf } from '../../../src/config/resolve-settings.js';
import { type ConfigFile } from '../../../src/config/config-file.js';
import {
  choice,
  list,
  required,
  text,
  toggle,
  userList,
  whole,
} from '../../../src/config/setting.js';
import { serviceSettings } from '../../../src/config/access-settings.js';
import { exportSettings } from '../../../src/config/export-settings.js';
import { fault } from '../../support/base/fault.js';

const words = 'a setting of the tests';
const group = {
  pageSize: whole({ name: 'page-size', describe: words, default: 100 }, [1, 1000]),
  order: choice({ name: 'order', describe: words }, ['newest', 'oldest']),
  full: toggle({ name: 'full', describe: words, default: false }),
  user: list({ name: 'user', describe: words }),
};

interface SettingValue {
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly file?: Readonly<Record<string, unknown>>;
}

function resolved({ flags = {}, environment = {}, file }: SettingValue) {
  const configFile: ConfigFile | undefined = file && {
    path: 'my.yaml',
    isFound: false,
    values: file,
  };
  return resolveSettings(group, { flags, environment, file: configFile });
}

describe('a list that adds up', () => {
  const adding = { hold: { ...list({ name: 'hold', describe: words }), addsUp: true } };
  const of = (flags: object, environment: Record<string, string>, values?: object) =>
    resolveSettings(adding, {
      flags: { ...flags },
      environment,
      file: values && { path: 'my.yaml', isFound: false, values: { ...values } },
    }).hold;

  it('has everything that is said, wherever it is', () => {
    expect(of({ hold: ['a', 'b'] }, { JOBVAULT_HOLD: 'c' }, { hold: 'd' })).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
    expect(of({}, { JOBVAULT_HOLD: 'c' }, { hold: ['d', 'e'] })).toEqual(['c', 'd', 'e']);
    expect(of({}, {})).toBeUndefined();
  });

  it('names every place where one is not what is allowed', () => {
    expect(() => of({ hold: 'a' }, {}, { hold: [''] })).toThrow(
      '--hold and my.yaml: hold is ["a",""]; allowed is one or more texts',
    );
  });
});

describe('two settings that say the same in two ways', () => {
  const alternatives = {
    user: { ...list({ name: 'user', describe: words }), alternatives: ['users-file'] },
    usersFile: { ...text({ name: 'users-file', describe: words }), alternatives: ['user'] },
  };
  const both = { user: ['ada'], 'users-file': 'all.csv' };
  const of = (flags: object, environment: Record<string, string>, values?: object) =>
    resolveSettings(alternatives, {
      flags: { ...flags },
      environment,
      file: values && { path: 'my.yaml', isFound: false, values: { ...values } },
    });

  it('count both where they are said in one place', () => {
    const said = { user: ['ada'], usersFile: 'all.csv' };
    expect(of(both, {})).toEqual(said);
    expect(of({}, { JOBVAULT_USER: 'ada', JOBVAULT_USERS_FILE: 'all.csv' })).toEqual(said);
    expect(of({}, {}, both)).toEqual(said);
  });

  it('are the users by name and the file with users', () => {
    const { user, usersFile } = exportSettings;
    expect([user.alternatives, usersFile.alternatives]).toEqual([[usersFile.name], [user.name]]);
  });

  it('are the nearer one alone otherwise', () => {
    const alone = { user: ['ada'], usersFile: undefined };
    expect(of({ user: 'ada' }, {}, { 'users-file': 'all.csv' })).toEqual(alone);
    expect(of({ user: 'ada' }, { JOBVAULT_USERS_FILE: 'all.csv' })).toEqual(alone);
    expect(of({}, { JOBVAULT_USER: 'ada' }, { 'users-file': 'all.csv' })).toEqual(alone);
    const file = { user: undefined, usersFile: 'all.csv' };
    expect(of({ 'users-file': 'all.csv' }, { JOBVAULT_USER: 'ada' }, { user: 'bob' })).toEqual(
      file,
    );
  });
});

it('several users in one text are neither several users nor one', () => {
  const user = userList({ name: 'user', describe: words });
  const of = (value: unknown) => () =>
    resolveSettings({ user }, { flags: { user: value }, environment: {}, file: undefined });
  expect(of(['ada', 'bob'])()).toEqual({ user: ['ada', 'bob'] });
  for (const value of ['ada,bob', ['ada', 'bob,cid']]) {
    expect(of(value)).toThrow(/; allowed is one user each time .*--users-file/);
  }
});

describe('where a setting is said', () => {
  const flags = { 'page-size': '4' };
  const environment = { JOBVAULT_PAGE_SIZE: '3' };
  const file = { 'page-size': '2' };

  it('nowhere: the default, or nothing where there is none', () => {
    expect(resolved({})).toEqual({ pageSize: 100, order: undefined, full: false, user: undefined });
  });

  it('a file outdoes the default, a variable the file, a flag all of them', () => {
    expect(resolved({ file }).pageSize).toBe(2);
    expect(resolved({ file, environment }).pageSize).toBe(3);
    expect(resolved({ file, environment, flags }).pageSize).toBe(4);
    expect(resolved({ file, flags }).pageSize).toBe(4);
  });

  it('an empty variable says nothing', () => {
    expect(resolved({ file, environment: { JOBVAULT_PAGE_SIZE: '' } }).pageSize).toBe(2);
  });

  it('a flag that says no outdoes a variable that says yes', () => {
    const said = { flags: { full: false }, environment: { JOBVAULT_FULL: 'true' } };
    expect(resolved(said).full).toBe(false);
  });

  it('each setting is looked up by itself', () => {
    expect(resolved({ file: { order: 'oldest' }, environment, flags: { user: ['ada'] } })).toEqual({
      pageSize: 3,
      order: 'oldest',
      full: false,
      user: ['ada'],
    });
  });

  it('what is outdone is not even checked', () => {
    expect(resolved({ flags, environment: { JOBVAULT_PAGE_SIZE: 'many' } }).pageSize).toBe(4);
  });

  it('a key that the file only inherits is not in it', () => {
    const inherited = Object.create({ 'page-size': '2' }) as Record<string, unknown>;
    expect(resolved({ file: inherited }).pageSize).toBe(100);
  });
});

describe('a value that makes no sense', () => {
  it.each([
    [{ flags: { 'page-size': '0' } }, '--page-size is "0"'],
    [{ environment: { JOBVAULT_PAGE_SIZE: '1001' } }, 'JOBVAULT_PAGE_SIZE is "1001"'],
    [{ file: { 'page-size': 'many' } }, 'my.yaml: page-size is "many"'],
    [{ file: { 'page-size': null } }, 'my.yaml: page-size is null'],
    [{ file: { 'page-size': { from: 1 } } }, 'my.yaml: page-size is {"from":1}'],
  ] satisfies [SettingValue, string][])(
    '%j: the error names source, value and what is allowed',
    fault('F-41'),
    (said, named) => {
      expect(() => resolved(said)).toThrow(
        new UsageError(`${named}; allowed is a whole number from 1 to 1000`),
      );
    },
  );

  it('that is long is shown in part', () => {
    expect(() => resolved({ flags: { order: 'x'.repeat(500) } })).toThrow(
      new UsageError(`--order is "${'x'.repeat(76)}…; allowed is newest, oldest`),
    );
  });
});

describe('a required setting', () => {
  const wanted = {
    out: required(text({ name: 'out', describe: 'The archive: a directory' })),
    job: text({ name: 'job', describe: 'JSON of the job', isFlagOnly: true, required: true }),
    full: group.full,
  };
  const of = (flags: Readonly<Record<string, unknown>>) =>
    resolveSettings(wanted, { flags, environment: {}, file: undefined });

  it('has a value, of whatever source', () => {
    expect(of({ out: 'a', job: 'j' })).toEqual({ out: 'a', job: 'j', full: false });
  });

  it('that is missing is told with what it is, and how it can be given', () => {
    expect(() => of({ job: 'j' })).toThrow(
      new UsageError('--out is missing; give it, or set JOBVAULT_OUT (the archive: a directory)'),
    );
    expect(() => of({ out: 'a' })).toThrow(
      new UsageError('--job is missing; give it (JSON of the job)'),
    );
  });

  it('that is missing is told after a value that is wrong', () => {
    expect(() => of({ full: 'perhaps' })).toThrow('--full is "perhaps"');
  });
});

const known = ['page-size', 'user', 'users-file'];
const check =
  (...keys: string[]) =>
  () => {
    const values = JSON.parse(
      `{${keys.map((key) => `${JSON.stringify(key)}:1`).join()}}`,
    ) as object;
    const file = { path: 'my.yaml', isFound: false };
    checkKeys({ ...file, values: values as Record<string, unknown> }, known);
  };

it('checkKeys lets known keys pass', () => {
  expect(check('user', 'page-size')).not.toThrow();
  expect(check()).not.toThrow();
});

it.each([
  ['page_size', 'my.yaml: unknown key "page_size"; did you mean "page-size"?'],
  ['pageSize', 'my.yaml: unknown key "pageSize"; did you mean "page-size"?'],
  ['usr', 'my.yaml: unknown key "usr"; did you mean "user"?'],
  ['colour', 'my.yaml: unknown key "colour"'],
  [
    'api-key',
    'my.yaml: the API key does not belong in this file ("api-key"); set JOBVAULT_API_KEY, or name a file that holds it: "api-key-file"',
  ],
  ['__proto__', 'my.yaml: unknown key "__proto__"'],
  ['toString', 'my.yaml: unknown key "toString"'],
])('checkKeys refuses %s', (key, message) => {
  expect(check('user', key)).toThrow(new UsageError(message));
});

it('a flag has its variable', () => {
  expect(variableOf('api-key-file')).toBe('JOBVAULT_API_KEY_FILE');
});

it('a flag that is given more often than it may be is told so, with each value', () => {
  const of = (flags: Record<string, unknown>) => () =>
    resolveSettings(
      { out: exportSettings.out, rate: serviceSettings.rate },
      { flags, environment: {}, file: undefined },
    );
  expect(of({ out: ['a', 'b'] })).toThrow(
    new UsageError('--out is given twice, as "a" and "b"; give it once'),
  );
  expect(of({ rate: ['1', '2', '3'] })).toThrow(
    '--rate is given 3 times, as "1" and "2" and "3"; give it once',
  );
  expect(of({ rate: ['1', 'x'] })).toThrow('--rate is ["1","x"]; allowed is a number above 0');
});
