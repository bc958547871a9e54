import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TextSet } from '../../../../src/base/text/text-set.js';
import { fault } from '../../../support/base/fault.js';

it('a set of texts has what a Set has, in the same order', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '能', '😀'), maxLength: 3 });
  fc.assert(
    fc.property(fc.array(text), fc.array(text), (texts, others) => {
      const set = TextSet.of(texts);
      const plain = new Set(texts);
      expect([...set]).toEqual([...plain]);
      expect(set.size).toBe(plain.size);
      expect(others.filter((one) => set.has(one))).toEqual(others.filter((one) => plain.has(one)));
    }),
  );
});

it('a set of texts grows over its blocks and slots', fault('F-97'), () => {
  const texts = Array.from({ length: 10_000 }, (_, at) => `user ${at % 9000}`);
  const set = TextSet.of(texts);
  expect([...set]).toEqual([...new Set(texts)]);
  expect(set.has('user 8999')).toBe(true);
  expect(set.has('user 9000')).toBe(false);
});

it('a set of texts keeps halves of surrogate pairs apart, behind the others', () => {
  const set = TextSet.of(['\ud800', '\udfff', 'a', '\ud800']);
  expect([...set]).toEqual(['a', '\ud800', '\udfff']);
  expect(set.has('\ufffd')).toBe(false);
  expect(set.size).toBe(3);
});

it('a set of texts takes a text that is longer than its buffers', () => {
  const long = '能'.repeat(100_000);
  const set = TextSet.of(['a', long, 'b', long]);
  expect([...set]).toEqual(['a', long, 'b']);
});
