/** A storage in memory for unit tests; passes the same conformance suite as the real ones. Counts its calls. */
import { sha256Hex } from '../../../src/base/digest.js';
import {
  type ByteRange,
  type ObjectInfo,
  type StagedObject,
  type Storage,
} from '../../../src/storage/storage.js';
import { assertObjectPath } from '../../../src/storage/object-path.js';
import { ObjectNotFoundError } from '../../../src/storage/storage-errors.js';

/** One place that several storages can share, as several processes share a directory. */
export class MemoryPlace {
  readonly objects = new Map<string, Uint8Array>();
  /** When objects were written, in milliseconds; of others it is now. A test may rewrite history. */
  readonly modifiedAtMs = new Map<string, number>();
  /** A test may make it up. */
  now: () => number = Date.now;
  readonly staged = new Set<StagedObject>();
}

export interface MemoryStorage extends Storage {
  readonly place: MemoryPlace;
  /** How often each operation was called, and for `get` and `read` each path. */
  readonly calls: Map<string, number>;
}

/** Another place with the same objects, as if the first had been copied there file by file. */
export function copyOf({ place }: MemoryStorage): MemoryStorage {
  const copy = new MemoryPlace();
  for (const [path, bytes] of place.objects) copy.objects.set(path, bytes);
  for (const [path, atMs] of place.modifiedAtMs) copy.modifiedAtMs.set(path, atMs);
  return createMemoryStorage(copy);
}

/** Every object of a storage, in memory: for tests that read an archive again and again. */
export async function inMemoryCopy(storage: Storage): Promise<MemoryStorage> {
  const { place, ...copy } = createMemoryStorage();
  for await (const { path } of storage.list('')) place.objects.set(path, await storage.get(path));
  return { place, ...copy };
}

export function createMemoryStorage(place = new MemoryPlace()): MemoryStorage {
  const { objects } = place;
  const calls = new Map<string, number>();
  const unfinished = new Set<StagedObject>();
  const count = (call: string): void => void calls.set(call, (calls.get(call) ?? 0) + 1);

  function at(path: string): Uint8Array {
    assertObjectPath(path);
    const bytes = objects.get(path);
    if (!bytes) throw new ObjectNotFoundError(path);
    return bytes;
  }

  function write(path: string, bytes: Uint8Array): void {
    objects.set(path, bytes);
    place.modifiedAtMs.set(path, place.now());
  }

  function infoOf(path: string, bytes: Uint8Array): ObjectInfo {
    const modifiedAtMs = place.modifiedAtMs.get(path) ?? place.now();
    return { path, bytes: bytes.length, modifiedAtMs };
  }

  function stage(): StagedObject {
    const chunks: Uint8Array[] = [];
    let state = 'writing';
    const end = (next: string): void => {
      state = next;
      place.staged.delete(staged);
      unfinished.delete(staged);
    };
    const staged: StagedObject = {
      write(chunk) {
        if (state !== 'writing') return Promise.reject(new Error(`it is ${state}`));
        chunks.push(Uint8Array.from(chunk));
        return Promise.resolve();
      },
      close() {
        if (state !== 'writing') return Promise.reject(new Error(`it is ${state}`));
        state = 'closed';
        const bytes = Buffer.concat(chunks);
        return Promise.resolve({ bytes: bytes.length, sha256: sha256Hex(bytes) });
      },
      read: (range) => slices(Buffer.concat(chunks), range),
      publish(path) {
        if (state !== 'closed') return Promise.reject(new Error(`it is ${state}`));
        return Promise.resolve().then(() => {
          assertObjectPath(path);
          count('publish');
          write(path, Buffer.concat(chunks));
          end('published');
        });
      },
      discard() {
        if (state !== 'published') end('discarded');
        return Promise.resolve();
      },
    };
    place.staged.add(staged);
    unfinished.add(staged);
    return staged;
  }

  return {
    location: 'memory',
    place,
    calls,
    stage: () => Promise.resolve(stage()),
    put: (path, bytes) =>
      Promise.resolve().then(() => {
        assertObjectPath(path);
        count('put');
        write(path, Uint8Array.from(bytes));
      }),
    putIfAbsent: (path, bytes) =>
      Promise.resolve().then(() => {
        assertObjectPath(path);
        count('putIfAbsent');
        if (objects.has(path)) return false;
        write(path, Uint8Array.from(bytes));
        return true;
      }),
    compareAndSwap: (path, seen, bytes) =>
      Promise.resolve().then(() => {
        assertObjectPath(path);
        const there = objects.get(path);
        if (!there || Buffer.compare(there, seen) !== 0) return false;
        write(path, Uint8Array.from(bytes));
        return true;
      }),
    get: (path) =>
      Promise.resolve().then(() => {
        count('get');
        count(`get ${path}`);
        return Uint8Array.from(at(path));
      }),

    async *read(path, range) {
      count('read');
      count(`read ${path}`);
      yield* slices(at(path), range);
    },
    stat: (path) => {
      const bytes = objects.get(path);
      return Promise.resolve(bytes && infoOf(path, bytes));
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
    async *list(prefix, { after = '' } = {}) {
      count('list');
      const paths = [...objects.keys()].filter((path) => path.startsWith(prefix) && path > after);
      paths.sort();
      for (const path of paths) {
        const bytes = objects.get(path);
        if (bytes) yield infoOf(path, bytes);
      }
    },
    delete: (path) =>
      Promise.resolve().then(() => {
        assertObjectPath(path);
        objects.delete(path);
      }),
    // what is staged lives in the memory of its process, and goes with it
    sweep: () => Promise.resolve(0),
    async close() {
      for (const staged of unfinished) await staged.discard();
    },
  };
}

// eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous
async function* slices(bytes: Uint8Array, range?: ByteRange): AsyncGenerator<Uint8Array> {
  const end = Math.min(range?.end ?? bytes.length, bytes.length);
  for (let at = range?.start ?? 0; at < end; at += 65_536) {
    yield bytes.subarray(at, Math.min(at + 65_536, end));
  }
}
