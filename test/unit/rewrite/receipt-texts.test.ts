/** What people write in the receipt of an erasure, which stays for good. */
import { expect, it } from 'vitest';
import { assertNamesNobody } from '../../../src/rewrite/erasure/names-nobody.js';

const ids = new Set(['jonas.weber', 's1']);
const assertOf =
  (reason: string | null, by: string | null, isOfRequest = false) =>
  () => {
    assertNamesNobody({ reason, by, isOfRequest }, ids);
  };

it('the receipt of an erasure may have texts that name nobody, or none', () => {
  expect(assertOf('Art. 17 GDPR, case 2026-114', 'Grace')).not.toThrow();
  expect(assertOf(null, null)).not.toThrow();
});

it.each([
  [false, /^the reason has “Jonas Weber”.* give a reason without it$/],
  [true, /^the reason, which is that of the request, has “Jonas Weber”.* give --reason without/],
])(
  'the receipt of an erasure is refused where its reason names the erased; of a request: %s',
  (isOfRequest, words) => {
    expect(assertOf('for Jonas Weber', 'Grace', isOfRequest)).toThrow(words);
  },
);

it('the receipt of an erasure is refused where it is they who erase', () => {
  expect(assertOf('Art. 17', 'Jonas.Weber')).toThrow(
    /^the name of the person who erases has “Jonas\.Weber”.* give --by without it/,
  );
});
