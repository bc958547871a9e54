/** The part of the storage suite about listings. */
import { expect, it } from 'vitest';
import type { Storage } from '../../src/storage/storage.js';
import { bytesOf, pathsOf } from './storage-bytes.js';
import type { StorageSuiteOptions } from './storage-suite.js';

/** @param current what `beforeEach` of the caller has made */
export function describeListing(options: StorageSuiteOptions, current: () => Storage): void {
  it('lists by prefix, ordered by path, with sizes', async () => {
    const storage = current();
    const paths = ['a.b', 'a/1', 'a/b/c', 'a/b.c', 'a-', 'a0', 'b', 'A/z', 'ab/c'];
    for (const path of paths) await storage.put(path, bytesOf(path));
    const sorted = [...paths].sort();
    const all = [];
    for await (const object of storage.list('')) all.push(object);
    expect(all).toMatchObject(sorted.map((path) => ({ path, bytes: path.length })));
    for (const prefix of ['a', 'a/', 'a/b', 'a/b/', 'a.', 'b', 'x', 'x/y', 'b/']) {
      expect(await pathsOf(storage, prefix)).toEqual(
        sorted.filter((path) => path.startsWith(prefix)),
      );
    }
  });

  it('lists what comes after a path, which need not be there', async () => {
    const storage = current();
    const paths = ['a.b', 'a/1', 'a/b/c', 'a/b/d', 'a/b.c', 'a-', 'b', 'c/x', 'c/y'];
    for (const path of paths) await storage.put(path, bytesOf(path));
    const sorted = [...paths].sort();
    for (const after of ['', ...paths, 'a', 'a/', 'a/b', 'a/b/', 'a/b/cc', 'c', 'c/', 'd']) {
      for (const prefix of ['', 'a', 'a/', 'a/b/', 'c/', 'x']) {
        const expected = sorted.filter((path) => path.startsWith(prefix) && path > after);
        expect(await pathsOf(storage, prefix, after)).toEqual(expected);
      }
    }
  });

  it(`lists ${options.listedObjects} objects once each, in order`, async () => {
    const storage = current();
    const expected = Array.from(
      { length: options.listedObjects },
      (_, i) => `many/${String(i % 7)}/${String(i).padStart(6, '0')}`,
    );
    for (let at = 0; at < expected.length; at += 50) {
      await Promise.all(
        expected.slice(at, at + 50).map((path) => storage.put(path, bytesOf(path))),
      );
    }
    expect(await pathsOf(storage, 'many/')).toEqual(expected.sort());
    expect(await pathsOf(storage, 'many/', expected[9])).toEqual(expected.slice(10));
  });
}
