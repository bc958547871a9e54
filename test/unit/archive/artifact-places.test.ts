import { expect, it } from 'vitest';
import { newArtifactPath } from '../../../src/archive/unnamed-objects.js';
import {
  artifactPath,
  erasureKnownTo,
  isArtifactPath,
  sha256OfArtifact,
} from '../../../src/archive/paths.js';
import type { Archive } from '../../../src/archive/archive.js';

const SHA = 'ab'.repeat(32);

function indexed(erasures: readonly number[]): Pick<Archive, 'index'> {
  return { index: { lastErasure: erasures.at(-1) ?? 0 } as unknown as Archive['index'] };
}

it('gives a file its digest as its name, and after an erasure the number of that, too', () => {
  expect(newArtifactPath(indexed([]), SHA, 'csv')).toBe(`artifacts/ab/${SHA}.csv`);
  expect(newArtifactPath(indexed([4, 5, 12]), SHA, 'csv')).toBe(`artifacts/ab/${SHA}-12.csv`);
});

it.each([0, 1, 123_456])('reads the erasure %i back from a path', (erasure) => {
  const path = artifactPath(SHA, 'csv', erasure);
  expect(isArtifactPath(path)).toBe(true);
  expect(erasureKnownTo(path)).toBe(erasure);
  expect(sha256OfArtifact(path)).toBe(SHA);
});

it.each(['-0', '-01', '-', '-1-2', '-x'])('knows no artifact that ends in %s', (suffix) => {
  expect(isArtifactPath(`artifacts/ab/${SHA}${suffix}.csv`)).toBe(false);
});
