import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memberOf, outlineOf, type JsonNode } from '../../../src/model/json-outline.js';

function textAt(text: string, node: JsonNode | undefined): string | undefined {
  return node && text.slice(node.start, node.end);
}

it('the outline has the positions of members and elements, down to the requested depth', () => {
  const text = ' { "a" : [ 1 , {"b":"]}"} ] , "c" : {"d" : [true]} } ';
  const { root } = outlineOf(text, 2);
  expect(textAt(text, root)).toBe(text.trim());
  expect(memberOf(root, 'a')?.elements?.map((one) => textAt(text, one))).toEqual([
    '1',
    '{"b":"]}"}',
  ]);
  expect(textAt(text, memberOf(memberOf(root, 'c'), 'd'))).toBe('[true]');
  expect(memberOf(memberOf(root, 'c'), 'd')?.elements).toBeUndefined();
  expect(memberOf(root, 'd')).toBeUndefined();
});

it('the outline takes the last of a repeated member, and reads keys that are escaped', () => {
  const text = '{"a":1,"\\u0061":2,"b":3}';
  expect(textAt(text, memberOf(outlineOf(text, 1).root, 'a'))).toBe('2');
});

it.each([
  ['1', false],
  ['-7', false],
  ['0', false],
  ['-0', true],
  ['1.0', true],
  ['1.5', false],
  ['1e5', true],
  ['999999999999999', false],
  ['9007199254740993', true],
  ['9007199254740992', false],
  ['"1.0"', false],
  ['"text : 1.0, [2.0"', false],
  ['"\\u0000"', true],
  ['"a\\u0000"', false],
  ['"\\\\u0000"', false],
  ['true', false],
])('the outline of a JSON text says of %s whether it is inexact: %s', (json, isInexact) => {
  for (const depth of [0, 3]) {
    expect(outlineOf(json, depth).isInexact).toBe(isInexact);
    expect(outlineOf(`{"a":[${json} ,1]}`, depth).isInexact).toBe(isInexact);
  }
});

it('the outline says how deep the text goes, however deep, and beyond the depth asked for', () => {
  expect(outlineOf('1', 2).deepest).toBe(0);
  expect(outlineOf('[{"a":[]},1]', 0).deepest).toBe(3);
  expect(outlineOf('[{"a":[]},1]', 9).deepest).toBe(3);
  expect(outlineOf('['.repeat(20_000) + ']'.repeat(20_000), 2).deepest).toBe(20_000);
});

it.each(['', '{', '[1', '{"a', '{"a":', '[nul}'])(
  'the outline of a JSON text refuses %j, which is not JSON',
  (text) => {
    expect(() => outlineOf(text, 3)).toThrow(RangeError);
  },
);

it('the outline of a JSON text has every value of every JSON where JSON.parse finds it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const check = (node: JsonNode, held: unknown): void => {
        expect(JSON.parse(text.slice(node.start, node.end))).toEqual(held);
        node.elements?.forEach((one, index) => check(one, (held as unknown[])[index]));
        const names = node.members?.map(({ key }) => key) ?? [];
        for (const key of names) {
          const member = memberOf(node, key);
          if (member) check(member, (held as Record<string, unknown>)[key]);
        }
        if (node.members) expect(names.length).toBe(Object.keys(held as object).length);
        if (node.elements) expect(node.elements.length).toBe((held as unknown[]).length);
      };
      check(outlineOf(text, 9).root, JSON.parse(text));
    }),
  );
});
