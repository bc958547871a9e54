/** How much of a limit of 20 requests a second three workers on one Redis use together. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmulator } from '../../src/emulator/emulator.js';
import { redisServer } from '../services/programs.js';
import { RedisServer } from '../services/redis.js';
import { KEY } from './emulator-process.js';
import { measuredNode } from './measured-process.js';
import { benchFlags, collect, printRow, skipRow } from './measurement.js';

const WORKERS = 3;

const { rounds, isQuick } = benchFlags();
const users = isQuick ? 20 : 200;
if (redisServer === undefined) skipRow('fleet-rate', 'there is no redis-server');
else {
  const rates = await collect(rounds, used);
  printRow(
    'fleet-rate',
    'a second',
    rates.map((ours) => ({ ours, peer: null })),
  );
}

async function used(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'jobvault-bench-'));
  await using redis = await RedisServer.start();
  const emulator = await startEmulator({ users, sessions: 1, jobs: 1, artifactsPerJob: 0 });
  try {
    const place = ['--redis', redis.url, '--out', join(directory, 'archive')];
    const service = ['--base-url', emulator.baseUrl];
    const named = emulator.state.userIds().flatMap((user) => ['--user', user]);
    await measuredNode(['enqueue', ...place, ...service, ...named], { environment: KEY });
    const words = ['worker', ...place, ...service, '--rate', '20', '--exit-when-idle', '1s'];
    const worker = () => measuredNode(words, { environment: KEY });
    await Promise.all(Array.from({ length: WORKERS }, worker));
    const { arrivals } = emulator.stats;
    const [first, last] = [arrivals[0]?.atMs ?? 0, arrivals.at(-1)?.atMs ?? 0];
    return (arrivals.length - 1) / ((last - first) / 1000);
  } finally {
    await emulator.close();
    await rm(directory, { recursive: true, force: true });
  }
}
