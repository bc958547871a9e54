/** Variables of the file `environment` beside a configuration. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readEnvironmentFile } from '../../../src/config/environment-file.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jobvault-environment-'));
});
afterEach(() => rm(directory, { recursive: true }));

async function read(text: string, options: { isFound?: boolean; mode?: number } = {}) {
  const { isFound = false, mode = 0o600 } = options;
  const path = join(directory, 'environment');
  await writeFile(path, text);
  await chmod(path, mode);
  return readEnvironmentFile({ path: join(directory, 'jobvault.config.yaml'), isFound });
}

it('the file has a variable a line, as systemd reads it; a # in a value is part of it', async () => {
  const text =
    '# Variables\n\nAWS_ACCESS_KEY_ID=AKIA\nSECRET=a/b+c=#d\nQUOTED="x y"\nexport OTHER=\'z\'\nEMPTY=\n';
  expect(await read(text)).toEqual({
    AWS_ACCESS_KEY_ID: 'AKIA',
    SECRET: 'a/b+c=#d',
    QUOTED: 'x y',
    OTHER: 'z',
    EMPTY: '',
  });
});

it('a line that sets no variable is refused by its number, without its text', async () => {
  const wrong = read('A=1\nthe-secret\n');
  await expect(wrong).rejects.toThrow(/^line 2 of .*environment sets no variable; allowed is/);
  await expect(wrong).rejects.not.toThrow('the-secret');
});

it('no file means no variable', async () => {
  const path = join(directory, 'jobvault.config.yaml');
  expect(await readEnvironmentFile({ path, isFound: false })).toEqual({});
});

it('where nobody named the configuration, a file that others may read sets nothing', async () => {
  expect(await read('A=1\n', { isFound: true })).toEqual({ A: '1' });
  expect(await read('A=1\n', { isFound: true, mode: 0o644 })).toEqual({});
  expect(await read('A=1\n', { mode: 0o644 })).toEqual({ A: '1' });
});
