import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileErrorReason } from '../../../src/base/error.js';
import { cli } from '../../support/programs/cli-in-process.js';

it('A file that cannot be read is named once, and why in words with the code behind them', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'jobvault-file-error-'));
  const missing = join(directory, 'not', 'there');
  const thrown: unknown = await readFile(missing).catch((error: unknown) => error);
  expect(fileErrorReason(thrown)).toBe('there is no such file or directory (ENOENT)');
  expect(fileErrorReason(new Error('odd'))).toBe('odd');
  const service = ['--base-url', 'http://127.0.0.1:9', '--out', directory];
  for (const [words, told] of [
    [['export', '--users-file', missing], `--users-file ${missing}`],
    [['export', '--user', 'a', '--api-key-file', missing], `--api-key-file ${missing}`],
    [['export', '--user', 'a', '--signing-key', missing], `--signing-key ${missing}`],
    [['export', '--user', 'a', '--config', missing], `the configuration file ${missing}`],
  ] as const) {
    const { exitCode, stderr } = await cli([...words, ...service]);
    expect([exitCode, stderr.split('\n')[0]]).toEqual([
      2,
      `jobvault: ${told} cannot be read: there is no such file or directory (ENOENT)`,
    ]);
  }
  await rm(directory, { recursive: true });
});
