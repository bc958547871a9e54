import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/base/runtime.js';
import type { Finding } from '../../../src/doctor/examine-service.js';
import { examineSetup } from '../../../src/doctor/examine-setup.js';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import type { EmulatorOptions } from '../../../src/emulator/options.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { cachingFront } from '../../support/http/caching-front.js';
import { scriptedApi, pageOf } from '../../support/http/scripted-api.js';
import { fault } from '../../support/base/fault.js';

describe('the doctor', () => {
  let emulator: Emulator;
  let directory: string;

  const start = async (options: EmulatorOptions = {}) => {
    // beside the one that goes: after it, this one could be given its port, and be the same service
    const next = await startEmulator({ users: 1, sessions: 2, jobs: 1, ...options });
    await emulator.close();
    emulator = next;
  };
  beforeEach(async () => {
    emulator = await startEmulator({ users: 1, sessions: 2, jobs: 1 });
    directory = await mkdtemp(join(tmpdir(), 'jobvault-doctor-'));
  });
  afterEach(async () => {
    await emulator.close();
    await rm(directory, { recursive: true, force: true });
  });

  const wordsFor = (out: string, ...more: string[]) => {
    const user = ['--user', emulator.state.userIds()[0]!];
    return ['doctor', '--base-url', emulator.baseUrl, '--out', out, ...user, ...more];
  };
  const words = (...more: string[]) => wordsFor(join(directory, 'archive'), ...more);
  const found = async (
    given: readonly string[],
    exitCode = 0,
    environment?: Readonly<Record<string, string>>,
  ) => {
    const answer = await cliJson<{ ok: boolean; checks: Finding[] }>(given, exitCode, environment);
    expect(answer.ok).toBe(exitCode === 0);
    return Object.fromEntries(answer.checks.map((finding) => [finding.check, finding]));
  };

  it('says within seconds that the host of a bucket is not known', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    vi.stubEnv('JOBVAULT_API_KEY', 'demo-key');
    const { exitCode, stdout } = await cli([
      ...['doctor', '--base-url', emulator.baseUrl, '--user', 'nobody'],
      ...['--out', 's3://bucket/archive', '--s3-endpoint', 'https://no-such-host.invalid'],
    ]);
    vi.unstubAllEnvs();
    expect(exitCode).not.toBe(0);
    expect(stdout.replaceAll(/doctor-\w{26}|E[A-Z_]+/g, '…')).toContain(
      [
        'FAIL  write access  cannot write _leases/… in s3://bucket/archive: the host is not known (…, 3 attempts); therefore not checked: overwriting, free space, archive',
        "                    → correct the host in --s3-endpoint, or mend this machine's DNS",
        '',
      ].join('\n'),
    );
  });

  it('ends with an export line for any directory: it names the configuration file', async () => {
    const config = join(directory, 'night.yaml');
    await writeFile(
      config,
      [
        `base-url: ${emulator.baseUrl}`,
        `out: ${join(directory, 'archive')}`,
        `user: [${emulator.state.userIds()[0]!}]`,
        '',
      ].join('\n'),
    );
    vi.stubEnv('JOBVAULT_API_KEY', 'demo-key');
    const { stdout } = await cli(['doctor', '--config', config]);
    vi.unstubAllEnvs();
    expect(stdout.split('\n').slice(-2)).toEqual([`Ready: jobvault export --config ${config}`, '']);
  });

  it('asks twice, writes nothing that stays, and finds everything in order', async () => {
    const checks = await found(words());
    expect(Object.keys(checks)).toEqual([
      'versions',
      'users',
      'service',
      'API key',
      'page size',
      'cache',
      'rate',
      'clock',
      'write access',
      'overwriting',
      'free space',
      'archive',
    ]);
    for (const { status, fix } of Object.values(checks))
      expect([status, fix]).toEqual(['ok', null]);
    expect(emulator.stats.totalRequests).toBe(2);
    expect(await readdir(directory)).toEqual([]);
  });

  it('says how much a run keeps before a commit where less is free', async () => {
    const findings = await examineSetup({
      baseUrl: emulator.baseUrl,
      apiKey: 'demo-key',
      users: emulator.state.userIds(),
      out: join(directory, 'archive'),
      checkpointBytes: 1e15,
      nodeVersion: process.version,
    });
    expect(findings.find(({ check }) => check === 'free space')).toMatchObject({
      status: 'warning',
      fix: 'free space, or lower --checkpoint-size: before a commit a run keeps up to 4000.0 TB beside the archive, 4 times --checkpoint-size (1000.0 TB): rows, tables, images and sheets',
    });
  });

  it('names the file or variable of a key that is none', async () => {
    const file = join(directory, 'api-key');
    await writeFile(file, '', { mode: 0o600 });
    const empty = await found(words('--api-key-file', file), 2, { JOBVAULT_API_KEY: '' });
    expect(empty['API key']!.message).toBe(
      `--api-key-file ${file} is empty; put the API key into it`,
    );
    await writeFile(file, 'short');
    const short = await found(words('--api-key-file', file), 2, { JOBVAULT_API_KEY: '' });
    expect(short['API key']!.message).toBe(
      `the API key in ${file} has a length of 5; at least 8 characters are needed, so that it can be removed from logs`,
    );
    const variable = await found(words(), 2, { JOBVAULT_API_KEY: 'short' });
    expect(variable['API key']!.message).toMatch(/^the API key in JOBVAULT_API_KEY has a length/);
  });

  it('tells the size of a page that the service grants', async () => {
    await start({ maxPageSize: 25 });
    const checks = await found(words());
    expect(checks['page size']).toMatchObject({ status: 'ok' });
    expect(checks['page size']!.message).toContain('25 granted of 100 requested');
  });

  it('finds a cache that answers in place of the service', fault('F-73'), async () => {
    await using front = await cachingFront(emulator.baseUrl);
    const behind = () => words().map((word) => (word === emulator.baseUrl ? front.baseUrl : word));
    front.isPolite = true;
    expect((await found(behind()))['cache']).toMatchObject({ status: 'ok' });
    front.isPolite = false;
    const { cache } = await found(behind());
    expect(cache).toMatchObject({ status: 'warning' });
    expect(cache!.message).toContain('(Age: 12)');
    expect(cache!.fix).toContain('/v2/team');
  });

  it('does not say that there is no cache where its second request fails', async () => {
    await start({
      faults: { api: [{ after: 1, answer: { kind: 'error', status: 500, code: 9999 } }] },
    });
    expect((await found(words()))['cache']).toMatchObject({ status: 'unknown' });
  });

  it('tells a key that is not accepted, and does not print it', async () => {
    const environment = { JOBVAULT_API_KEY: 'canary-key' };
    const checks = await found(words(), 6, environment);
    expect(checks['service']).toMatchObject({ status: 'ok' });
    expect(checks['API key']).toMatchObject({ status: 'failed', failure: 'authentication' });
    expect(JSON.stringify(checks)).not.toContain('canary');
    const answer = await cli(words(), environment);
    expect(answer.stdout).toMatch(/^FAIL {2}API key .*\n {20}→ check the key in JOBVAULT_API_KEY/m);
    expect(answer.stdout).toContain('Not ready');
  });

  it('gives up soon on a service that cannot be reached', async () => {
    const given = words();
    await emulator.close();
    const checks = await found(given, 5);
    expect(checks['service']).toMatchObject({ status: 'failed', failure: 'unreachable' });
    expect(checks['service']!.fix).toContain('--base-url');
    expect(checks['API key']).toMatchObject({ status: 'unknown' });
  });

  it('warns of a key that goes to another machine unencrypted', async () => {
    const [user = ''] = emulator.state.userIds();
    const checks = await examineSetup({
      ...{ baseUrl: 'http://no-such-host.invalid', apiKey: 'demo-key', users: [user] },
      nodeVersion: 'v20.19.0',
    });
    expect(checks.find(({ check }) => check === 'encryption')).toEqual({
      check: 'encryption',
      status: 'warning',
      message:
        'the API key and every answer go to no-such-host.invalid unencrypted, because the base URL begins with http://: whoever is on the way can read and change them',
      fix: 'use an https:// address, or a tunnel that ends on this machine',
      failure: null,
      because: null,
    });
  });

  it('warns of a rate above what a team has, and of one that is used up', async () => {
    expect((await found(words('--rate', '50')))['rate']).toMatchObject({ status: 'warning' });
    await start({
      faults: { api: [{ first: 1, answer: { kind: 'error', status: 429, code: 201 } }] },
    });
    const checks = await found(words());
    expect(checks['rate']).toMatchObject({ status: 'warning' });
    expect(checks['rate']!.fix).toContain('lower --rate');
  });

  it('warns of a clock that is wrong, in either direction', async () => {
    const skewed = async (skewMs: number) => {
      const date = new Date(Date.UTC(2026, 10, 2) + skewMs).toUTCString();
      await using api = await scriptedApi({ ...pageOf([]), headers: { date } });
      const findings = await examineSetup({
        baseUrl: api.url,
        apiKey: 'some-key',
        users: ['u'],
        nodeVersion: 'v20.19.0',
        clock: { ...systemClock, now: () => Date.UTC(2026, 10, 2) },
      });
      return findings.find(({ check }) => check === 'clock');
    };
    expect(await skewed(0)).toMatchObject({ status: 'ok' });
    expect(await skewed(30_000)).toMatchObject({ status: 'ok' });
    expect(await skewed(600_000)).toMatchObject({
      status: 'warning',
      message: '10 m 0 s behind the service',
    });
    const ahead = await skewed(-600_000);
    expect(ahead!.message).toContain('9 m 59 s ahead of the service');
  });

  it('tells a place that cannot be written to', async () => {
    const file = join(directory, 'file');
    await writeFile(file, 'not an archive');
    const checks = await found(wordsFor(file), 9);
    expect(checks['write access']).toMatchObject({ status: 'failed', failure: 'storage' });
    expect(checks['write access']!.message).toContain(`${file} is a file`);
    const readOnly = join(directory, 'read-only');
    await mkdir(readOnly);
    await chmod(readOnly, 0o500);
    // root may write anywhere but in what the kernel makes up
    const place = process.getuid?.() === 0 ? '/proc/archive' : readOnly;
    expect((await found(wordsFor(place), 9))['write access']).toMatchObject({
      status: 'failed',
    });
  });

  it('tells an archive of another service, and a directory that is none', async () => {
    const export_ = ['export', ...words().slice(1), '--log-level', 'silent'];
    expect((await cli(export_)).exitCode).toBe(0);
    expect((await found(words()))['archive']!.message).toMatch(/^of this service, since \d/);
    await start();
    const other = await found(words(), 2);
    const [, old = '', fix = ''] =
      /is the archive of (http:\/\/127\.0\.0\.1:\d+), not of http:\/\/127\.0\.0\.1:\d+ → (.*)$/.exec(
        `${other['archive']!.message} → ${other['archive']!.fix}`,
      ) ?? [];
    expect(fix).toBe(
      `give --base-url ${old}, or, if the service has moved, keep that address for it (DNS, a proxy), or begin a new archive: one belongs to one address`,
    );
    await writeFile(join(directory, 'letter.txt'), 'Dear …');
    const letter = (await found(wordsFor(directory), 2))['archive']!;
    expect(letter.message).toContain('is not empty');
    expect(letter.fix).toBe('name another location with --out');
  });

  it('says what is missing, all at once', async () => {
    const checks = await found(['doctor', '--users-file', '/nowhere.csv'], 2, {});
    expect(checks['service']).toMatchObject({ status: 'failed', fix: 'give --base-url' });
    expect(checks['API key']).toMatchObject({ status: 'failed' });
    expect(checks['users']!.message).toContain('/nowhere.csv cannot be read');
    expect(checks['write access']).toMatchObject({ status: 'failed', fix: 'give --out' });
  });

  it('does not tell people to give a file that they have given', async () => {
    const keyFile = join(directory, 'short-key');
    await writeFile(keyFile, 'nope', { mode: 0o600 });
    const given = ['doctor', '--users-file', '/nowhere.csv', '--api-key-file', keyFile];
    const checks = await found(given, 2, {});
    expect(checks['API key']).toMatchObject({
      message: expect.stringContaining(`${keyFile} has a length of 4`) as string,
      fix: 'mend that file, or name another one with --api-key-file',
    });
    expect(checks['users']!.fix).toBe('mend that file, or name another one with --users-file');
  });

  it('names the file whose key the service refuses, as the next step of an export does', async () => {
    const keyFile = join(directory, 'other-key');
    await writeFile(keyFile, 'no-such-key', { mode: 0o600 });
    const checks = await found([...words(), '--api-key-file', keyFile], 6, {});
    expect(checks['API key']!.fix).toBe(
      `check the key in ${keyFile} (--api-key-file): it must be a key of this service; --api-key-header names its header`,
    );
  });

  it('shows one line a cause, with what it could not check for it', async () => {
    const given = words();
    await emulator.close();
    const { stdout } = await cli(given);
    const { host } = new URL(emulator.baseUrl);
    const marked = stdout.split('\n').filter((line) => /^(FAIL|\?) /.test(line));
    expect(marked.map((line) => line.replace(/, our trace [\w-]+/, ''))).toEqual([
      `FAIL  service       could not list sessions: ${host} refuses the connection (ECONNREFUSED) (after 2 attempts); therefore not checked: API key, page size`,
    ]);
    const file = join(directory, 'file');
    await writeFile(file, 'not an archive');
    const place = await cli(['doctor', '--out', file], {});
    expect(place.stdout).toMatch(
      /^FAIL {2}write access {2}.* is a file.*; therefore not checked: overwriting, free space\n/m,
    );
    expect(place.stdout).toMatch(
      /^FAIL {2}service {7}no service is named; therefore not checked: archive\n {20}→ give --base-url\n/m,
    );
    expect(place.stdout).not.toContain('\n?');
  });

  it('names a configuration file that it found, where it decides', async () => {
    const before = process.cwd();
    const settings = [
      'user: jonas.weber',
      `base-url: ${emulator.baseUrl}`,
      `out: ${join(directory, 'archive')}`,
    ];
    await writeFile(join(directory, 'jobvault.config.yaml'), settings.join('\n'));
    process.chdir(directory);
    try {
      const { stdout } = await cli(['doctor']);
      expect(stdout).toMatch(/^ok {4}users {9}jonas\.weber, from \.\/jobvault\.config\.yaml\n/m);
      expect(stdout).toMatch(
        /^ok {4}service {7}\S+ answers \(.*\) \(--base-url from \.\/jobvault\.config\.yaml\)\n/m,
      );
      expect(stdout).toMatch(
        /^ok {4}write access {2}\S+ is writable \(--out from \.\/jobvault\.config\.yaml\)\n/m,
      );
      const flags = await cli(['doctor', '--user', 'ana']);
      expect(flags.stdout).toMatch(/^ok {4}users {9}ana\n/m);
      const named = await cli(['doctor', '--config', 'jobvault.config.yaml']);
      expect(named.stdout).not.toContain('from ./jobvault.config.yaml');
    } finally {
      process.chdir(before);
    }
  });

  it('wants a Node.js that is recent enough', async () => {
    const findings = await examineSetup({ nodeVersion: 'v18.20.1' });
    expect(findings[0]).toMatchObject({ check: 'versions', status: 'failed', failure: 'usage' });
  });
});
