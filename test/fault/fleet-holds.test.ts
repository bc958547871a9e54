/** A worker that loses its hold on users, because it stood still or Redis was out of reach for too long. */
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { redisServer } from '../services/programs.js';
import { doubledKeys } from '../support/export-rig.js';
import { FleetRig } from '../support/fleet-rig.js';

describe.skipIf(redisServer === undefined)('a worker whose holds ran out', () => {
  let rig: FleetRig;
  beforeEach(async () => {
    rig = await FleetRig.start({ users: 4 });
  });
  afterEach(() => rig[Symbol.asyncDispose]());

  it('goes on with users who come back to itself, and archives each once', async () => {
    // slow enough for the queue to notice while they are in hand
    const { run } = await rig.enqueue({ rate: 1 });
    const lost = new Promise<number>((resolve, reject) => {
      rig.emulator.faults.beforeRequest = () => {
        if (rig.emulator.stats.totalRequests === 3) dropHolds().then(resolve, reject);
      };
    });
    const worker = rig.work();
    expect(await lost).toBe(4);
    const { summary, error } = await worker;

    expect(error).toBeUndefined();
    expect(summary.users).toEqual({ complete: 4, gaps: 0, again: 0, returned: 0 });
    expect(await rig.finished(run)).toMatchObject({ status: 'complete', users: { complete: 4 } });
    const rows = await rig.select('jobs', 'user_id, session_id, job_id, job_version');
    expect(rows).toHaveLength(4);
    expect(doubledKeys('jobs', rows)).toEqual([]);
    // looked at once: a listing and a history each, and one request before there was an archive
    expect(rig.emulator.stats.totalRequests).toBe(9);
  }, 60_000);

  /** As if the time of all holds were up. */
  async function dropHolds(): Promise<number> {
    const redis = new Redis(rig.redis.url);
    const holds = await redis.keys('jobvault:users:*:lock');
    const dropped = await redis.del(holds);
    redis.disconnect();
    return dropped;
  }
});
