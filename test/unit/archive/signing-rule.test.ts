import { describe, expect, it } from 'vitest';
import { SigningKeyError, SigningStartError } from '../../../src/archive/archive-errors.js';
import { type CommitSigner } from '../../../src/archive/log/signing.js';
import { SigningRule } from '../../../src/archive/log/signing-rule.js';

/** A check of a run with this key, after it has read commits with these signers, each by its number. */
function check(
  key: string | undefined,
  commits: readonly (readonly [number, string | null])[],
  mayStart?: CommitSigner['mayStart'],
): Promise<void> {
  const own = {
    publicKeyId: key ?? '',
    sign: () => '',
    ...(mayStart === undefined ? {} : { mayStart }),
  };
  const rule = new SigningRule(key === undefined ? undefined : own, 'place');
  for (const [number, signedBy] of commits) rule.learn({ number, signed_by: signedBy });
  return rule.assertMayAppend();
}

describe('signing rule', () => {
  it.each([
    ['that nobody signed takes any run', undefined, [[1, null]]],
    [
      'takes the key of its newest signed commit',
      'b',
      [
        [1, 'a'],
        [2, 'b'],
        [3, null],
      ],
    ],
    [
      'takes that key in whatever order the commits are read',
      'b',
      [
        [2, 'b'],
        [3, null],
        [1, 'a'],
      ],
    ],
  ] as const)('a log %s', async (_what, key, commits) => {
    await expect(check(key, commits)).resolves.toBeUndefined();
  });

  it.each([
    ['an older key', 'a', 'than the one that signed commit 2 of place (b)'],
    ['no key', undefined, 'commit 2 of place is signed, and this run has no key'],
  ])('a log refuses a run with %s', async (_what, key, why) => {
    const checked = check(key, [
      [2, 'b'],
      [1, 'a'],
      [3, null],
    ]);
    await expect(checked).rejects.toThrow(SigningKeyError);
    await expect(checked).rejects.toThrow(why);
  });

  const BINDS =
    'nothing was written to place: it has not been signed so far, and from the first signature on, every run that writes to it (exports, workers, holds) needs this key in --signing-key, for good; if that is wanted, pass --start-signing once';
  const DECLINED =
    'nothing was written to place, because it is not to be signed; without --signing-key the run is not signed';
  it.each([
    ['nothing is said', undefined, BINDS],
    ['it may not', false, BINDS],
    ['somebody is asked and says no', () => Promise.resolve(false), DECLINED],
  ])('a log that nobody signed is not signed where %s', async (_what, mayStart, told) => {
    const checked = check('a', [[1, null]], mayStart);
    await expect(checked).rejects.toThrow(new SigningStartError('place', told === DECLINED));
    await expect(checked).rejects.toMatchObject({ message: told, failure: 'usage' });
  });

  it.each([
    ['it may', true],
    ['somebody is asked and says yes', () => Promise.resolve(true)],
  ])('a log that nobody signed is signed where %s', async (_what, mayStart) => {
    await expect(check('a', [[1, null]], mayStart)).resolves.toBeUndefined();
  });

  it('a log that is signed is signed on with its key, and nobody is asked', async () => {
    await expect(
      check('a', [[1, 'a']], () => Promise.reject(new Error('asked'))),
    ).resolves.toBeUndefined();
  });
});
