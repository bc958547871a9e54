/** Acceptance: three workers on one Redis keep an average of at least 18 requests a second, 21 in the busiest. */
import { expect, it } from 'vitest';
import { FleetRig } from '../support/fleet-rig.js';

it('uses the allowance with three workers', async () => {
  await using rig = await FleetRig.start({ users: 200 });
  const { run } = await rig.enqueue({ rate: 20 });
  const workers = [1, 2, 3].map(() => rig.beginWorker(['--exit-when-idle', '3s']));
  await rig.finished(run);
  await Promise.all(workers.map(({ ended }) => ended));
  const { arrivals, maxPerSecond } = rig.emulator.stats;
  const [first, last] = [arrivals[0]?.atMs ?? 0, arrivals.at(-1)?.atMs ?? 0];
  const average = (arrivals.length - 1) / ((last - first) / 1000);
  console.log(
    `${arrivals.length} requests, ${average.toFixed(2)} a second, busiest second ${maxPerSecond}`,
  );
  expect(average).toBeGreaterThanOrEqual(18);
  expect(maxPerSecond).toBeLessThanOrEqual(21);
});
