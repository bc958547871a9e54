/** How much of a limit of 20 requests a second is used, and how many are answered 429: with no latency, and with jitter. */
import { silentLogger } from '../../src/base/logger.js';
import { systemRandom, systemClock } from '../../src/base/runtime.js';
import { asUserId } from '../../src/model/ids.js';
import { createServiceClient } from '../../src/service/create-service-client.js';
import { EmulatorProcess } from './emulator-process.js';
import { JitteryProcess } from './jittery-process.js';
import { benchFlags, printRow } from './measurement.js';

const RATE = 20;
const CALLERS = 8;
const MOST_JITTER_MS = 80;

const { rounds, isQuick, wants } = benchFlags();
const seconds = isQuick ? 2 : 30;
if (wants('rate') || wants('rate-429')) await measure('rate', 0);
if (wants('rate-jitter') || wants('rate-jitter-429')) await measure('rate-jitter', MOST_JITTER_MS);

async function measure(row: string, jitterMs: number): Promise<void> {
  // waiting, nearly all of it: so all rounds at once
  const all = await Promise.all(Array.from({ length: rounds }, () => used(jitterMs)));
  printRow(
    row,
    'a second',
    all.map(({ average }) => ({ ours: average, peer: null })),
  );
  printRow(
    `${row}-429`,
    '%',
    all.map(({ refused }) => ({ ours: refused, peer: null })),
  );
}

async function used(jitterMs: number): Promise<{ average: number; refused: number }> {
  using emulator = await EmulatorProcess.start({ rateLimit: RATE });
  const { baseUrl, users } = emulator.service;
  using network = jitterMs === 0 ? undefined : await JitteryProcess.start(baseUrl, jitterMs);
  const client = createServiceClient({
    baseUrl: network?.baseUrl ?? baseUrl,
    apiKey: 'demo-key',
    traceId: 'bench',
    rate: RATE,
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
  });
  const userId = asUserId(users[0] ?? '');
  const started = performance.now();
  const caller = async (): Promise<void> => {
    while (performance.now() - started < seconds * 1000) await client.listSessions({ userId });
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  const average = client.stats.requests / ((performance.now() - started) / 1000);
  const refused = (100 * client.stats.rateLimited) / client.stats.requests;
  await client.close();
  return { average, refused };
}
