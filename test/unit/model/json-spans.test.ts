import { describe, expect, it } from 'vitest';
import { arrayElements } from '../../../src/model/json-outline.js';
import {
  nestsDeeper,
  objectMembers,
  spanAt,
  textWithout,
  type Span,
} from '../../../src/model/json-parts.js';

const cut = (text: string, span: Span | undefined) => span && text.slice(span.start, span.end);

it('objectMembers cuts each value exactly as it stands', () => {
  const text =
    ' { "a" : 12345678901234567890 ,\n"b":{ "c" : [1, "}" ] } , "d" : "\\"," , "e":-0.10E+2 } ';
  const members = [...objectMembers(text)].map(([key, span]) => [key, cut(text, span)]);
  expect(members).toEqual([
    ['a', '12345678901234567890'],
    ['b', '{ "c" : [1, "}" ] }'],
    ['d', '"\\","'],
    ['e', '-0.10E+2'],
  ]);
});

it('objectMembers of a repeated key has the last value, as JSON.parse does', () => {
  const text = '{"a":1,"\\u0061":2}';
  expect(cut(text, objectMembers(text).get('a'))).toBe('2');
  expect(objectMembers(text).size).toBe(1);
});

it('objectMembers finds keys with escapes, empty, or named like members of every object', () => {
  const text = '{"":0,"\\n":1,"__proto__":2,"constructor":3,"\\ud83d\\ude42":4}';
  expect([...objectMembers(text).keys()]).toEqual(['', '\n', '__proto__', 'constructor', '🙂']);
});

it('objectMembers of an empty object has none', () => {
  expect(objectMembers('{ }').size).toBe(0);
});

it('arrayElements cuts each element exactly as it stands', () => {
  const text = '[ 1.50 , [ ] , {"a":"]"} , "\\\\" , null ]';
  expect(Array.from(arrayElements(text), (span) => cut(text, span))).toEqual([
    '1.50',
    '[ ]',
    '{"a":"]"}',
    '"\\\\"',
    'null',
  ]);
});

it('arrayElements of an empty array has none', () => {
  expect([...arrayElements('[\n]')]).toEqual([]);
});

describe('spanAt', () => {
  const text = ' {"a":[{"b": 1 },{"b": [ 2.0 ] }]} \n';

  it.each([
    [['a', 1, 'b', 0], '2.0'],
    [['a', 0], '{"b": 1 }'],
    [[], '{"a":[{"b": 1 },{"b": [ 2.0 ] }]}'],
  ])('at %j finds what stands there', (path, found) => {
    expect(cut(text, spanAt(text, path))).toBe(found);
  });

  it.each([[['b']], [['a', 2]], [['a', -1]], [['a', 'b']], [['a', 0, 'b', 0]], [[0]]])(
    'finds nothing at %j',
    (path) => {
      expect(spanAt(text, path)).toBeUndefined();
    },
  );
});

it('textWithout keeps the rest verbatim, and is null when there is no rest', () => {
  expect(textWithout('{"a":1, "b" : [ 1.0 ], "c":"\\u00e9"}', new Set(['a']))).toBe(
    '{"b":[ 1.0 ],"c":"\\u00e9"}',
  );
  expect(textWithout('{"a":1}', new Set(['a', 'x']))).toBeNull();
  expect(textWithout('{}', new Set())).toBeNull();
});

it.each(['{"a":1', '{"a"', '[1', '[1,', '["a', '[[1]', '{"a":{"b":1}'])(
  'a text that was never valid ends with an error, not in an endless loop: %s',
  (text) => {
    expect(() => (text.startsWith('{') ? objectMembers(text) : [...arrayElements(text)])).toThrow(
      RangeError,
    );
  },
);

it.each([
  ['1', 0],
  ['{}', 1],
  ['[[]]', 2],
  ['[{"a":[]},{"b":[{}]}]', 4],
  ['{"a":"[[[[[","b\\"{{{":[]}', 2],
  ['[[],[],[],{}]', 2],
])('nestsDeeper counts the levels of %s', (text, levels) => {
  expect(nestsDeeper(text, levels)).toBe(false);
  if (levels > 0) expect(nestsDeeper(text, levels - 1)).toBe(true);
});
