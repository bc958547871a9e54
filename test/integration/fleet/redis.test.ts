/** How a fleet meets its Redis: over TLS, with a password, and where Redis refuses. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Socket } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { fleetStatus } from '../../../src/fleet/fleet-status.js';
import { freePort } from '../../services/free-port.js';
import { redisServer, openssl } from '../../services/programs.js';
import { RedisServer } from '../../services/redis.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { FleetRig, QUEUE } from '../../support/rigs/fleet-rig.js';
import { privateAuthority } from '../../support/http/private-authority.js';
import { fault } from '../../support/base/fault.js';

const PASSWORD = 'c4n4ry/p4ss@w0rd';
const login = `:${encodeURIComponent(PASSWORD)}`;

describe.skipIf(redisServer === undefined)('a Redis with a password', () => {
  it.skipIf(openssl === undefined)(
    'is reached over TLS where its certificate is trusted, by a worker, too',
    async () => {
      await using authority = await privateAuthority();
      const folder = dirname(authority.caFile);
      const port = await freePort();
      await using redis = await RedisServer.start(
        ...['--requirepass', PASSWORD, '--tls-port', String(port), '--tls-auth-clients', 'no'],
        ...['--tls-cert-file', join(folder, 'cert.pem'), '--tls-key-file', join(folder, 'key.pem')],
        ...['--tls-ca-cert-file', authority.caFile],
      );
      await using rig = await FleetRig.start({ users: 1 });
      await rig.enqueue({ redis: `redis://${login}@127.0.0.1:${redis.port}`, run: 'night' });
      const url = `rediss://${login}@127.0.0.1:${port}`;
      const place = ['--base-url', rig.emulator.baseUrl, '--out', rig.out];
      const words = [...place, '--queue', QUEUE, '--exit-when-idle', '200ms', '--json'];
      const worker = await rig.begin(['worker', ...words, '--log-level', 'debug'], {
        environment: { JOBVAULT_REDIS: url, NODE_EXTRA_CA_CERTS: authority.caFile },
      }).ended;
      expect(worker.exitCode, worker.stderr).toBe(0);
      expect(JSON.parse(worker.stdout)).toMatchObject({ users: { complete: 1 }, finished: 1 });
      expect(worker.stderr).not.toContain(PASSWORD);
      expect(worker.stderr).not.toContain(encodeURIComponent(PASSWORD));

      const refused = await fleetStatus({ redis: url }).catch((error: unknown) => error);
      expect(inspect(refused, { depth: 9 })).not.toContain(PASSWORD);
      expect(refused).toMatchObject({
        name: 'RedisError',
        message: expect.stringMatching(
          /^Redis at rediss:\/\/(?:\*\*\*@)?127\.0\.0\.1:\d+ cannot be used: .*certificate/,
        ),
      });
    },
  );

  it('that is wrong is not in what is thrown either, however deep', async () => {
    await using redis = await RedisServer.start('--requirepass', 'another');
    const url = `redis://${login}@127.0.0.1:${redis.port}`;
    const error = await fleetStatus({ redis: url }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'RedisError', failure: 'authentication' });
    expect(error).toHaveProperty('message', expect.stringContaining('the user or the password'));
    expect(error).toHaveProperty('cause.message', expect.stringContaining('WRONGPASS'));
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(PASSWORD);
  });

  it.each([
    ['wrong', `${login}@`],
    ['missing', ''],
  ])('that is %s is tried once, and told in one sentence', async (_, given) => {
    await using redis = await RedisServer.start('--requirepass', 'another');
    const connected = vi.spyOn(Socket.prototype, 'connect');
    const url = `redis://${given}127.0.0.1:${redis.port}`;
    const { exitCode, stderr } = await cli(['status', '--redis', url, '--log-format', 'json']);
    const lines = stderr.trim().split('\n');
    const attempts = connected.mock.calls.length;
    connected.mockRestore();
    expect([exitCode, attempts, lines.length]).toEqual([6, 1, 1]);
    const { msg, next } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    expect(msg).toContain('in front of the host, as USER:PASSWORD@HOST (without a user');
    expect(next).toBeUndefined();
  });

  it('is not used with another database than the one that is named', async () => {
    await using redis = await RedisServer.start();
    await expect(fleetStatus({ redis: `${redis.url}/15` })).resolves.toEqual([]);
    await expect(fleetStatus({ redis: `${redis.url}/16` })).rejects.toThrow(
      `Redis at ${redis.url}/16 cannot be used: ERR DB index is out of range`,
    );
  });
});

describe.skipIf(redisServer === undefined)('a Redis that may lose the queue', () => {
  const words = (redis: RedisServer, out: string) => [
    ...['--redis', redis.url, '--base-url', 'http://127.0.0.1:9', '--out', out, '--user', 'ada'],
  ];

  it('is told by enqueue and by doctor, in the log and not beside it', fault('F-85'), async () => {
    await using redis = await RedisServer.start(
      ...['--appendonly', 'no', '--maxmemory-policy', 'allkeys-lru'],
    );
    const printed = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const directory = await mkdtemp(join(tmpdir(), 'jobvault-hazards-'));
    const enqueued = await cli(['enqueue', ...words(redis, directory), '--log-format', 'json']);
    expect(enqueued.exitCode, enqueued.stderr).toBe(0);
    expect(enqueued.stderr).toMatch(/"msg":"Redis may lose the queue: it keeps no append-only/);
    expect(enqueued.stderr).toMatch(/"msg":"Redis may lose the queue: its maxmemory-policy is/);
    for (const line of enqueued.stderr.trim().split('\n')) JSON.parse(line);
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
    const { stdout } = await cli(['doctor', ...words(redis, directory)]);
    expect(stdout).toMatch(/^warn +queue +\S+ may lose the queue: it keeps no append-only/m);
    expect(stdout).toMatch(/^warn +queue +\S+ may lose the queue: its maxmemory-policy is all/m);
    await rm(directory, { recursive: true });
  });

  it('is none where it keeps an append-only file and evicts nothing', async () => {
    await using redis = await RedisServer.start();
    const { stdout } = await cli(['doctor', ...words(redis, tmpdir())]);
    expect(stdout).toMatch(/^ok +queue +redis:\/\/127\.0\.0\.1:\d+ answers$/m);
  });

  it('with a wrong password fails the check, with exit code 6 for who would enqueue', async () => {
    await using redis = await RedisServer.start('--requirepass', PASSWORD);
    const { stdout } = await cli(['doctor', ...words(redis, tmpdir())]);
    expect(stdout).toMatch(/^FAIL +queue +.*it refuses the user or the password/m);
    const { exitCode, stderr } = await cli(['enqueue', ...words(redis, tmpdir())]);
    expect(exitCode, stderr).toBe(6);
  });

  it('is a cluster, which is said in words', async () => {
    await using redis = await RedisServer.start(
      ...['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())],
    );
    await expect(fleetStatus({ redis: redis.url, queue: 'any' })).rejects.toThrow(
      /it is a node of a cluster, .* \(CLUSTERDOWN/,
    );
  });
});
