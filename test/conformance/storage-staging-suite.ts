/** The part of the storage suite about objects that nobody sees until they are published. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Storage } from '../../src/storage/storage.js';
import { bytesOf, collect, expectSame, pathsOf, pattern, sha256 } from './storage-bytes.js';
import type { StorageSuiteOptions, StorageUnderTest } from './storage-suite.js';

interface Current {
  readonly place: StorageUnderTest;
  readonly storage: Storage;
}

/** @param current what `beforeEach` of the caller has made */
export function describeStaging(options: StorageSuiteOptions, current: () => Current): void {
  it('shows a staged object only after it is published', async () => {
    const { place, storage } = current();
    const staged = await storage.stage();
    await staged.write(bytesOf('hello '));
    await staged.write(bytesOf('world'));
    const digest = await staged.close();
    expect(digest).toEqual({ bytes: 11, sha256: sha256(Buffer.from('hello world')) });
    expect(await pathsOf(storage, '')).toEqual([]);
    await staged.publish('tables/x');
    expect(await pathsOf(storage, '')).toEqual(['tables/x']);
    expect(Buffer.from(await storage.get('tables/x')).toString()).toBe('hello world');
    await staged.discard();
    expect(await pathsOf(storage, '')).toEqual(['tables/x']);
    expect(await place.leftovers()).toEqual([]);
  });

  it('reads a closed staged object back, whole and by range, as often as needed', async () => {
    const { storage } = current();
    const bytes = pattern(600_000);
    const staged = await storage.stage();
    for (let at = 0; at < bytes.length; at += 77_777) {
      await staged.write(bytes.subarray(at, at + 77_777));
    }
    await staged.close();
    expectSame(await collect(staged.read()), bytes);
    expectSame(
      await collect(staged.read({ start: 599_990, end: 600_000 })),
      bytes.subarray(599_990),
    );
    expectSame(await collect(staged.read()), bytes);
    await staged.publish('x');
    expectSame(await collect(storage.read('x')), bytes);
  });

  it('makes a closed object durable ahead of its name, unseen, and reads, publishes or discards it then', async () => {
    const { place, storage } = current();
    for (const bytes of [0, 10, 3_000_000]) {
      const content = pattern(bytes);
      const [published, discarded] = await Promise.all(
        [1, 2].map(async () => {
          const staged = await storage.stage();
          for (let at = 0; at < bytes; at += 1_000_000) {
            await staged.write(content.subarray(at, at + 1_000_000));
          }
          await staged.close();
          return staged;
        }),
      );
      await published?.sync?.();
      await published?.sync?.();
      expect(await pathsOf(storage, '')).toEqual([]);
      if (published) expectSame(await collect(published.read()), content);
      const isSynced = discarded?.sync?.();
      await discarded?.discard(); // while it is being written
      await isSynced;
      await published?.publish('x');
      expectSame(await storage.get('x'), content);
      await storage.delete('x');
    }
    expect(await place.leftovers()).toEqual([]);
  });

  it('publishes over what stood there, and an empty object too', async () => {
    const { storage } = current();
    await storage.put('x', bytesOf('old'));
    const staged = await storage.stage();
    expect(await staged.close()).toEqual({ bytes: 0, sha256: sha256(Buffer.alloc(0)) });
    await staged.publish('x');
    expect(await storage.stat('x')).toMatchObject({ path: 'x', bytes: 0 });
  });

  it('leaves nothing of an object that is broken off at any step', async () => {
    const { place, storage } = current();
    const untouched = await storage.stage();
    const written = await storage.stage();
    await written.write(pattern(300_000));
    const closed = await storage.stage();
    await closed.write(pattern(10));
    await closed.close();
    for (const staged of [untouched, written, closed]) {
      await staged.discard();
      await staged.discard();
    }
    expect(await pathsOf(storage, '')).toEqual([]);
    expect(await place.leftovers()).toEqual([]);
  });

  it('leaves nothing of what is unfinished when it is closed', async () => {
    const { place, storage } = current();
    const writing = await storage.stage();
    await writing.write(pattern(1000));
    const closed = await storage.stage();
    await closed.close();
    await storage.close();
    expect(await place.leftovers()).toEqual([]);
  });

  it('keeps hundreds of closed staged objects at a time', async () => {
    const { storage } = current();
    const staged = await Promise.all(
      Array.from({ length: 500 }, async (_, i) => {
        const object = await storage.stage();
        await object.write(bytesOf(`object ${i}`));
        await object.close();
        return object;
      }),
    );
    await Promise.all(staged.map((object, i) => object.publish(`many/${i % 16}/${i}`)));
    expect(await pathsOf(storage, 'many/')).toHaveLength(500);
    expect(Buffer.from(await storage.get('many/15/495')).toString()).toBe('object 495');
  });

  it('publishes an object that is larger than was expected, and nothing of it earlier', async () => {
    const { place, storage } = current();
    for (const bytes of [0, 10, 20_000_000]) {
      const path = `tables/${bytes}`;
      const staged = await storage.stage({ expectedBytes: 1 });
      const content = pattern(bytes);
      for (let at = 0; at < bytes; at += 3_333_333) {
        await staged.write(content.subarray(at, at + 3_333_333));
      }
      expect(await staged.close()).toEqual({ bytes, sha256: sha256(content) });
      expect(await storage.stat(path)).toBeUndefined();
      await staged.publish(path);
      expectSame(await storage.get(path), content);
    }
    expect(await place.leftovers()).toEqual([]);
  });

  it('leaves nothing of a large object that is broken off while it is brought to its path', async () => {
    const { place, storage } = current();
    for (const isClosed of [false, true]) {
      const staged = await storage.stage();
      for (let at = 0; at < 20; at++) await staged.write(pattern(1_000_000));
      if (isClosed) await staged.close();
      await staged.discard();
    }
    const unfinished = await storage.stage();
    for (let at = 0; at < 20; at++) await unfinished.write(pattern(1_000_000));
    await storage.close();
    const other = place.open();
    expect(await pathsOf(other, '')).toEqual([]);
    expect(await place.leftovers()).toEqual([]);
    await other.close();
  });

  it(`streams an object of ${options.largeBytes} bytes in and out`, async () => {
    const { storage } = current();
    const chunk = pattern(1_000_003);
    const hash = createHash('sha256');
    const staged = await storage.stage({ expectedBytes: options.largeBytes });
    let written = 0;
    while (written < options.largeBytes) {
      const piece = chunk.subarray(0, Math.min(chunk.length, options.largeBytes - written));
      await staged.write(piece);
      hash.update(piece);
      written += piece.length;
    }
    const sha = hash.digest('hex');
    expect(await staged.close()).toEqual({ bytes: options.largeBytes, sha256: sha });
    await staged.publish('large');
    const back = createHash('sha256');
    let bytes = 0;
    for await (const piece of storage.read('large')) {
      expect(piece.byteLength).toBeLessThanOrEqual(1 << 20);
      back.update(piece);
      bytes += piece.byteLength;
    }
    expect({ bytes, sha256: back.digest('hex') }).toEqual({
      bytes: options.largeBytes,
      sha256: sha,
    });
  });
}
