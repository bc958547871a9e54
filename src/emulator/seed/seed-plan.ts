import type { RandomStream } from './random-stream.js';

/** The amount of seed data, and the seed. */
export interface SeedPlan {
  /** The same plan gives the same bytes, on every machine and at any time. */
  readonly seed: number;
  readonly users: number;
  /** Of every user. */
  readonly sessions: number;
  /** The maximum of jobs in a session; the number varies unless `exactJobs`. */
  readonly jobs: number;
  /** Every session has exactly `jobs` jobs. */
  readonly exactJobs: boolean;
  /** The exact number of blocks in every answer; undefined: the topic decides. */
  readonly blocksPerJob: number | undefined;
  /** The exact number of files in every answer; undefined: the topic decides. */
  readonly artifactsPerJob: number | undefined;
  /** Adds unusual names and contents: formulas, paths, markup, control characters, empty files. */
  readonly odd: boolean;
  /** Adds contents that leave a gap: bare storage keys, a file that is gone, a web page in a file's place. */
  readonly gaps: boolean;
}

/** Which job, counted from 0. */
export interface SeededJobPlace {
  readonly user: number;
  readonly session: number;
  readonly job: number;
}

/** The place of jobs made after the start: outside every plan, so that their files can be found. */
export const MADE_LATER = { user: 0xffffffff, session: 0 } as const;

/** Ids in the shapes that the service uses. Those that embed a time take it from the caller. */

/** `c`, 8 base-36 digits of milliseconds, 16 more characters. */
export function cuid(random: RandomStream, atMs: number): string {
  return `c${atMs.toString(36).padStart(8, '0')}${random.digits(16, 36)}`;
}

export function uuid4(random: RandomStream): string {
  return `${random.digits(8, 16)}-${random.digits(4, 16)}-4${random.digits(3, 16)}-${variantDigit(random)}${random.digits(3, 16)}-${random.digits(12, 16)}`;
}

export function uuid7(random: RandomStream, atMs: number): string {
  const time = atMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.digits(3, 16)}-${variantDigit(random)}${random.digits(3, 16)}-${random.digits(12, 16)}`;
}

function variantDigit(random: RandomStream): string {
  return random.pick(['8', '9', 'a', 'b']);
}

/** A file as the file host sends it. */
export interface FileContent {
  readonly bytes: Uint8Array;
  /** The `Content-Type`. */
  readonly mediaType: string;
}
