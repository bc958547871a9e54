import { expect, it } from 'vitest';
import {
  archivedArtifact,
  isUselessArtifact,
  newArtifactPath,
} from '../../../src/archive/unnamed-objects.js';
import { artifactPath, erasureKnownTo, isArtifactPath } from '../../../src/archive/paths.js';
import type { Archive } from '../../../src/archive/archive.js';

const SHA = 'ab'.repeat(32);

function indexed(
  named: readonly string[],
  erasures: readonly number[] = [],
  open = false,
): Pick<Archive, 'index'> {
  const index = {
    erasures,
    lastErasure: erasures.at(-1) ?? 0,
    openErasures: new Map(open ? [['receipt', { number: 1 }]] : []),
    contents: { artifacts: new Map(named.map((path) => [path, {}])) },
  };
  return { index: index as unknown as Archive['index'] };
}

it('gives a file its digest as its name, and after an erasure the number of that, too', () => {
  expect(newArtifactPath(indexed([]), SHA, 'csv')).toBe(`artifacts/ab/${SHA}.csv`);
  expect(newArtifactPath(indexed([], [4, 5, 12]), SHA, 'csv')).toBe(`artifacts/ab/${SHA}-12.csv`);
});

it.each([0, 1, 123_456])('reads the erasure %i back from a path', (erasure) => {
  const path = artifactPath(SHA, 'csv', erasure);
  expect(isArtifactPath(path)).toBe(true);
  expect(erasureKnownTo(path)).toBe(erasure);
});

it.each(['-0', '-01', '-', '-1-2', '-x'])('knows no artifact that ends in %s', (suffix) => {
  expect(isArtifactPath(`artifacts/ab/${SHA}${suffix}.csv`)).toBe(false);
});

it('finds the same bytes wherever they were archived, but not while an erasure is under way', () => {
  const path = artifactPath(SHA, 'csv', 5);
  expect(archivedArtifact(indexed([path], [4, 5, 12]), SHA, 'csv')).toBe(path);
  expect(archivedArtifact(indexed([path], [4, 5]), SHA, 'png')).toBeUndefined();
  expect(archivedArtifact(indexed([path], [4, 5, 12], true), SHA, 'csv')).toBeUndefined();
});

it('takes for useless what no commit names and whose writer did not know of the newest erasure', () => {
  const [before, since] = [artifactPath(SHA, 'csv', 4), artifactPath(SHA, 'csv', 5)];
  expect(isUselessArtifact(indexed([], [4, 5]), before)).toBe(true);
  expect(isUselessArtifact(indexed([], [4, 5]), since)).toBe(false);
  expect(isUselessArtifact(indexed([before], [4, 5]), before)).toBe(false);
  expect(isUselessArtifact(indexed([], [4, 5]), 'artifacts/diary')).toBe(false);
});
