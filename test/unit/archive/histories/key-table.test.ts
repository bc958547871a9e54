import { expect, it } from 'vitest';
import { KeyTable } from '../../../../src/archive/histories/key-table.js';

it('KeyTable has the number of every key, however often it grew', () => {
  const table = new KeyTable();
  for (let at = 0; at < 5000; at++) expect(table.set(`key ${at}`, at)).toBe(true);
  for (let at = 0; at < 5000; at++) expect(table.get(`key ${at}`)).toBe(at);
  expect(table.get('another key')).toBeUndefined();
});

it('KeyTable replaces the number of a key', () => {
  const table = new KeyTable();
  table.set('key', 1);
  table.set('key', 0);
  expect(table.get('key')).toBe(0);
});

it.each([
  ['first', 'key 171553', 'key 240019'],
  ['second', 'key 83276', 'key 84987'],
])('KeyTable tells keys apart of the same %s 32 bits, and of one slot', (_, one, other) => {
  const table = new KeyTable(4);
  table.set(one, 1);
  expect(table.get(other)).toBeUndefined();
  table.set(other, 2);
  expect([table.get(one), table.get(other)]).toEqual([1, 2]);
});

it('KeyTable takes in three keys for four slots, and none more', () => {
  const table = new KeyTable(16);
  const isKept = Array.from({ length: 20 }, (_, at) => table.set(`key ${at}`, at));
  expect(isKept.filter(Boolean)).toHaveLength(12);
  expect(table.isFull).toBe(true);
  expect(table.get('key 11')).toBe(11);
  expect(table.get('key 12')).toBeUndefined();
  expect(table.set('key 3', 33)).toBe(true);
});
