import { expect, it } from 'vitest';
import { sha256Hex } from '../../../src/base/digest.js';
import { ulid } from '../../../src/base/ulid.js';
import { codeOf, messageOf, UsageError } from '../../../src/base/error.js';
import { groupBy } from '../../../src/base/group-by.js';
import { createdAtOf } from '../../../src/model/times/created-at.js';
import { FakeClock } from '../../support/base/fake-clock.js';

const bytes = (fill: number) => ({
  fraction: () => 0,
  bytes: () => new Uint8Array(10).fill(fill),
});

it('ulid begins with the time, as the specification has it', () => {
  // github.com/ulid/spec: 01ARZ3NDEK is 1469922850259
  expect(ulid(new FakeClock(1_469_922_850_259), bytes(0))).toBe('01ARZ3NDEK0000000000000000');
  expect(ulid(new FakeClock(1_469_922_850_259), bytes(255))).toBe('01ARZ3NDEKZZZZZZZZZZZZZZZZ');
});

it('ulid sorts as text in the order of time', () => {
  const times = [1, 31, 32, 1_469_922_850_259, 2 ** 47];
  const made = times.map((time) => ulid(new FakeClock(time), bytes(7)));
  expect(made.toSorted()).toEqual(made);
});

it('ulid is read back as the millisecond in which it was made', () => {
  const now = Date.UTC(2026, 10, 2, 3, 4, 5, 6);
  expect(createdAtOf(ulid(new FakeClock(now), bytes(9)))).toEqual({
    micros: BigInt(now) * 1000n,
    source: 'ulid',
  });
});

it('groupBy keeps keys in the order of their first item, and items in theirs', () => {
  const groups = groupBy([3, 1, 4, 1, 5], (n) => (n % 2 === 0 ? 'even' : 'odd'));
  expect([...groups]).toEqual([
    ['odd', [3, 1, 1, 5]],
    ['even', [4]],
  ]);
});

it('sha256Hex hashes text as UTF-8', () => {
  expect(sha256Hex('é')).toBe(sha256Hex(new Uint8Array([0xc3, 0xa9])));
  expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});

it('errors keep their cause, and have none where none was given', () => {
  const cause = new Error('below');
  expect(new UsageError('above', { cause }).cause).toBe(cause);
  expect(Object.hasOwn(new UsageError('above'), 'cause')).toBe(false);
});

it('errors say by name, code and disposition what they are', () => {
  expect(new UsageError('no')).toMatchObject({
    name: 'UsageError',
    code: 'USAGE',
    disposition: 'fatal',
    failure: 'usage',
  });
  expect(String(new UsageError('no'))).toBe('UsageError: no');
});

it('errors are quoted whatever was thrown', () => {
  expect([new Error('a'), 'b', 3, null, undefined].map(messageOf)).toEqual([
    'a',
    'b',
    '3',
    'null',
    'undefined',
  ]);
});

it('errors have a code only where it is text', () => {
  const thrown = [{ code: 'ENOSPC' }, new UsageError('x'), { code: 5 }, {}, null, 'ENOSPC'];
  expect(thrown.map(codeOf)).toEqual([
    'ENOSPC',
    'USAGE',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
