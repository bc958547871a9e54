/** Ids in the shapes that the service uses. Those that embed a time take it from the caller. */
import type { RandomStream } from './random-stream.js';

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
