import { expect, it } from 'vitest';
import { asDatasetId, asUserId } from '../../../src/model/ids.js';
import type { DatasetStatus } from '../../../src/model/records.js';
import { isUsable, waitForDataset } from '../../../src/service/wait-for-dataset.js';
import { FakeClock } from '../../support/base/fake-clock.js';

const REQUEST = { userId: asUserId('u'), datasetId: asDatasetId('d') };

function serviceWith(clock: FakeClock, ...synching: readonly number[]) {
  const asked: number[] = [];
  const getDatasetStatus = (): Promise<DatasetStatus> => {
    const count = synching[Math.min(asked.length, synching.length - 1)] ?? 0;
    asked.push(clock.monotonic());
    return Promise.resolve({ synched_count: 1, invalid_count: 0, synching_count: count });
  };
  const stats = { requests: 0, retries: 0, rateLimited: 0, stale: 0, staleBecause: null };
  return { asked, service: { getDatasetStatus, stats } };
}

it('waiting for a dataset asks once if nothing is synching', async () => {
  const clock = new FakeClock();
  const { asked, service } = serviceWith(clock, 0);
  const options = { timeoutMs: 1000, intervalMs: 100, clock };
  expect(isUsable(await waitForDataset(service, REQUEST, options))).toBe(true);
  expect(asked).toHaveLength(1);
});

it('waiting for a dataset asks at every interval, and once more when the time is over', async () => {
  const clock = new FakeClock();
  const { asked, service } = serviceWith(clock, 1);
  const begun = clock.monotonic();
  const waiting = waitForDataset(service, REQUEST, { timeoutMs: 250, intervalMs: 100, clock });
  await clock.advance(1000);
  expect((await waiting).synching_count).toBe(1);
  expect(asked.map((at) => at - begun)).toEqual([0, 100, 200, 250]);
});

it('waiting for a dataset ends with the reason of its signal', async () => {
  const clock = new FakeClock();
  const { service } = serviceWith(clock, 1);
  const controller = new AbortController();
  const request = { ...REQUEST, signal: controller.signal };
  const waiting = waitForDataset(service, request, { timeoutMs: 1e6, intervalMs: 1e5, clock });
  controller.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
});

it('a dataset is usable only without invalid and synching sources', () => {
  const status = { synched_count: 2, invalid_count: 0, synching_count: 0 };
  expect(isUsable(status)).toBe(true);
  expect(isUsable({ ...status, invalid_count: 1 })).toBe(false);
  expect(isUsable({ ...status, synching_count: 1 })).toBe(false);
});
