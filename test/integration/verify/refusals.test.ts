/** What `verify` and `export` make of options that cannot be: no archive is looked at. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { rsaPair } from '../../support/base/signing-keys.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'jobvault-refusals-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('refused is', () => {
  it.each(['0%', '101%', '5', 'some'])('a share of %s', async (share) => {
    const { exitCode, stderr } = await cli(['verify', 'archive', '--sample', share]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`--sample is "${share}"; allowed is a share above 0% and up to 100%`);
  });

  it('a key of another kind or a file that is not there, and a head that is none', async () => {
    const rsa = rsaPair();
    const file = join(folder, 'rsa.pem');
    await writeFile(file, rsa.privateKey);
    const export_ = [
      'export',
      '--base-url',
      'http://127.0.0.1:9',
      '--out',
      'archive',
      '--user',
      'u',
    ];
    for (const [words, sentence] of [
      [[...export_, '--signing-key', file], 'holds no Ed25519 private key; allowed is one in PEM'],
      [[...export_, '--signing-key', `${file}.not`], 'cannot be read'],
      [['verify', 'archive', '--expect-head', 'x'], "allowed is a commit's number such as 42"],
    ] as const) {
      const { exitCode, stderr, stdout } = await cli(words);
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr).toContain(sentence);
      expect(stderr).not.toContain('PRIVATE KEY');
    }
  });
});
