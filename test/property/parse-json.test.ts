import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../src/base/text/parse-json.js';
import { jsonDocument } from '../support/base/json-documents.js';
import { fault } from '../support/base/fault.js';

it('reads every document as the value that it was written from, keys in the same order', () => {
  fc.assert(
    fc.property(jsonDocument, ({ text, value }) => {
      expectSame(parseJson(text), value);
    }),
    { numRuns: 2000 },
  );
});

it('reads it so beside a key that must be escaped, too', fault('F-71'), () => {
  fc.assert(
    fc.property(
      jsonDocument,
      fc.constantFrom('\\\\', '\\"', '\\n', 'a\\u005c'),
      (document, key) => {
        const read = parseJson(`{"${key}":${document.text}}`) as Record<string, unknown>;
        expectSame(Object.values(read)[0], document.value);
      },
    ),
    { numRuns: 2000 },
  );
});

/** Own keys in order, prototypes, and numbers to the sign of zero. */
function expectSame(read: unknown, written: unknown): void {
  if (typeof written !== 'object' || written === null) {
    expect(Object.is(read, written)).toBe(true);
    return;
  }
  expect(Object.getPrototypeOf(read)).toBe(Object.getPrototypeOf(written));
  expect(Reflect.ownKeys(read as object)).toEqual(Reflect.ownKeys(written));
  for (const key of Object.keys(written)) {
    expectSame(own(read as object, key), own(written, key));
  }
}

function own(object: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(object, key)?.value;
}
