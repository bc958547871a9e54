import { expect, it } from 'vitest';
import { isInSample } from '../../../../src/archive/verify/chosen-files.js';

const paths = Array.from({ length: 1000 }, (_, i) => `artifacts/${i}`);

function sampleOf(fraction: number, seed: string): string[] {
  return paths.filter((path) => isInSample(path, { fraction, seed }));
}

it('a sample is about the share asked for, and the same for the same seed', () => {
  for (const [fraction, least, most] of [
    [0.05, 30, 70],
    [0.5, 450, 550],
    [0.9999, 998, 1000],
    [1, 1000, 1000],
  ] as const) {
    const sample = sampleOf(fraction, 's');
    expect(sample.length).toBeGreaterThanOrEqual(least);
    expect(sample.length).toBeLessThanOrEqual(most);
    expect(sampleOf(fraction, 's')).toEqual(sample);
  }
});

it('other seeds give other samples, which come to every path in the end', () => {
  const seen = new Set<string>();
  for (let seed = 0; seed < 200; seed++) {
    for (const path of sampleOf(0.05, String(seed))) seen.add(path);
  }
  expect(seen.size).toBeGreaterThan(990);
});
