import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { UsageError } from '../../../src/base/error.js';
import { readConfigFile } from '../../../src/config/config-file.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jobvault-config-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function valuesIn(content: string) {
  const path = join(directory, 'my.yaml');
  await writeFile(path, content);
  return (await readConfigFile(path))!.values;
}

it('a configuration file is YAML, one key a setting', async () => {
  expect(await valuesIn('# ours\nbase-url: https://h\nfull: true\nuser:\n  - ada\n')).toEqual({
    'base-url': 'https://h',
    full: true,
    user: ['ada'],
  });
});

it('a configuration file may be JSON, and may begin with a byte order mark', async () => {
  expect(await valuesIn('\uFEFF{"full": true, "page-size": 50}')).toEqual({
    full: true,
    'page-size': '50',
  });
});

it('the file keeps numbers as written, since users and projects may be named by digits', async () => {
  expect(await valuesIn('user: [007, 12345678901234567891, 1e5, 1.50, 0x1F]\n')).toEqual({
    user: ['007', '12345678901234567891', '1e5', '1.50', '0x1F'],
  });
});

it.each(['', '# nothing yet\n', 'null', '---\n'])(
  'a configuration file that says nothing is empty: %j',
  async (text) => {
    expect(await valuesIn(text)).toEqual({});
  },
);

it.each(['- a\n- b\n', 'text', '5'])(
  'a configuration file that is no mapping is refused: %j',
  async (content) => {
    await expect(valuesIn(content)).rejects.toThrow(
      /^\S*my\.yaml holds no settings; allowed is one "key: value" a line$/,
    );
  },
);

it.each(['a: [', 'a: 1\na: 2', 'a: *b', '\tb: 1', '{"a": 1'])(
  'a configuration file that is no YAML is refused in one line: %j',
  async (content) => {
    await expect(valuesIn(content)).rejects.toThrow(/^\S*my\.yaml is not YAML: [^\n]*[^\n:]$/);
    await expect(valuesIn(content)).rejects.toBeInstanceOf(UsageError);
  },
);

it('a configuration file that is named must be there', async () => {
  const path = join(directory, 'absent.yaml');
  await expect(readConfigFile(path)).rejects.toThrow(
    `the configuration file ${path} cannot be read: there is no such file or directory (ENOENT)`,
  );
});

it('a configuration file that is named must be a file', async () => {
  await expect(readConfigFile(directory)).rejects.toThrow(
    /cannot be read: a directory stands there \(EISDIR\)/,
  );
});

it('a configuration file that nobody named need not be there', async () => {
  await expect(readConfigFile(undefined)).resolves.toBeUndefined();
});
