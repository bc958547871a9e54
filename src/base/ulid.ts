/** Universally unique, lexicographically sortable identifiers: 48 bits of time, 80 of chance. */
import type { Clock, Random } from './runtime.js';

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
