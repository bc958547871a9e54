import { createHash, hash, type Hash } from 'node:crypto';

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
