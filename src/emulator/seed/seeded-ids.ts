/** Ids in the shapes that the service uses. Those that embed a time take it from the caller. */
import type { RandomStream } from './seed-plan.js';

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

/** A dataset with all fields that the three read operations return, named as there. */
export interface DatasetState {
  readonly id: string;
  readonly project: string;
  /** The user who may modify and delete it. */
  readonly creator: string;
  /** Whole; cut to 128 characters when shown. */
  readonly name: string;
  /** Whole; cut to 5000 characters when shown. */
  readonly description: string;
  readonly summary: string;
  readonly exploration_questions: readonly string[];
  readonly keywords: readonly string[];
  readonly synched_count: number;
  readonly invalid_count: number;
  readonly synching_count: number;
}
