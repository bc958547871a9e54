/** The beginning of a long text: whole characters, and of a list whole elements. */
import { expect, it } from 'vitest';
import { beginningOf, beginningOfJson } from '../../../../src/base/text/short-texts.js';

it('the beginning of a text is the text where it is short, and splits no surrogate pair', () => {
  expect(beginningOf('abc', 3)).toBe('abc');
  expect(beginningOf('abcd', 3)).toBe('abc');
  expect(beginningOf('ab🎉d', 3)).toBe('ab');
  expect(beginningOf('ab🎉d', 4)).toBe('ab🎉');
});

const list = [{ a: '],"' }, 'b\\"', [1, 2, [3]], { c: {} }, 5];
const json = JSON.stringify(list, null, 1);

it('the beginning of JSON of a list has its first elements that are whole, however it is cut', () => {
  const lengths = new Set<number>();
  for (let most = 1; most <= json.length; most++) {
    const beginning = JSON.parse(beginningOfJson(json, most)) as unknown[];
    expect(beginning).toEqual(list.slice(0, beginning.length));
    expect(beginningOfJson(json, most).length).toBeLessThanOrEqual(Math.max(2, most + 1));
    lengths.add(beginning.length);
  }
  expect([...lengths]).toEqual([0, 1, 2, 3, 4, 5]);
});

it('the beginning of JSON of anything else is the beginning of its text', () => {
  expect(beginningOfJson('{"a":[1,2]}', 6)).toBe('{"a":[');
  expect(beginningOfJson('{"a":[1,2]}', 20)).toBe('{"a":[1,2]}');
});
