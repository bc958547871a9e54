/** What it takes to put many users on the queue: time and memory of `enqueue`, and memory of Redis. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Redis } from 'ioredis';
import { redisServer } from '../services/programs.js';
import { RedisServer } from '../services/redis.js';
import { measuredNode } from './measured-process.js';
import { benchFlags, collect, printRow, skipRow } from './measurement.js';

const SIZES = { 'enqueue-100000': 100_000, 'enqueue-1000000': 1_000_000 };

const { rounds, isQuick, wants } = benchFlags();
for (const [row, full] of Object.entries(SIZES)) {
  const names = [row, `${row}-memory`, `${row}-redis`];
  if (!names.some(wants)) continue;
  if (redisServer === undefined) names.forEach((name) => skipRow(name, 'there is no redis-server'));
  else {
    const runs = await collect(rounds, () => enqueued(isQuick ? full / 100 : full));
    const print = (name: string, unit: string, of: (run: Enqueued) => number) => {
      printRow(
        name,
        unit,
        runs.map((run) => ({ ours: of(run), peer: null })),
      );
    };
    print(row, 's', ({ seconds }) => seconds);
    print(`${row}-memory`, 'MB', ({ peakMB }) => peakMB);
    print(`${row}-redis`, 'MB', ({ redisMB }) => redisMB);
  }
}

interface Enqueued {
  readonly seconds: number;
  readonly peakMB: number;
  readonly redisMB: number;
}

async function enqueued(users: number): Promise<Enqueued> {
  const directory = await mkdtemp(join(tmpdir(), 'jobvault-bench-'));
  await using redis = await RedisServer.start();
  try {
    const file = join(directory, 'users.csv');
    await pipeline(Readable.from(lines(users)), createWriteStream(file));
    const place = ['--redis', redis.url, '--out', join(directory, 'archive')];
    const service = ['--base-url', 'https://api.example.com'];
    const words = ['enqueue', ...place, ...service, '--users-file', file];
    const { seconds, peakMB } = await measuredNode(words);
    const client = new Redis(redis.url);
    const info = await client.info('memory');
    client.disconnect();
    const bytes = Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
    return { seconds, peakMB, redisMB: bytes / 1e6 };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function* lines(users: number): Generator<string> {
  yield 'name,user_id\n';
  for (let user = 0; user < users; user++) {
    yield `User ${user},user.number-${String(user).padStart(7, '0')}@example.com\n`;
  }
}
