import { expect, it } from 'vitest';
import { KeyTable } from '../../../../src/archive/histories/key-table.js';

it('KeyTable has the number of every key, however often it grew', () => {
  const table = new KeyTable();
  for (let at = 0; at < 5000; at++) {
    if (at % 2 === 0) expect(table.set(`key ${at}`, at)).toBe(true);
    else expect(table.getOrSet(`key ${at}`, at)).toBe(at);
  }
  for (let at = 0; at < 5000; at++) expect(table.get(`key ${at}`)).toBe(at);
  expect(table.get('another key')).toBeUndefined();
});

it('KeyTable replaces the number of a key, or leaves it', () => {
  const table = new KeyTable();
  table.set('key', 1);
  table.set('key', 0);
  expect(table.get('key')).toBe(0);
  expect(table.getOrSet('key', 1)).toBe(0);
  expect(table.get('key')).toBe(0);
});

it.each([
  ['first', 'key 171553', 'key 240019'],
  ['second', 'key 83276', 'key 84987'],
])('KeyTable tells keys apart of the same %s 32 bits, and of one slot', (_, one, other) => {
  const table = new KeyTable(4);
  table.getOrSet(one, 1);
  expect(table.get(other)).toBeUndefined();
  table.getOrSet(other, 2);
  expect([table.get(one), table.get(other)]).toEqual([1, 2]);
});

it('KeyTable takes in three keys for four slots, and none more', () => {
  const table = new KeyTable(16);
  const isKept = Array.from({ length: 20 }, (_, at) => table.getOrSet(`key ${at}`, at));
  expect(isKept.filter((number) => number !== undefined)).toHaveLength(12);
  expect(table.isFull).toBe(true);
  expect(table.get('key 11')).toBe(11);
  expect(table.get('key 12')).toBeUndefined();
  expect(table.set('key 12', 12)).toBe(false);
  expect(table.set('key 3', 33)).toBe(true);
  expect(table.getOrSet('key 3', 3)).toBe(33);
});
