/** What every storage must do, whatever it is made of: each adapter's test file calls this. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashThreadsOf } from '../../src/storage/local/hash-threads.js';
import { ObjectNotFoundError } from '../../src/storage/storage-errors.js';
import type { Storage } from '../../src/storage/storage.js';
import { bytesOf, collect, expectSame, pathsOf, pattern, sha256 } from './storage-bytes.js';
import { describeListing } from './storage-listing-suite.js';
import { describeStaging } from './storage-staging-suite.js';

export interface StorageUnderTest {
  /** Another handle on the same place, as a second process would have. */
  open(): Storage;
  /** Names of whatever is left of unpublished objects. */
  leftovers(): Promise<readonly string[]>;
  remove(): Promise<void>;
}

export interface StorageSuiteOptions {
  /** Whether it hashes objects in threads of its own; default: no. */
  readonly hasThreads?: boolean;
  /** Makes an empty place. */
  make(): Promise<StorageUnderTest>;
  /** How many objects the long listing has; beyond one page where the storage has pages. */
  readonly listedObjects: number;
  /** Size of the large object; beyond what waits in memory. */
  readonly largeBytes: number;
}

export function describeStorage(name: string, options: StorageSuiteOptions): void {
  describe(`${name} as a storage`, () => {
    let place: StorageUnderTest;
    let storage: Storage;

    beforeEach(async () => {
      place = await options.make();
      storage = place.open();
    });
    afterEach(async () => {
      await storage.close();
      await place.remove();
    });

    it('is empty before the first write', async () => {
      expect(await pathsOf(storage, '')).toEqual([]);
      expect(await storage.stat('a/b')).toBeUndefined();
      await expect(storage.get('a/b')).rejects.toThrow(ObjectNotFoundError);
      await storage.delete('a/b');
    });

    it('gives back the bytes that were put, to another handle too', async () => {
      const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
      await storage.put('some/where/bytes.bin', bytes);
      const other = place.open();
      expect(Buffer.from(await other.get('some/where/bytes.bin'))).toEqual(Buffer.from(bytes));
      expect(await other.stat('some/where/bytes.bin')).toMatchObject({
        path: 'some/where/bytes.bin',
        bytes: 256,
      });
      await other.close();
    });

    it('keeps an empty object', async () => {
      await storage.put('empty', new Uint8Array());
      expect(await storage.stat('empty')).toMatchObject({ path: 'empty', bytes: 0 });
      expectSame(await collect(storage.read('empty')), Buffer.alloc(0));
      expect(Buffer.from(await storage.get('empty'))).toEqual(Buffer.alloc(0));
    });

    it('replaces an object by put', async () => {
      await storage.put('x', bytesOf('the longer first one'));
      await storage.put('x', bytesOf('second'));
      expect(Buffer.from(await storage.get('x')).toString()).toBe('second');
    });

    // I-4 in FORMAT.md
    it('lets readers see the old bytes or all the new ones, never a mix', async () => {
      const versions = ['a', 'b', 'c'].map((letter) => bytesOf(letter.repeat(100_000)));
      await storage.put('x', versions[0] ?? bytesOf(''));
      let writing = true;
      const writer = (async () => {
        for (let i = 0; i < 30; i++) await storage.put('x', versions[i % 3] ?? bytesOf(''));
        writing = false;
      })();
      const reader = place.open();
      const isWriting = (): boolean => writing;
      while (isWriting()) {
        const seen = Buffer.from(await reader.get('x'));
        expect(versions.some((version) => seen.equals(version))).toBe(true);
      }
      await writer;
      await reader.close();
    });

    it('streams an object, and any range of it', async () => {
      const bytes = pattern(700_000);
      await storage.put('x', bytes);
      expectSame(await collect(storage.read('x')), bytes);
      for (const [start, end] of [
        [0, 1],
        [0, 700_000],
        [699_999, 700_000],
        [123_456, 456_789],
        [5, 5],
      ] as const) {
        expectSame(await collect(storage.read('x', { start, end })), bytes.subarray(start, end));
      }
      expectSame(
        await collect(storage.read('x', { start: 699_990, end: 800_000 })),
        bytes.subarray(699_990),
      );
    });

    it('its objects are hashed in threads, where they can be, also an empty and a large one', async () => {
      await using threads = hashThreadsOf(storage);
      for (const bytes of [bytesOf(''), bytesOf('abc'), pattern(1_200_000)]) {
        await storage.put('a/hashed', bytes);
        const digest = { bytes: bytes.byteLength, sha256: sha256(bytes) };
        expect(await threads?.digest('a/hashed')).toEqual(options.hasThreads ? digest : undefined);
      }
      if (!options.hasThreads) return;
      await expect(threads?.digest('a/not-there')).rejects.toThrow(ObjectNotFoundError);
      await expect(threads?.digest('a')).rejects.toThrow(ObjectNotFoundError);
    });

    it('refuses to read what is not there before the first chunk', async () => {
      await storage.put('a/b', bytesOf('x'));
      for (const path of ['a', 'a/b/c', 'a/c', 'z']) {
        await expect(storage.get(path)).rejects.toThrow(ObjectNotFoundError);
        await expect(collect(storage.read(path))).rejects.toThrow(ObjectNotFoundError);
        expect(await storage.stat(path)).toBeUndefined();
      }
    });

    it('can stop reading in the middle', async () => {
      await storage.put('x', pattern(2_000_000));
      for await (const chunk of storage.read('x')) {
        expect(chunk.byteLength).toBeGreaterThan(0);
        break;
      }
      await storage.delete('x');
      expect(await storage.stat('x')).toBeUndefined();
    });

    it('puts if absent only where nothing stands', async () => {
      expect(await storage.putIfAbsent('log/1', bytesOf('first'))).toBe(true);
      expect(await storage.putIfAbsent('log/1', bytesOf('second'))).toBe(false);
      expect(Buffer.from(await storage.get('log/1')).toString()).toBe('first');
      await storage.delete('log/1');
      expect(await storage.putIfAbsent('log/1', bytesOf('third'))).toBe(true);
      expect(await place.leftovers()).toEqual([]);
    });

    it('lets exactly one of ten racers put, and the others read it whole', async () => {
      for (let round = 0; round < 5; round++) {
        const path = `race/${round}`;
        const racers = Array.from({ length: 10 }, (_, racer) => ({
          handle: place.open(),
          bytes: bytesOf(String(racer).repeat(50_000)),
        }));
        const won = await Promise.all(
          racers.map(async ({ handle, bytes }) => {
            const mine = await handle.putIfAbsent(path, bytes);
            const seen = Buffer.from(await handle.get(path));
            expect(racers.some((racer) => seen.equals(racer.bytes))).toBe(true);
            if (mine) expect(seen.equals(bytes)).toBe(true);
            return mine;
          }),
        );
        expect(won.filter(Boolean)).toHaveLength(1);
        await Promise.all(racers.map(({ handle }) => handle.close()));
      }
    });

    it('replaces an object only while it holds what was seen there', async () => {
      expect(await storage.compareAndSwap('x', bytesOf(''), bytesOf('made up'))).toBe(false);
      expect(await storage.stat('x')).toBeUndefined();
      await storage.put('x', bytesOf('first'));
      expect(await storage.compareAndSwap('x', bytesOf('other'), bytesOf('lost'))).toBe(false);
      expect(await storage.compareAndSwap('x', bytesOf('first'), bytesOf('second'))).toBe(true);
      expect(await storage.compareAndSwap('x', bytesOf('first'), bytesOf('late'))).toBe(false);
      expect(Buffer.from(await storage.get('x')).toString()).toBe('second');
      expect(await pathsOf(storage, '')).toEqual(['x']);
      expect(await place.leftovers()).toEqual([]);
    });

    it('lets exactly one of ten racers replace what all have seen, in every round', async () => {
      const handles = Array.from({ length: 10 }, () => place.open());
      await storage.put('x', bytesOf('round 0'));
      for (let round = 1; round <= 5; round++) {
        const seen = await storage.get('x');
        const won = await Promise.all(
          handles.map((handle, racer) =>
            handle.compareAndSwap('x', seen, bytesOf(`round ${round} of ${racer}`)),
          ),
        );
        expect(won.filter(Boolean)).toHaveLength(1);
        const there = Buffer.from(await storage.get('x')).toString();
        expect(there).toBe(`round ${round} of ${won.indexOf(true)}`);
      }
      await Promise.all(handles.map((handle) => handle.close()));
      expect(await place.leftovers()).toEqual([]);
    });

    it('counts without a lost step when ten add to it at a time', async () => {
      const handles = Array.from({ length: 10 }, () => place.open());
      await storage.put('count', bytesOf('0'));
      const addOne = async (handle: Storage): Promise<void> => {
        for (;;) {
          const seen = await handle.get('count');
          const next = bytesOf(String(Number(Buffer.from(seen).toString()) + 1));
          if (await handle.compareAndSwap('count', seen, next)) return;
        }
      };
      await Promise.all(handles.map(addOne));
      expect(Buffer.from(await storage.get('count')).toString()).toBe('10');
      await Promise.all(handles.map((handle) => handle.close()));
    });

    it('deletes an object, and again without an error', async () => {
      await storage.put('a/x', bytesOf('x'));
      await storage.put('a/y', bytesOf('y'));
      await storage.delete('a/x');
      await storage.delete('a/x');
      expect(await pathsOf(storage, '')).toEqual(['a/y']);
    });

    it('tells when an object was last written, alone and in lists', async () => {
      const start = Date.now();
      await storage.put('old', bytesOf('x'));
      const info = await storage.stat('old');
      // a storage has a clock of its own
      expect(Math.abs((info?.modifiedAtMs ?? 0) - start)).toBeLessThan(600_000);
      const listed = [];
      for await (const object of storage.list('')) listed.push(object);
      expect(listed).toEqual([info]);
    });

    describeListing(options, () => storage);

    it('refuses paths that lead out of the archive', async () => {
      const refusal = 'is not an object path';
      for (const path of ['', '/etc/x', '../x', 'a/../x', 'a//b', 'a/./b', 'a\\b', 'a\0b', 'a/']) {
        await expect(storage.put(path, bytesOf('x'))).rejects.toThrow(refusal);
        await expect(storage.putIfAbsent(path, bytesOf('x'))).rejects.toThrow(refusal);
        await expect(storage.get(path)).rejects.toThrow(refusal);
        await expect(storage.delete(path)).rejects.toThrow(refusal);
        const staged = await storage.stage();
        await staged.close();
        await expect(staged.publish(path)).rejects.toThrow(refusal);
        await staged.discard();
      }
      expect(await place.leftovers()).toEqual([]);
    });

    describeStaging(options, () => ({ place, storage }));
  });
}
