import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson, type Json } from '../../../../src/base/text/canonical-json.js';

// I-14 in FORMAT.md
it('sorts keys by code unit at every depth and leaves no white space', () => {
  expect(canonicalJson({ b: 1, a: { z: [], é: null, Z: true }, '10': 'x', '9': 'y' })).toBe(
    '{"10":"x","9":"y","a":{"Z":true,"z":[],"é":null},"b":1}',
  );
});

it('sorts the keys of objects of every size', () => {
  for (const count of [1, 2, 19, 20, 21, 100]) {
    const keys = Array.from({ length: count }, (_, at) => `k${(at * 37) % 101}`);
    const text = canonicalJson(Object.fromEntries(keys.map((key) => [key, 1])));
    expect(text).toBe(
      `{${keys
        .sort()
        .map((key) => `"${key}":1`)
        .join(',')}}`,
    );
  }
});

it('keeps the order of arrays', () => {
  expect(canonicalJson([3, 1, [2, { b: 1, a: 2 }]])).toBe('[3,1,[2,{"a":2,"b":1}]]');
});

it('leaves out undefined members but not null ones', () => {
  expect(canonicalJson({ a: undefined, b: null })).toBe('{"b":null}');
});

it('treats __proto__ as a key like any other', () => {
  const value = JSON.parse('{"b":1,"__proto__":{"a":1}}') as Json;
  expect(canonicalJson(value)).toBe('{"__proto__":{"a":1},"b":1}');
});

it('escapes lone surrogates, so that the digest of the text is that of the value', () => {
  expect(canonicalJson('\ud800')).toBe('"\\ud800"');
});

it('says the same of a value however its keys are ordered, and parses back to it', () => {
  fc.assert(
    fc.property(fc.jsonValue() as fc.Arbitrary<Json>, (value) => {
      const text = canonicalJson(value);
      expect(canonicalJson(reversed(value))).toBe(text);
      expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(sorted(value)));
    }),
  );
});

function sorted(value: Json): Json {
  return rebuilt(value, (entries) => entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function reversed(value: Json): Json {
  return rebuilt(value, (entries) => entries.reverse());
}

type Entries = [string, Json][];

function rebuilt(value: Json, order: (entries: Entries) => Entries): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one: Json) => rebuilt(one, order));
  const entries = order(Object.entries(value) as Entries);
  return Object.fromEntries(entries.map(([key, one]) => [key, rebuilt(one, order)]));
}
