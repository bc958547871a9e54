/** Chooses the files to read back: all, a slice, or a random sample, which is the same for the same log. */
import { sha256Hex } from '../../base/digest.js';
import type { NamedObject } from '../objects/checked-objects.js';
import type { LogFindings } from './verify-log.js';
import { type Slice, sliceOf } from './slices.js';

/** A part file, or an artifact with the newest commit of a run that has brought a row of it. */
export interface ChoosableObject extends Pick<NamedObject, 'path' | 'sha256'> {
  readonly mark?: number;
}

/** Whether the bytes of a file are read back. */
export type IsChosen = (object: ChoosableObject) => boolean;

/** Which bytes of files and artifacts are read back; of the others, presence and size are checked. Default: all. */
export interface Chosen {
  /** Above 0 and at most 1: about this share, by count, with those of the newest commit. */
  readonly sample?: number | undefined;
  /** The slice: files whose SHA-256 falls into it are chosen. */
  readonly slice?: Slice | undefined;
  /** Undefined for all. */
  readonly choose?: ((log: LogFindings) => IsChosen | undefined) | undefined;
}

interface SampleOptions {
  /** Above 0, at most 1. */
  readonly fraction: number;
  /** The newest commit's digest: nobody can predict which files it chooses. */
  readonly seed: string;
}

/** How many digits of a lot count. */
const LOT_DIGITS = 12;

/** Whether a path is in a random sample of about that fraction. */
export function isInSample(path: string, { fraction, seed }: SampleOptions): boolean {
  const lot = parseInt(sha256Hex(`${seed} ${path}`).slice(0, LOT_DIGITS), 16);
  return lot < fraction * 16 ** LOT_DIGITS;
}

/** Undefined for all. */
export function chosenObjects(
  { sample: fraction, slice, choose }: Chosen,
  log: LogFindings,
): IsChosen | undefined {
  if (choose) return choose(log);
  if (slice) return (object) => sliceOf(object, slice.of) === slice.nth;
  if (fraction === undefined) return undefined;
  const seed = log.last?.digest ?? '';
  // those of the newest commit were never verified before
  const isNew = namedSince(log, log.newest - 1);
  return (object) => isNew(object) || isInSample(object.path, { fraction, seed });
}

/** What commits after the number have named: no check before has read it. */
export function namedSince({ index }: LogFindings, through: number): IsChosen {
  const changes = index.fileChanges.filter(({ number }) => number > through);
  const files = new Set(changes.flatMap((change) => change.files.map(({ path }) => path)));
  return ({ path, mark = 0 }) => files.has(path) || mark > through;
}
