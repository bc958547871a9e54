/**
 * How close to the allowance the limiter stays against a real server, and how often it is refused:
 * the server allows RATE requests in any second, counted as they arrive, and answers 429 beyond.
 * Usage: npx rolldown test/bench/pace.ts --platform node -f esm -o pace.mjs && node pace.mjs [rate] [seconds] [latency in ms]
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLogger } from '../../src/base/logger.js';
import { systemRandom } from '../../src/base/random.js';
import { systemClock } from '../../src/base/system-clock.js';
import { asUserId } from '../../src/model/ids.js';
import { createServiceClient } from '../../src/service/create-service-client.js';

const [rate = 20, seconds = 30, latencyMs = 80] = process.argv.slice(2).map(Number);
const CALLERS = Math.max(8, rate);

const arrivals: number[] = [];
let refused = 0;
let busiest = 0;
const server = createServer((_request, response) => {
  const now = performance.now();
  while ((arrivals[0] ?? now) <= now - 1000) arrivals.shift();
  const isAllowed = arrivals.length < rate;
  if (isAllowed) arrivals.push(now);
  else refused++;
  busiest = Math.max(busiest, arrivals.length);
  const body = isAllowed
    ? '{"code":0,"data":{"total_items":0,"records":[]}}'
    : '{"code":201,"message":"rate limit"}';
  const jitterMs = latencyMs * (0.5 + Math.random());
  setTimeout(() => {
    response.writeHead(isAllowed ? 200 : 429, { 'content-type': 'application/json' }).end(body);
  }, jitterMs);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const client = createServiceClient({
  baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  apiKey: 'bench',
  traceId: 'bench',
  clock: systemClock,
  random: systemRandom,
  logger: silentLogger,
  rate,
});
const startMs = performance.now();
await Promise.all(
  Array.from({ length: CALLERS }, async () => {
    while (performance.now() - startMs < seconds * 1000) {
      await client.listSessions({ userId: asUserId('bench') });
    }
  }),
);
const tookS = (performance.now() - startMs) / 1000;
await client.close();
server.close();
const { requests } = client.stats;
process.stdout.write(
  `${JSON.stringify({
    rate,
    seconds: Number(tookS.toFixed(1)),
    requests,
    averageRate: Number((requests / tookS).toFixed(2)),
    shareOfRate: Number((requests / tookS / rate).toFixed(3)),
    busiestSecond: busiest,
    refused,
    refusedShare: Number((refused / requests).toFixed(4)),
  })}\n`,
);
