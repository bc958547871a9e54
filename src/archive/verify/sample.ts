/** Chooses a random sample of files to read back: the same files for the same log. */
import { sha256Hex } from '../../base/digest.js';
import type { LogFindings } from './verify-log.js';

export interface SampleOptions {
  /** Above 0, at most 1. */
  readonly fraction: number;
  /** The newest commit's digest: nobody can predict which files it chooses. */
  readonly seed: string;
}

/** A random sample of at least that fraction of the paths, by count. */
export function sampleOf(
  paths: Iterable<string>,
  { fraction, seed }: SampleOptions,
): ReadonlySet<string> {
  const all = [...paths];
  const drawn = all
    .map((path) => ({ path, lot: sha256Hex(`${seed} ${path}`) }))
    .sort((a, b) => (a.lot < b.lot ? -1 : 1));
  return new Set(drawn.slice(0, Math.ceil(all.length * fraction)).map(({ path }) => path));
}

/** The sampled paths, always with those of the newest commit, which were never verified before.
 * Undefined if all are to be read. */
export function sampledPaths(
  fraction: number | undefined,
  { index, last }: LogFindings,
): ReadonlySet<string> | undefined {
  if (fraction === undefined) return undefined;
  const { files, artifacts } = index.contents;
  const seed = last?.digest ?? '';
  const drawn = sampleOf([...files.keys(), ...artifacts.keys()], { fraction, seed });
  const newest = [...(last?.files ?? []), ...(last?.artifacts ?? [])].map(({ path }) => path);
  return new Set([...drawn, ...newest]);
}
