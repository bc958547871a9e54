import { describe, expect, it } from 'vitest';
import { SigningKeyError } from '../../../src/archive/archive-errors.js';
import { SigningRule } from '../../../src/archive/log/signing.js';

/** A rule for a run with this key, after it has read commits with these signers, each by its number. */
function ruleFor(key: string | undefined, ...commits: (readonly [number, string | null])[]) {
  const signer = key === undefined ? undefined : { publicKeyId: key, sign: () => '' };
  const rule = new SigningRule(signer, 'place');
  for (const [number, signedBy] of commits) rule.learn({ number, signed_by: signedBy });
  return () => {
    rule.assertMayAppend();
  };
}

describe('a log', () => {
  it.each([
    ['that nobody signed takes any run', undefined, [[1, null]]],
    ['that nobody signed takes a run with a key', 'a', [[1, null]]],
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
  ] as const)('%s', (_what, key, commits) => {
    expect(ruleFor(key, ...commits)).not.toThrow();
  });

  it.each([
    ['an older key', 'a', 'than the one that signed commit 2 of place (b)'],
    ['no key', undefined, 'commit 2 of place is signed, and this run has no key'],
  ])('refuses a run with %s', (_what, key, why) => {
    const rule = ruleFor(key, [2, 'b'], [1, 'a'], [3, null]);
    expect(rule).toThrow(SigningKeyError);
    expect(rule).toThrow(why);
  });
});
