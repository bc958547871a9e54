/** What a test says of a failure: `undefined` in place of an error meets no expectation. */
import { expect, it } from 'vitest';

const nothing: unknown = undefined;
const throwsNothing = (): never => {
  throw nothing;
};
const rejectsWithNothing = (): Promise<never> => Promise.resolve().then(throwsNothing);
const failure = /undefined was thrown|instance of TypeError/;

it.each([
  ['a text', 'text'],
  ['a pattern', /text/],
  ['a class', TypeError],
])(
  'An expectation of %s does not pass where undefined was thrown or rejected with',
  async (_, expected) => {
    expect(() => {
      expect(throwsNothing).toThrow(expected);
    }).toThrow(failure);
    await expect(async () => {
      await expect(rejectsWithNothing()).rejects.toThrow(expected);
    }).rejects.toThrow(failure);
  },
);

it('An expectation of undefined is a mistake, since anything would meet it', () => {
  expect(() => {
    expect(throwsNothing).toThrow(nothing);
  }).toThrow('toThrow(undefined) would pass whatever is thrown');
});

it('An expectation of an error passes where it was thrown, and none where none was', async () => {
  const failing = (): never => {
    throw new TypeError('a text');
  };
  expect(failing).toThrow('text');
  expect(failing).not.toThrow('another');
  expect(() => nothing).not.toThrow();
  await expect(Promise.reject(new Error('a text'))).rejects.toThrow('text');
  await expect(Promise.resolve().then(failing)).rejects.not.toThrow('another');
});
