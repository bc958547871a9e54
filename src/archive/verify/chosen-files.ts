/** Chooses the files to read back: all, a slice, or a random sample, which is the same for the same log. */
import { sha256Hex } from '../../base/digest.js';
import type { LogFindings } from './verify-log.js';
import { type Slice, sliceOf } from './slices.js';

/** Which bytes of files and artifacts are read back; of the others, presence and size are checked. Default: all. */
export interface Chosen {
  /** Above 0 and at most 1: this share, by count, with those of the newest commit. */
  readonly sample?: number | undefined;
  /** The slice: files whose SHA-256 falls into it are chosen. */
  readonly slice?: Slice | undefined;
  /** Paths; undefined for all. */
  readonly choose?: ((log: LogFindings) => Promise<ReadonlySet<string> | undefined>) | undefined;
}

interface SampleOptions {
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

/** The paths of what is read back; undefined for all. */
export async function chosenPaths(
  { sample: fraction, slice, choose }: Chosen,
  log: LogFindings,
): Promise<ReadonlySet<string> | undefined> {
  const { index, last } = log;
  const { files, artifacts } = index.contents;
  if (choose) return choose(log);
  if (slice) {
    const all = [...files.values(), ...artifacts.values()];
    const inSlice = all.filter((entry) => sliceOf(entry, slice.of) === slice.nth);
    return new Set(inSlice.map(({ path }) => path));
  }
  if (fraction === undefined) return undefined;
  const seed = last?.digest ?? '';
  const drawn = sampleOf([...files.keys(), ...artifacts.keys()], { fraction, seed });
  // those of the newest commit were never verified before
  const newest = [...(last?.files ?? []), ...(last?.artifacts ?? [])].map(({ path }) => path);
  return new Set([...drawn, ...newest]);
}
