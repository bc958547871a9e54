/**
 * Makes `toThrow` fail where `undefined` was thrown, or what is expected is `undefined`: without this both pass, whatever
 * text or class a test names. Vitest loads it before each test file; it takes effect once in a process.
 */
import { chai } from 'vitest';

const DONE = Symbol.for('jobvault.strict-to-throw');
const NOTHING = new Error('undefined was thrown, which says nothing');

interface Marked {
  [DONE]?: boolean;
}

function throwing(work: () => unknown): () => unknown {
  return () => {
    try {
      return work();
    } catch (error) {
      if (error === undefined) throw NOTHING;
      throw error;
    }
  };
}

const process = globalThis as Marked;
if (process[DONE] !== true) {
  process[DONE] = true;
  chai.use(({ Assertion, util }) => {
    for (const name of ['toThrow', 'toThrowError'] as const) {
      Assertion.overwriteMethod(name, (original) => {
        return function (this: object, ...expected: unknown[]): unknown {
          const isTold = expected.length === 0 || expected[0] !== undefined;
          if (!isTold) throw new Error(`${name}(undefined) would pass whatever is thrown`);
          const actual: unknown = util.flag(this, 'object');
          if (util.flag(this, 'promise') === 'rejects') {
            if (actual === undefined) util.flag(this, 'object', NOTHING);
          } else if (typeof actual === 'function') {
            util.flag(this, 'object', throwing(actual as () => unknown));
          }
          return (original as (...given: unknown[]) => unknown).apply(this, expected);
        };
      });
    }
  });
}
