/** Acceptance: under a limit of 20 requests a second at least 19 on average, and at most 0.5 % answered 429. */
import { expect, it } from 'vitest';
import { silentLogger } from '../../src/base/logger.js';
import { systemRandom } from '../../src/base/random.js';
import { systemClock } from '../../src/base/system-clock.js';
import { startEmulator } from '../../src/emulator/emulator.js';
import { asUserId } from '../../src/model/ids.js';
import { createServiceClient } from '../../src/service/create-service-client.js';

const RATE = 20;
const SECONDS = 30;
const CALLERS = 8;

it.for([5, 80, 250])('uses the allowance with %i ms of latency', async (latencyMs) => {
  const emulator = await startEmulator({ rateLimit: RATE });
  emulator.faults.latencyMs = latencyMs;
  const client = createServiceClient({
    baseUrl: emulator.baseUrl,
    apiKey: 'demo-key',
    traceId: 'bench',
    rate: RATE,
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
  });
  const userId = asUserId(emulator.state.userIds()[0] ?? '');
  const started = performance.now();
  const caller = async () => {
    while (performance.now() - started < SECONDS * 1000) await client.listSessions({ userId });
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  const average = client.stats.requests / ((performance.now() - started) / 1000);
  const refused = client.stats.rateLimited / client.stats.requests;
  await client.close();
  await emulator.close();
  console.log(
    `latency ${latencyMs} ms: ${average.toFixed(2)} a second, ${(refused * 100).toFixed(2)} % answered 429, ` +
      `busiest second ${emulator.stats.maxPerSecond}`,
  );
  expect(average).toBeGreaterThanOrEqual(19);
  expect(refused).toBeLessThanOrEqual(0.005);
});
