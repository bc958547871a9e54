/** JSON is read alike on every Node.js, whatever its V8 makes of escaped keys. */
import { expect, it } from 'vitest';
import { hasEscapedKey, parseJson, skipString } from '../../../../src/base/text/parse-json.js';
import { fault } from '../../../support/base/fault.js';

it('reads escaped keys right after an object with the key of one backslash', fault('F-71'), () => {
  parseJson(String.raw`{"h":[],"\\":0}`);
  const keys = [String.raw`\"`, String.raw`\n`, String.raw`\b`, String.raw`\u0000`, String.raw`\\`];
  const read = keys.map((key) => Object.keys(parseJson(`{"h":1,"${key}":2}`) as object)[1]);
  expect(read).toEqual(['"', '\n', '\b', '\0', '\\']);
});

it('keeps a member named __proto__ as a member, beside an escaped key', () => {
  const value = parseJson(String.raw`{"\n":1,"__proto__":{"polluted":true}}`) as object;
  expect(Object.keys(value)).toEqual(['\n', '__proto__']);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect('polluted' in value).toBe(false);
});

it("takes the last of two members of one name, in the first one's place, in any spelling", () => {
  const text = String.raw`{"a\n":1,"b":2,"a\u000a":3,"10":4,"9":5,"\u0062":6}`;
  expect(Object.entries(parseJson(text) as object)).toEqual([
    ['9', 5],
    ['10', 4],
    ['a\n', 3],
    ['b', 6],
  ]);
});

it('reads what is nested 100,000 deep beside an escaped key', () => {
  const depth = 100_000;
  const text = String.raw`{"\"":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  let value = (parseJson(text) as Record<string, unknown>)['"'];
  let found = 0;
  for (; Array.isArray(value); value = value[0]) found++;
  expect(found).toBe(depth);
});

it('throws a SyntaxError where the text is not JSON, escaped key or not', () => {
  for (const text of [
    '',
    '{',
    String.raw`{"\n":}`,
    String.raw`{"\n":1`,
    String.raw`{"\x":1}`,
    '"\n"',
  ])
    expect(() => parseJson(text), text).toThrow(SyntaxError);
});

it('does not take a quoted colon or an escaped value for an escaped key', () => {
  const text = String.raw`{"a":"\":","b":["\\",":"],"c":"\\"}`;
  expect(parseJson(text)).toEqual({ a: '":', b: ['\\', ':'], c: '\\' });
});

it.each([
  [String.raw`{"\n":1}`, true],
  [String.raw`{"a":"\n", "b\\" : 1}`, true],
  [String.raw`[{"a":["\\"]},{"\u0061":1}]`, true],
  [String.raw`{"a":"\":","b":["\\",":"],"c":"\\"}`, false],
  ['{"a":":"}', false],
  [String.raw`"\n"`, false],
])('a key of %s is found to be escaped or not', (text, isEscaped) => {
  expect(hasEscapedKey(text)).toBe(isEscaped);
});

it('reads values of every kind beside an escaped key, in objects within objects', () => {
  const text = String.raw` {"\t":{"a":"b","c":{"d":["e",{"f":-1.5e3}], "g":""}},"h":null,"i":[true,"\"",[]] } `;
  expect(parseJson(text)).toEqual({
    '\t': { a: 'b', c: { d: ['e', { f: -1500 }], g: '' } },
    h: null,
    i: [true, '"', []],
  });
});

it('makes of __proto__ a member that can be changed like any other', () => {
  const value = parseJson(String.raw`{"\n":1,"__proto__":1,"__proto__":2}`) as object;
  expect(Object.getOwnPropertyDescriptor(value, '__proto__')).toEqual({
    value: 2,
    writable: true,
    enumerable: true,
    configurable: true,
  });
});

it('finds the end of a string, and says so where it has none', () => {
  const text = String.raw`["a\"\\","b`;
  expect(text.slice(skipString(text, 1))).toBe(',"b');
  expect(() => skipString(text, text.length - 2)).toThrow(new RangeError('the string has no end'));
});
