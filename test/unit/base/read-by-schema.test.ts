import { expect, it } from 'vitest';
import { z } from 'zod';
import { readerBy } from '../../../src/base/read-by-schema.js';

const read = readerBy(z.strictObject({ a: z.int(), b: z.string().optional() }));

it('the first value and the hundredth are read alike', () => {
  for (let nth = 1; nth <= 100; nth++) {
    expect(read({ a: nth, b: 'x' })).toEqual({ a: nth, b: 'x' });
    expect(() => read({ a: nth, c: 1 })).toThrow(z.ZodError);
    expect(() => read({ a: 'x' })).toThrow(z.ZodError);
  }
});
