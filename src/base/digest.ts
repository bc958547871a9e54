import { createHash, hash, type Hash } from 'node:crypto';
import type { Clock, Random } from './runtime.js';

/** SHA-256 in lower-case hexadecimal: 64 characters. Text is hashed as UTF-8. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** Characters that wait to be hashed together. */
const PIECE = 64 * 1024;

/** The SHA-256 of a text that is never whole in memory. No piece may begin or end within a surrogate pair. */
export class TextDigest {
  #waiting = '';
  #hash: Hash | undefined;

  add(piece: string): void {
    this.#waiting += piece;
    if (this.#waiting.length < PIECE) return;
    this.#hash = (this.#hash ?? createHash('sha256')).update(this.#waiting);
    this.#waiting = '';
  }

  /** As `sha256Hex` of all pieces; ends the digest. */
  hex(): string {
    return this.#hash?.update(this.#waiting).digest('hex') ?? sha256Hex(this.#waiting);
  }
}

/** Universally unique, lexicographically sortable identifiers: 48 bits of time, 80 of chance. */

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A new ULID: 26 characters of Crockford's base 32. Source: github.com/ulid/spec */
export function ulid(clock: Clock, random: Random): string {
  const time = BigInt(Math.floor(clock.now()));
  const chance = random.bytes(10).reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
  return encode(time, 10) + encode(chance, 16);
}

/** When a ULID was made, in milliseconds since 1970 UTC; undefined for any other text. */
export function timeOfUlid(text: string): number | undefined {
  if (!/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text)) return undefined;
  return Array.from(text.slice(0, 10)).reduce(
    (time, digit) => time * 32 + CROCKFORD.indexOf(digit),
    0,
  );
}

function encode(value: bigint, length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) {
    text = (CROCKFORD[Number(value & 31n)] ?? '') + text;
    value >>= 5n;
  }
  return text;
}
