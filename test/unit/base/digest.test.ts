import { expect, it } from 'vitest';
import { sha256Hex, TextDigest } from '../../../src/base/digest.js';

it.each([0, 1, 10, 10_000, 200_000])(
  'the digest of %i pieces is that of the whole text',
  (count) => {
    const pieces = Array.from({ length: count }, (_, n) => `piece ${n} 売上 🎉 \u0000`);
    const digest = new TextDigest();
    for (const piece of pieces) digest.add(piece);
    expect(digest.hex()).toBe(sha256Hex(pieces.join('')));
  },
);
