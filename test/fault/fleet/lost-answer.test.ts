/** A worker whose connection breaks just when the queue hands a user over: the user is held, and nobody knows it. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { redisServer } from '../../services/programs.js';
import { SHORT_TERMS } from '../../support/base/short-terms.js';
import { NOBODY_SETTLED, FleetRig } from '../../support/rigs/fleet-rig.js';

describe.skipIf(redisServer === undefined)(
  'a worker that never hears which user it was given',
  () => {
    let rig: FleetRig;
    beforeEach(async () => {
      rig = await FleetRig.start({ users: 2 });
    });
    afterEach(() => rig[Symbol.asyncDispose]());

    it('stays until the hold has run out, however soon it would leave an empty queue', async () => {
      const { run } = await rig.enqueue();
      await using front = await losingFirstHandOver(rig.redis.port);
      const { summary, error } = await rig.work({
        redis: front.url,
        exitWhenIdleMs: 200,
        terms: SHORT_TERMS,
      });
      expect(error).toBeUndefined();
      expect(front.lost).toBe(1);
      expect(summary.users).toEqual({ ...NOBODY_SETTLED, complete: 2 });
      expect(await rig.finished(run)).toMatchObject({ status: 'complete', users: { total: 2 } });
    });
  },
);

/** Redis as if behind a network that breaks once: the answer that hands over the first user is lost. */
async function losingFirstHandOver(port: number) {
  let lost = 0;
  const server = createServer((client) => {
    const redis = connect(port, '127.0.0.1');
    const end = () => {
      client.destroy();
      redis.destroy();
    };
    for (const socket of [client, redis]) socket.on('error', end).on('close', end);
    client.pipe(redis);
    redis.on('data', (answer: Buffer) => {
      if (lost > 0 || !answer.includes('"users":')) client.write(answer);
      else {
        lost++;
        end();
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get lost() {
      return lost;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}
