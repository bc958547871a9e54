import fc from 'fast-check';
import { expect, it } from 'vitest';
import { arrayElements, objectMembers, spanAt, textWithout } from '../../src/model/json-spans.js';

const space = fc.array(fc.constantFrom(' ', '\n', '\t', '\r'), { maxLength: 2 });
const number = fc.constantFrom(
  ...['0', '-0', '-1', '1.0', '0.10', '1e400', '-1.5E-7', '12345678901234567890'],
);
const nasty = fc.constantFrom(
  ...['"', '\\', '\\\\"', '],}{[', ':,', '\u0000', '\u2028', '🙂', '__proto__', ''],
);
const word = fc.oneof(fc.string({ unit: 'binary', maxLength: 6 }), nasty);

/** A string as JSON may spell it: some characters as escapes that need not be. */
const string = fc.tuple(word, fc.infiniteStream(fc.boolean())).map(([value, escapes]) => {
  const plain = Array.from(value, (character) => {
    const isEscaped = escapes.next().value as boolean;
    return isEscaped ? escaped(character) : JSON.stringify(character).slice(1, -1);
  });
  return `"${plain.join('')}"`;
});

const { json } = fc.letrec<{ json: string; array: string; object: string }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(number, string, fc.constantFrom('true', 'false', 'null')),
    tie('array'),
    tie('object'),
  ),
  array: padded(tie('json'), '[', ']'),
  object: padded(
    fc.tuple(string, space, space, tie('json')).map(([key, a, b, value]) => {
      return `${key}${a.join('')}:${b.join('')}${value}`;
    }),
    '{',
    '}',
  ),
}));
const document = fc.tuple(space, json, space).map(([a, text, b]) => a.join('') + text + b.join(''));

it('every span parses to what JSON.parse finds there, at any depth', () => {
  fc.assert(
    fc.property(document, (text) => {
      compare(text, JSON.parse(text));
    }),
    { numRuns: 500 },
  );
});

it('every path of a value leads to its text, and no other path leads anywhere', () => {
  fc.assert(
    fc.property(document, (text) => {
      for (const [path, value] of paths(JSON.parse(text))) {
        const span = spanAt(text, path)!;
        expect(JSON.parse(text.slice(span.start, span.end))).toEqual(value);
        expect(spanAt(text, [...path, '\u0000absent'])).toBeUndefined();
        expect(spanAt(text, [...path, 1e6])).toBeUndefined();
      }
    }),
    { numRuns: 200 },
  );
});

it('an object without some of its members has all the others', () => {
  const members = fc.dictionary(word, fc.jsonValue() as fc.Arbitrary<unknown>, { maxKeys: 6 });
  fc.assert(
    fc.property(members, fc.array(word), (value, others) => {
      const taken = new Set([...Object.keys(value).slice(1), ...others]);
      const left = Object.entries(value).filter(([key]) => !taken.has(key));
      const text = textWithout(JSON.stringify(value, null, 1), taken);
      expect(text === null ? {} : JSON.parse(text)).toEqual(
        JSON.parse(JSON.stringify(Object.fromEntries(left))),
      );
    }),
  );
});

function compare(text: string, value: unknown): void {
  if (Array.isArray(value)) {
    const elements = arrayElements(text).map(({ start, end }) => text.slice(start, end));
    expect(elements.map((element) => JSON.parse(element) as unknown)).toEqual(value);
    elements.forEach((element, index) => compare(element, value[index]));
  } else if (typeof value === 'object' && value !== null) {
    const members = objectMembers(text);
    expect([...members.keys()].toSorted()).toEqual(Object.keys(value).toSorted());
    for (const [key, { start, end }] of members) {
      const member = text.slice(start, end);
      expect(member).toBe(member.trim());
      expect(JSON.parse(member)).toEqual(Object.getOwnPropertyDescriptor(value, key)?.value);
      compare(member, JSON.parse(member));
    }
  }
}

function* paths(
  value: unknown,
  path: readonly (string | number)[] = [],
): Generator<[readonly (string | number)[], unknown]> {
  yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    yield* paths(member, [...path, Array.isArray(value) ? Number(key) : key]);
  }
}

function padded(items: fc.Arbitrary<string>, open: string, close: string): fc.Arbitrary<string> {
  const item = fc.tuple(space, items, space).map(([a, text, b]) => a.join('') + text + b.join(''));
  return fc.array(item, { maxLength: 4 }).map((all) => open + all.join(',') + close);
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, i) => {
    return `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
  }).join('');
}
