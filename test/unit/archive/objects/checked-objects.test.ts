import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  checkedBytes,
  checkInThread,
  checkObject,
  checkObjects,
  copyChecked,
  readChecked,
  storedBytes,
} from '../../../../src/archive/objects/checked-objects.js';
import { artifactFor } from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

const { path, content, entry } = artifactFor('a;b\n1;2\n');
const altered = Buffer.from('a;b\n1;3\n');

afterEach(() => {
  vi.unstubAllEnvs();
});

async function stored(bytes: Buffer | undefined) {
  const storage = createMemoryStorage();
  if (bytes) await storage.put(path, bytes);
  return storage;
}

async function all(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const read: Uint8Array[] = [];
  for await (const chunk of chunks) read.push(chunk);
  return Buffer.concat(read).toString();
}

it('reads what is as the log says', async () => {
  const storage = await stored(content);
  expect(await all(readChecked(storage, entry))).toBe('a;b\n1;2\n');
  await checkObject(storage, entry);
});

it('reads a part of it unchecked', async () => {
  const source = storedBytes(await stored(altered), entry);
  expect(source.bytes).toBe(8);
  expect(await all(source.read({ start: 4, end: 7 }))).toBe('1;3');
});

it('reads a small object once, whatever is read of it then, and in any order', async () => {
  const storage = await stored(content);
  const source = await checkedBytes(storage, entry);
  await storage.put(path, altered); // what was compared is what is read
  expect(source.bytes).toBe(8);
  expect(await all(source.read({ start: 4, end: 7 }))).toBe('1;2');
  expect(await all(source.read())).toBe('a;b\n1;2\n');
  expect(storage.calls.get(`read ${path}`)).toBe(1);
});

describe('checked objects', () => {
  const large = artifactFor('x'.repeat(8 * 1024 * 1024 + 1));
  const alteredLarge = Buffer.from(large.content);
  alteredLarge[9] = 0;
  const temporaries = async () =>
    (await readdir(tmpdir())).filter((name) => name.startsWith('jobvault-')).length;

  it("a bucket's large object is read once, and lies in a temporary file while it is read", async () => {
    const storage = createMemoryStorage();
    await storage.put(large.path, large.content);
    vi.stubEnv('TMPDIR', await mkdtemp(join(tmpdir(), 'checked-')));
    {
      await using source = await checkedBytes(storage, large.entry);
      await storage.put(large.path, alteredLarge); // what was compared is what is read
      expect(source.bytes).toBe(large.content.length);
      expect(await all(source.read({ start: 8, end: 11 }))).toBe('xxx');
      expect(await all(source.read())).toHaveLength(large.content.length);
      expect(storage.calls.get(`read ${large.path}`)).toBe(1);
      expect(await temporaries()).toBe(1);
    }
    expect(await temporaries()).toBe(0);
    await expect(checkedBytes(storage, large.entry)).rejects.toThrow('SHA-256 differs');
    expect(await temporaries()).toBe(0);
  });

  it('a large object of a bucket is read again where there is no room for a temporary file', async () => {
    const storage = createMemoryStorage();
    await storage.put(large.path, large.content);
    vi.stubEnv('TMPDIR', join(await mkdtemp(join(tmpdir(), 'checked-')), 'not-there'));
    await using source = await checkedBytes(storage, large.entry);
    expect(await all(source.read({ start: 8, end: 11 }))).toBe('xxx');
    expect(storage.calls.get(`read ${large.path}`)).toBe(2);
    await storage.put(large.path, alteredLarge);
    await expect(checkedBytes(storage, large.entry)).rejects.toThrow('SHA-256 differs');
  });

  it('a large object of a disk is compared whole before anything is read, and read where it lies', async () => {
    const storage = createMemoryStorage();
    await storage.put(large.path, large.content);
    const onDisk = { read: storage.read.bind(storage), directory: '/archive' };
    await using source = await checkedBytes(onDisk, large.entry);
    expect(await all(source.read({ start: 0, end: 2 }))).toBe('xx');
    expect(storage.calls.get(`read ${large.path}`)).toBe(2);
    await storage.put(large.path, alteredLarge);
    await expect(checkedBytes(onDisk, large.entry)).rejects.toThrow('SHA-256 differs');
  });
});

describe.each([
  ['missing', undefined, 'is missing'],
  ['size', Buffer.from('a;b'), 'has 3 bytes instead of 8'],
  ['size', Buffer.from('a;b\n1;2\n3;4\n'), 'has 12 bytes instead of 8'],
  ['digest', altered, 'is damaged: its SHA-256 differs'],
])('a problem of %s', (problem, bytes, detail) => {
  it('the problem is named with its path, however the object is read', async () => {
    const storage = await stored(bytes);
    const fault = { problem, path, message: `${path} ${detail}` };
    await expect(all(readChecked(storage, entry))).rejects.toMatchObject(fault);
    await expect(checkObject(storage, entry)).rejects.toMatchObject(fault);
    await expect(checkedBytes(storage, entry)).rejects.toMatchObject(fault);
    const digest = async () => (await storage.stage()).close();
    const threaded = {
      digest: bytes
        ? async () => {
            const staged = await storage.stage();
            await staged.write(bytes);
            return staged.close();
          }
        : () => storage.get(path).then(digest),
    };
    await expect(checkInThread(threaded, entry)).rejects.toMatchObject(fault);
  });
});

it('says why an object is missing, and passes every other error of the storage on', async () => {
  const storage = await stored(undefined);
  await expect(checkObject(storage, entry)).rejects.toHaveProperty('cause.name');
  const error = new Error('no route');
  const digest = () => Promise.reject(error);
  await expect(checkInThread({ digest }, entry)).rejects.toBe(error);
  await expect(
    checkObject(
      {
        async *read() {
          yield await Promise.reject(error);
        },
      },
      entry,
    ),
  ).rejects.toBe(error);
});

it('says whether a thread has read the object', async () => {
  expect(await checkInThread(undefined, entry)).toBe(false);
  expect(await checkInThread({ digest: () => Promise.resolve(undefined) }, entry)).toBe(false);
  expect(await checkInThread({ digest: () => Promise.resolve(entry) }, entry)).toBe(true);
});

it('stops reading with the signal', async () => {
  const storage = await stored(content);
  const stopped = AbortSignal.abort(new Error('enough'));
  await expect(checkObject(storage, entry, stopped)).rejects.toThrow('enough');
});

const { signal } = new AbortController();
const other = artifactFor('c\n');
const both = [entry, other.entry];

it('objects that were just written are each read back', async () => {
  const storage = await stored(content);
  await storage.put(other.path, other.content);
  await checkObjects(storage, both, signal);
  expect([path, other.path].map((of) => storage.calls.get(`read ${of}`))).toEqual([1, 1]);
});

it('written objects are not there, or not as written, where one of them is not', async () => {
  const storage = await stored(content);
  const missing = { problem: 'missing', path: other.path };
  await expect(checkObjects(storage, both, signal)).rejects.toMatchObject(missing);
  await storage.put(other.path, Buffer.from('d\n'));
  await expect(checkObjects(storage, both, signal)).rejects.toMatchObject({ problem: 'digest' });
});

it('objects that were just written are not read on once that is called off', async () => {
  const storage = await stored(content);
  const reason = new Error('called off');
  await expect(checkObjects(storage, [entry], AbortSignal.abort(reason))).rejects.toBe(reason);
});

it('a copy of what is not there is missing', async () => {
  const storage = await stored(undefined);
  const staged = await storage.stage();
  await expect(copyChecked(storage, entry, staged)).rejects.toMatchObject({
    ...{ name: 'IntegrityError', problem: 'missing', path },
  });
});
