import { expect, it } from 'vitest';
import {
  artifactPath,
  erasureKnownTo,
  isArtifactPath,
  sha256OfArtifact,
} from '../../../src/archive/paths.js';

const SHA = 'ab'.repeat(32);

it('gives a file its digest as its name, and after an erasure the number of that, too', () => {
  expect(artifactPath(SHA, 'csv', 0)).toBe(`artifacts/ab/${SHA}.csv`);
  expect(artifactPath(SHA, 'csv', 12)).toBe(`artifacts/ab/${SHA}-12.csv`);
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
