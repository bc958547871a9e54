/** How many commits a second sixteen writers put into one archive, and how many lose the race for a number. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { createOrOpenArchive } from '../../src/archive/open-archive.js';
import { ulid } from '../../src/base/ulid.js';
import { systemClock, systemRandom } from '../../src/base/runtime.js';
import { TOOL } from '../../src/base/version.js';
import { asRunId, asUserId } from '../../src/model/ids.js';
import { openStorage, type StorageOptions } from '../../src/storage/open-storage.js';
import { hasS3, missingS3 } from '../services/s3-availability.js';
import { startBroker, type S3Server } from '../services/s3-broker.js';
import { benchFlags, collect, printRow, skipRow } from './measurement.js';

const WRITERS = 16;
/** Users of a commit: a worker commits when 250 are done. */
const USERS = 250;

const { rounds, isQuick, wants } = benchFlags();
const each = isQuick ? 2 : 20;

interface Raced {
  readonly perSecond: number;
  readonly lostPercent: number;
}

if (wants('commits-disk') || wants('commits-disk-lost')) {
  print(
    'commits-disk',
    await collect(rounds, async () => {
      const directory = await mkdtemp(join(tmpdir(), 'jobvault-bench-'));
      try {
        return await race(join(directory, 'archive'));
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    }),
  );
}
if (wants('commits-s3') || wants('commits-s3-lost')) {
  if (!hasS3) ['', '-lost'].forEach((end) => skipRow(`commits-s3${end}`, missingS3.join()));
  else {
    const broker = await startServer();
    try {
      const server = (await (await fetch(`${broker.url}/server`)).json()) as S3Server;
      const { endpoint, key, secret } = server;
      process.env['AWS_ACCESS_KEY_ID'] = key;
      process.env['AWS_SECRET_ACCESS_KEY'] = secret;
      const options = { endpoint, region: 'us-east-1', forcePathStyle: true };
      const credentials = { accessKeyId: key, secretAccessKey: secret };
      const client = new S3Client({ ...options, credentials });
      await client.send(new CreateBucketCommand({ Bucket: 'commits' }));
      client.destroy();
      const raced = (round: number) => race(`s3://commits/round-${round}`, { s3: options });
      print('commits-s3', await collect(rounds, raced));
    } finally {
      await broker.close();
    }
  }
}

function print(row: string, runs: readonly Raced[]): void {
  const of = (value: (run: Raced) => number) =>
    runs.map((run) => ({ ours: value(run), peer: null }));
  printRow(
    row,
    'a second',
    of(({ perSecond }) => perSecond),
  );
  printRow(
    `${row}-lost`,
    '%',
    of(({ lostPercent }) => lostPercent),
  );
}

/** Each writer has an archive of its own in memory, as a worker has, and commits as fast as it can. */
async function race(location: string, options?: StorageOptions): Promise<Raced> {
  const dependencies = { clock: systemClock, random: systemRandom };
  const wanted = { baseUrl: 'https://api.example.com', project: null, formats: undefined };
  let puts = 0;
  const beganMs = performance.now();
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const storage = await openStorage(location, options);
      const { log } = await createOrOpenArchive(storage, {
        ...wanted,
        ...dependencies,
        tool: TOOL,
      });
      const run = asRunId(ulid(systemClock, systemRandom));
      for (let checkpoint = 1; checkpoint <= each; checkpoint++) {
        const base = (await log.head())?.number ?? 0;
        await log.append({
          kind: 'export',
          run,
          checkpoint,
          base,
          tool: TOOL,
          scope: { queue: 'night' },
          users: Array.from({ length: USERS }, (_user, user) => entryOf(`${writer}.${user}`)),
          onPut: () => puts++,
        });
      }
      await storage.close();
    }),
  );
  const commits = WRITERS * each;
  const seconds = (performance.now() - beganMs) / 1000;
  return { perSecond: commits / seconds, lostPercent: (1 - commits / puts) * 100 };
}

function entryOf(user: string) {
  return {
    user: asUserId(user),
    listed: 1,
    listed_at: new Date().toISOString(),
    total_items: 1,
    complete: true,
    sessions: { new: 0, changed: 0, unchanged: 1, failed: 0 },
    jobs: { archived: 0 },
    gaps: 0,
    error: null,
  };
}

/** The script is no module, so the compiler has not brought it along. */
async function startServer(): ReturnType<typeof startBroker> {
  const here = fileURLToPath(new URL('../services/', import.meta.url));
  const source = fileURLToPath(new URL('../../../../test/services/ceph.sh', import.meta.url));
  mkdirSync(here, { recursive: true });
  copyFileSync(source, join(here, 'ceph.sh'));
  return startBroker();
}
