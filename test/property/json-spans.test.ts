import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../src/base/text/parse-json.js';
import { arrayElements } from '../../src/model/json-outline.js';
import { objectMembers, spanAt, textWithout } from '../../src/model/json-parts.js';
import { jsonDocument, word } from '../support/base/json-documents.js';
import { fault } from '../support/base/fault.js';

it('every span is the text of the value that stands there, at any depth', fault('F-71'), () => {
  fc.assert(
    fc.property(jsonDocument, ({ text, value }) => {
      compare(text, value);
    }),
    { numRuns: 500 },
  );
});

it('every path of a value leads to its text, and no other path leads anywhere', () => {
  fc.assert(
    fc.property(jsonDocument, (document) => {
      const { text } = document;
      for (const [path, value] of paths(document.value)) {
        const span = spanAt(text, path)!;
        expect(parseJson(text.slice(span.start, span.end))).toEqual(value);
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
      expect(text === null ? {} : parseJson(text)).toEqual(
        parseJson(JSON.stringify(Object.fromEntries(left))),
      );
    }),
  );
});

function compare(text: string, value: unknown): void {
  if (Array.isArray(value)) {
    const elements = Array.from(arrayElements(text), ({ start, end }) => text.slice(start, end));
    expect(elements.map((element) => parseJson(element))).toEqual(value);
    elements.forEach((element, index) => compare(element, value[index]));
  } else if (typeof value === 'object' && value !== null) {
    const members = objectMembers(text);
    expect([...members.keys()].toSorted()).toEqual(Object.keys(value).toSorted());
    for (const [key, { start, end }] of members) {
      const member = text.slice(start, end);
      expect(member).toBe(member.trim());
      expect(parseJson(member)).toEqual(Object.getOwnPropertyDescriptor(value, key)?.value);
      compare(member, parseJson(member));
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
