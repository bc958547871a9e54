import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOrOpenArchive } from '../../../../src/archive/open-archive.js';
import { systemProcesses } from '../../../../src/base/process-identity.js';
import { systemClock } from '../../../../src/base/runtime.js';
import { S3Storage } from '../../../../src/storage/s3/s3-storage.js';
import { SpoolDirectory } from '../../../../src/storage/s3/spool-directory.js';
import { seededRandom } from '../../../support/store/archive-samples.js';
import { S3InMemory } from '../../../support/store/s3-in-memory.js';

describe('careless store', () => {
  let store: S3InMemory;
  let storage: S3Storage;
  let temporary: string;

  beforeEach(async () => {
    store = new S3InMemory();
    store.ignoresConditions = true;
    temporary = await mkdtemp(join(tmpdir(), 'jobvault-careless-'));
    const spool = new SpoolDirectory(systemProcesses, temporary);
    storage = new S3Storage(store.bucket(), spool);
  });
  afterEach(() => rm(temporary, { recursive: true }));

  // S3InMemory has no listing of objects: the place is empty
  const nothing = async function* () {
    await Promise.resolve();
    yield* [];
  };

  it('a careless store is refused, and no archive is left in it', async () => {
    const archive = createOrOpenArchive(Object.assign(storage, { list: nothing }), {
      baseUrl: 'https://api.example.com',
      project: null,
      formats: undefined,
      tool: 'jobvault 0.1.0',
      clock: systemClock,
      random: seededRandom(1),
    });
    await expect(archive).rejects.toThrow('the store ignores If-None-Match');
    expect([...store.objects.keys()]).toEqual([]);
  });

  it('a store that takes a condition and does not keep it is refused every time', async () => {
    for (const path of ['_leases/a.json', '_leases/b.json']) {
      const put = storage.putIfAbsent(path, Buffer.from(path));
      await expect(put).rejects.toThrow('the store ignores If-None-Match');
    }
    expect([...store.objects.keys()]).toEqual([]);
  });

  it('a careless store keeps the object that was there before, whose bytes it has replaced', async () => {
    await storage.put('once', Buffer.from('theirs'));
    const put = storage.putIfAbsent('once', Buffer.from('ours'));
    await expect(put).rejects.toThrow('the store ignores If-None-Match');
    expect([...store.objects.keys()]).toEqual(['a/once']);
  });
});

it('A store that keeps conditions is asked to show it once', async () => {
  const store = new S3InMemory();
  const temporary = await mkdtemp(join(tmpdir(), 'jobvault-careless-'));
  const spool = new SpoolDirectory(systemProcesses, temporary);
  const storage = new S3Storage(store.bucket(), spool);
  for (const path of ['a', 'b'])
    expect(await storage.putIfAbsent(path, Buffer.from(path))).toBe(true);
  expect(store.seen).toEqual(['HeadObject', 'PutObject', 'PutObject', 'PutObject']);
  await rm(temporary, { recursive: true });
});
