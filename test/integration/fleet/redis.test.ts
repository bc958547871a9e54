/** How a fleet meets its Redis: over TLS, with a password, and where Redis refuses. */
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { fleetStatus } from '../../../src/fleet/fleet-status.js';
import { freePort } from '../../services/free-port.js';
import { redisServer } from '../../services/programs.js';
import { RedisServer } from '../../services/redis.js';
import { FleetRig } from '../../support/rigs/fleet-rig.js';
import { privateAuthority } from '../../support/http/private-authority.js';

const PASSWORD = 'c4n4ry/p4ss@w0rd';
const login = `:${encodeURIComponent(PASSWORD)}`;

describe.skipIf(redisServer === undefined)('a Redis with a password', () => {
  it('is reached over TLS where its certificate is trusted, by a worker, too', async () => {
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
    const words = [...place, '--exit-when-idle', '200ms', '--json'];
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
        /^Redis at rediss:\/\/127\.0\.0\.1:\d+ cannot be used: .*certificate/,
      ),
    });
  }, 60_000);

  it('that is wrong is not in what is thrown either, however deep', async () => {
    await using redis = await RedisServer.start('--requirepass', 'another');
    const url = `redis://${login}@127.0.0.1:${redis.port}`;
    const error = await fleetStatus({ redis: url }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'RedisError', failure: 'unreachable' });
    expect(error).toHaveProperty('cause.message', expect.stringContaining('WRONGPASS'));
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(PASSWORD);
  });

  it('is not used with another database than the one that is named', async () => {
    await using redis = await RedisServer.start();
    await expect(fleetStatus({ redis: `${redis.url}/15` })).resolves.toMatchObject({ runs: [] });
    await expect(fleetStatus({ redis: `${redis.url}/16` })).rejects.toThrow(
      `Redis at ${redis.url}/16 cannot be used: ERR DB index is out of range`,
    );
  });
});
