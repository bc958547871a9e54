/** Credentials in settings, however they are written, and the API key, however the service echoes it: nowhere to be read. */
import { chmod, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scriptedApi } from '../../support/http/scripted-api.js';
import { ed25519Pair } from '../../support/base/signing-keys.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { fault } from '../../support/base/fault.js';

const KEY = 'canary-key+7/3e=Ab&c';
/** Of the key or of a password, whatever is left of it. */
const LEAK = /canary|Y2FuYXJ5|NhbmFyeS|jYW5hcn/;

let directory: string;
let out: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jobvault-'));
  out = join(directory, 'archive');
});
afterEach(() => rm(directory, { recursive: true }));

/** Everything that a command printed or left in a file. */
async function shownBy(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const key = { JOBVAULT_API_KEY: KEY };
  const { stdout, stderr } = await cli(words, { ...key, ...environment });
  expect(stdout + stderr).not.toBe('');
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile() && !file.name.startsWith('given'))
    .map((file) => readFile(join(file.parentPath, file.name), 'latin1'));
  return [stdout, stderr, ...(await Promise.all(texts))].join('\n');
}

/** What a password with the wrong character in it, or a mistake in the address, makes of an address. */
const MISTAKES = [
  'http://user:canary@127.0.0.1:9',
  'http://user:left#canary@127.0.0.1:9',
  'http://user:left/canary@127.0.0.1:9',
  'http://user:12/canary@127.0.0.1:9',
  'http://user:left?canary@127.0.0.1:9',
  'http://user:left@canary@127.0.0.1:9',
  'http:/user:canary@127.0.0.1:9',
  'http:user:canary@127.0.0.1:9',
  'user:canary@127.0.0.1:9',
  'user:canary#right@127.0.0.1:9',
  'http://user:canary',
  'http://user:canary%40127.0.0.1',
  'http://user:can%zzcanary@127.0.0.1',
  'socks5://user:canary@127.0.0.1:9',
  'http://canary@127.0.0.1:9',
  'http://127.0.0.1:9/?token=canary-token',
  'http://127.0.0.1:9/#canary-token',
];

it.each(['HTTP_PROXY', 'https_proxy'])(
  'an address of a proxy in %s is shown without its password',
  fault('F-83'),
  async (variable) => {
    const scheme = variable === 'https_proxy' ? 'https' : 'http';
    for (const address of MISTAKES) {
      const environment = { [variable]: address };
      for (const words of [
        ['config', 'show'],
        ['config', 'show', '--json'],
        ['doctor', '--base-url', `${scheme}://127.0.0.1:9`, '--user', 'ann', '--out', out],
      ]) {
        expect(await shownBy(words, environment), `${address}: ${words.join(' ')}`).not.toMatch(
          LEAK,
        );
      }
    }
  },
);

it.each([
  ['base-url', ['sessions', 'list']],
  ['base-url', ['doctor']],
  ['base-url', ['export', '--out', 'archive']],
  ['storage-base-url', ['export', '--out', 'archive']],
  ['s3-endpoint', ['doctor', '--out', 's3://bucket/prefix']],
  ['redis', ['worker', '--out', '.']],
  ['ping-url', []],
  ['webhook-url', []],
] as const)(
  'an address of --%s is shown without its password by %j',
  fault('F-83'),
  async (name, given) => {
    await using api = await scriptedApi({ status: 403, body: { code: 1004, message: 'no' } });
    const service = name === 'base-url' ? [] : ['--base-url', api.url];
    const user = given[0] === 'worker' ? [] : ['--user', 'ann'];
    const words = [...given.map((word) => (word === 'archive' ? out : word)), ...service, ...user];
    const variable = `JOBVAULT_${name.toUpperCase().replaceAll('-', '_')}`;
    const file = join(directory, 'given.yaml');
    const aws = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'canary-aws' };
    for (const address of MISTAKES) {
      await writeFile(file, `${name}: ${JSON.stringify(address)}\n`);
      for (const [flags, environment] of [
        [[`--${name}`, address], {}],
        [['--json'], { [variable]: address }],
        [['--config', file], {}],
      ] as const) {
        if (given.length === 0) continue;
        const shown = await shownBy([...words, ...flags], { ...aws, ...environment });
        expect(shown, `${address}: ${flags.join(' ')}`).not.toMatch(LEAK);
      }
      for (const more of [[], ['--json']]) {
        const shown = await shownBy(['config', 'show', '--config', file, ...more]);
        expect(shown, address).not.toMatch(LEAK);
      }
    }
  },
);

describe('an API key', () => {
  const escaped = KEY.replaceAll('&', '&amp;').replaceAll('/', '&#x2F;').replaceAll('=', '&#61;');
  const percent = [...Buffer.from(KEY)].map((byte) => `%${byte.toString(16)}`).join('');
  it.each([
    ['as it is', KEY],
    ['in HTML', escaped],
    ['in HTML twice', escaped.replaceAll('&', '&amp;')],
    ['percent-encoded', encodeURIComponent(KEY)],
    ['percent-encoded throughout', percent],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(KEY))],
    ['in base64', Buffer.from(KEY).toString('base64')],
    ['in base64 behind a name', Buffer.from(`user:${KEY}`).toString('base64')],
    ['in base64 behind another', Buffer.from(`x:${KEY}:y`).toString('base64')],
    ['in base64 for URLs', Buffer.from(`abc${KEY}`).toString('base64url')],
  ])(
    'that the service echoes %s is masked',
    { ...fault('F-83'), timeout: 60_000 },
    async (_, echoed) => {
      const body = `<html><body>No such key: ${echoed} (${echoed})</body></html>`;
      for (const answer of [
        { status: 403, body },
        { status: 400, body: { code: 300001, message: `bad key ${echoed}` } },
        { headers: { 'x-pd-trace-id': echoed }, body: { code: 300001, message: echoed } },
      ]) {
        await using api = await scriptedApi(answer);
        for (const words of [['sessions', 'list', '--log-level', 'debug'], ['doctor']]) {
          const shown = await shownBy([...words, '--base-url', api.url, '--user', 'ann']);
          expect(shown, words.join(' ')).not.toMatch(LEAK);
          expect(shown).not.toContain(echoed);
        }
      }
    },
  );

  it.skipIf(process.platform === 'win32')(
    'in a file that others may read is told of by doctor and by a run',
    fault('F-83'),
    async () => {
      const file = join(directory, 'given-key');
      await writeFile(file, KEY);
      await using api = await scriptedApi({ status: 403, body: { code: 1004, message: 'no' } });
      const service = ['--base-url', api.url, '--user', 'ann', '--api-key-file', file];
      const told = `may be read by other users of this machine (mode 0640)`;
      await chmod(file, 0o640);
      const flat = (text: string) => text.replaceAll(/\s+/g, ' ');
      expect(flat(await shownBy(['doctor', ...service]))).toContain(told);
      const run = await shownBy(['export', ...service, '--out', out]);
      expect(run).toContain(told);
      expect(run).toContain(`chmod 600 ${file}`);
      expect(run).not.toMatch(/canary/);
      await chmod(file, 0o600);
      expect(flat(await shownBy(['doctor', ...service]))).not.toContain('other users');
      expect(await shownBy(['sessions', 'list', ...service])).not.toContain('other users');
    },
  );

  it.skipIf(process.platform === 'win32')(
    'that signs, in a file that others may read, is told of likewise',
    async () => {
      const [file, apiKey] = [join(directory, 'signing.pem'), join(directory, 'own-key')];
      await writeFile(apiKey, KEY, { mode: 0o600 });
      await writeFile(file, ed25519Pair().privateKey);
      await chmod(file, 0o644);
      await using api = await scriptedApi({ status: 403, body: { code: 1004, message: 'no' } });
      const service = ['--base-url', api.url, '--user', 'ann', '--api-key-file', apiKey];
      const words = [...service, '--signing-key', file];
      const told = `the signing key in ${file} may be read by other users of this machine (mode 0644)`;
      const flat = (text: string) => text.replaceAll(/\s+/g, ' ');
      expect(flat(await shownBy(['doctor', ...words]))).toContain(told);
      const run = await shownBy(['export', ...words, '--start-signing', '--out', out]);
      expect(run).toContain(`${told}; chmod 600 ${file}`);
      await chmod(file, 0o600);
      expect(flat(await shownBy(['doctor', ...words]))).not.toContain('other users');
    },
  );
});
