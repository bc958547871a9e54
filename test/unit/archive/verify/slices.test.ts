import { expect, it } from 'vitest';
import { sampleOf } from '../../../../src/archive/verify/chosen-files.js';

const paths = Array.from({ length: 1000 }, (_, i) => `artifacts/${i}`);

it('a sample is the share asked for, rounded up, and the same for the same seed', () => {
  for (const [fraction, size] of [
    [0.05, 50],
    [0.0001, 1],
    [0.9999, 1000],
    [1, 1000],
  ] as const) {
    const sample = sampleOf(paths, { fraction, seed: 's' });
    expect(sample.size).toBe(size);
    expect(sampleOf(paths.toReversed(), { fraction, seed: 's' })).toEqual(sample);
  }
  expect(sampleOf([], { fraction: 0.5, seed: 's' }).size).toBe(0);
});

it('other seeds give other samples, which come to every path in the end', () => {
  const seen = new Set<string>();
  for (let seed = 0; seed < 200; seed++) {
    for (const path of sampleOf(paths, { fraction: 0.05, seed: String(seed) })) seen.add(path);
  }
  expect(seen.size).toBeGreaterThan(990);
});
