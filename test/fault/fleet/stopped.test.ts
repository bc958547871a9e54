/** A worker that is told to stop while Redis is away: it leaves all the same. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/runtime.js';
import { silentLogger, type LogFields } from '../../../src/base/logger.js';
import { redisServer } from '../../services/programs.js';
import { SHORT_TERMS } from '../../support/base/short-terms.js';
import { FleetRig } from '../../support/rigs/fleet-rig.js';
import { ed25519Pair, startingSigner } from '../../support/base/signing-keys.js';

const RENEWED_IN_MS = 20;
const terms = { ...SHORT_TERMS, lockMs: 3 * RENEWED_IN_MS, shutdownMs: 20 };

describe.skipIf(redisServer === undefined)(
  'a worker that is told to stop while Redis is away',
  () => {
    let rig: FleetRig;
    let stop: AbortController;
    beforeEach(async () => {
      rig = await FleetRig.start({ users: 4 });
      stop = new AbortController();
    });
    afterEach(() => rig[Symbol.asyncDispose]());

    /** Waits between two renewals of its holds that are going on. */
    let waits = 0;
    const clock: Clock = {
      now: () => systemClock.now(),
      monotonic: () => systemClock.monotonic(),
      sleep: async (ms, signal) => {
        const isOfRenewal = ms === RENEWED_IN_MS;
        if (isOfRenewal) waits++;
        try {
          await systemClock.sleep(ms, signal);
        } finally {
          if (isOfRenewal) waits--;
        }
      },
    };

    it('leaves with claimed users, whose holds it is renewing', async () => {
      await rig.enqueue();
      const stopWhileRenewing = async () => {
        await rig.redis.kill();
        await vi.waitUntil(() => waits === 0);
        stop.abort(new Error('stopped'));
      };
      // nothing is answered after the first request: nobody can be done before the stop
      let stopping: Promise<void> | undefined;
      rig.emulator.faults.beforeRequest = () => {
        return rig.emulator.stats.totalRequests > 1
          ? (stopping ??= stopWhileRenewing())
          : undefined;
      };
      const { summary, error } = await rig.work({ signal: stop.signal, clock, terms, rate: 5 });
      expect(error).toBeUndefined();
      expect(summary).toMatchObject({ status: 'interrupted', users: { complete: 0 } });
      expect(summary.users.returned).toBeGreaterThan(0);
    });

    it('leaves with a run that it is finishing, which another finishes', async () => {
      const { run } = await rig.enqueue();
      const own = startingSigner(ed25519Pair().privateKey);
      let commits = 0;
      const signer = {
        ...own,
        sign: (bytes: Uint8Array) => {
          // the first holds the users, the second records the run's end
          if (++commits === 2) void rig.redis.kill().then(() => stop.abort(new Error('stopped')));
          return own.sign(bytes);
        },
      };
      const { summary } = await rig.work({ signal: stop.signal, clock, terms, signer });
      expect(summary).toMatchObject({ status: 'interrupted', users: { complete: 4 }, finished: 0 });

      await rig.redis.start();
      await rig.work({ signer: own });
      expect(await rig.finished(run)).toMatchObject({ status: 'complete', users: { complete: 4 } });
    });

    it('prints nothing of the outage by itself', async () => {
      const printed = vi.spyOn(console, 'error').mockReturnValue();
      await rig.enqueue();
      const warnings: string[] = [];
      const warn = (_fields: object, message: string) => {
        warnings.push(message);
        if (message === 'Redis connection error') stop.abort(new Error('stopped'));
      };
      const logger = { ...silentLogger, warn };
      rig.emulator.faults.beforeRequest = () => void rig.redis.kill();
      await rig.work({ signal: stop.signal, clock, terms, logger, rate: 5 });
      expect(warnings).toContain('Redis connection error');
      expect(printed).not.toHaveBeenCalled();
      printed.mockRestore();
    });
  },
);

describe.skipIf(redisServer === undefined)(
  'a worker that is told to stop and cannot commit',
  () => {
    it('says so, and gives all its users back', async () => {
      await using rig = await FleetRig.start({ users: 4 });
      await rig.enqueue();
      const stop = new AbortController();
      rig.emulator.faults.beforeRequest = () => {
        // four listings, and the last of the four histories
        if (rig.emulator.stats.totalRequests !== 8) return;
        writeFileSync(join(rig.out, 'tables'), 'where a directory should be');
        stop.abort(new Error('stopped'));
      };
      const told: string[] = [];
      const error = ({ reason }: LogFields, message: string) => {
        told.push(`${message}: ${String(reason)}`);
      };
      const logger = { ...silentLogger, error };
      const { summary } = await rig.work({ signal: stop.signal, logger, rate: 20 });
      expect(summary).toMatchObject({
        status: 'interrupted',
        users: { complete: 0, returned: 4 },
        jobs: { archived: 0 },
      });
      expect(told).toEqual([
        expect.stringMatching(/^could not commit the users that were done: .*tables/),
      ]);
      expect((await rig.status()).users).toMatchObject({ waiting: 4, active: 0 });
    });
  },
);
