/** A Redis that is a node of a cluster: it answers MOVED or ASK, and every command of the fleet says so and ends. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { RedisServer } from '../../services/redis.js';
import { redisServer } from '../../services/programs.js';

const SLOTS = 16_384;

/** Sends one command to a node. */
async function told(node: RedisServer, ...words: [string, ...string[]]): Promise<unknown> {
  const redis = new Redis(node.url);
  try {
    const [command, ...rest] = words;
    return await redis.call(command, ...rest);
  } finally {
    redis.disconnect();
  }
}

describe.skipIf(redisServer === undefined)('a node of a cluster', () => {
  let asked: RedisServer;
  let other: RedisServer;
  let directory: string;
  beforeEach(async () => {
    asked = await RedisServer.start('--cluster-enabled', 'yes');
    other = await RedisServer.start('--cluster-enabled', 'yes');
    directory = await mkdtemp(join(tmpdir(), 'jobvault-cluster-'));
    await told(other, 'CLUSTER', 'MEET', '127.0.0.1', String(asked.port));
  });
  afterEach(async () => {
    await asked[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  /** Gives all slots to a node, and waits until both nodes know. */
  async function giveSlotsTo(node: RedisServer): Promise<void> {
    await told(node, 'CLUSTER', 'ADDSLOTSRANGE', '0', String(SLOTS - 1));
    for (const one of [asked, other]) {
      await expect
        .poll(() => told(one, 'CLUSTER', 'INFO'), { timeout: 30_000 })
        .toMatch(/cluster_state:ok[^]*cluster_known_nodes:2/);
    }
  }

  /** Every slot of `asked` is on its way to the other node: what is not there yet is answered with ASK. */
  async function moveSlots(): Promise<void> {
    await giveSlotsTo(asked);
    const id = String(await told(other, 'CLUSTER', 'MYID'));
    const redis = new Redis(asked.url);
    const moves = Array.from({ length: SLOTS }, (_, slot) =>
      redis.call('CLUSTER', 'SETSLOT', String(slot), 'MIGRATING', id),
    );
    await Promise.all(moves);
    redis.disconnect();
  }

  const place = () => ['--redis', asked.url, '--base-url', 'http://127.0.0.1:9'];
  const COMMANDS: readonly (readonly [string, () => string[]])[] = [
    ['enqueue', () => ['enqueue', ...place(), '--out', directory, '--user', 'ada']],
    ['worker', () => ['worker', ...place(), '--out', directory, '--exit-when-idle', '1s']],
    ['status', () => ['status', '--redis', asked.url]],
  ];

  describe.each([
    ['MOVED', () => giveSlotsTo(other)],
    ['ASK', moveSlots],
  ] as const)('that answers %s', (word, prepare) => {
    it('is refused in words by every command of the fleet, and no key goes to another node', async () => {
      await prepare();
      for (const [name, line] of COMMANDS) {
        const { exitCode, stderr } = await cli(line());
        expect([name, exitCode, stderr]).toEqual([
          ...[name, 5, expect.stringMatching(/it is a node of a cluster.*no cluster/s)],
        ]);
        // a script of several keys is refused before anybody asks where they are; SCAN is not refused
        const words = { worker: 'CROSSSLOT', status: 'cluster_enabled:1' }[name] ?? word;
        expect(stderr).toContain(words);
      }
      const { stdout } = await cli(['doctor', ...place(), '--out', directory]);
      expect(stdout).toMatch(/^FAIL +queue +.*it is a node of a cluster/m);
      for (const node of [asked, other]) expect(await told(node, 'DBSIZE')).toBe(0);
    });
  });
});
