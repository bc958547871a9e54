/** Digests that an answer tells of its own body: another witness than its length, where a host or a cache sends one. */
import { createHash, type Hash } from 'node:crypto';
import type { Dispatcher } from 'undici';

type Headers = Dispatcher.ResponseData['headers'];

interface DeclaredDigest {
  /** As it is named in messages. */
  readonly header: string;
  readonly algorithm: 'md5' | 'sha256';
  /** In lower-case hexadecimal. */
  readonly hex: string;
  /** Whether it may be something else: an ETag need not be a digest. */
  readonly isGuess: boolean;
}

/** What differs. A guess counts where the host has shown that its ETags are digests. */
export interface DigestMismatch {
  readonly header: string;
  readonly isGuess: boolean;
}

const BYTES = { md5: 16, sha256: 32 } as const;

/** Digests of a body's bytes as they are sent, before any content encoding is undone. */
export class BodyDigests {
  readonly #declared: readonly DeclaredDigest[];
  readonly #hashes = new Map<DeclaredDigest['algorithm'], Hash>();

  constructor(headers: Headers) {
    this.#declared = declaredDigests(headers);
    for (const { algorithm } of this.#declared) {
      if (!this.#hashes.has(algorithm)) this.#hashes.set(algorithm, createHash(algorithm));
    }
  }

  update(chunk: Uint8Array): void {
    for (const hash of this.#hashes.values()) hash.update(chunk);
  }

  /**
   * Once, after the last chunk.
   *
   * @param host learns, by an ETag that is one, that its ETags are digests
   * @param proven hosts that have shown it
   */
  mismatch(host: string, proven: Set<string>): DigestMismatch | undefined {
    const found = new Map([...this.#hashes].map(([name, hash]) => [name, hash.digest('hex')]));
    for (const { header, algorithm, hex, isGuess } of this.#declared) {
      const isEqual = found.get(algorithm) === hex;
      if (isGuess && isEqual) proven.add(host);
      if (!isEqual && (!isGuess || proven.has(host))) return { header, isGuess };
    }
    return undefined;
  }
}

function declaredDigests(headers: Headers): DeclaredDigest[] {
  return [
    declared('Content-MD5', 'md5', headerOf(headers, 'content-md5')),
    declared('x-amz-checksum-sha256', 'sha256', headerOf(headers, 'x-amz-checksum-sha256')),
    ...ofGoogle(headers),
    ...ofFields(headers, 'Content-Digest', /(?:^|,)\s*sha-256=:([^:]*):/i),
    // it is the digest of the whole file; an answer with a part of it is refused
    ...ofFields(headers, 'Repr-Digest', /(?:^|,)\s*sha-256=:([^:]*):/i),
    ...ofFields(headers, 'Digest', /(?:^|,)\s*sha-256=([^,]*)/i),
    etag(headers),
  ].filter((digest) => digest !== undefined);
}

/** A base64 digest of the right length; anything else tells nothing. */
function declared(
  header: string,
  algorithm: DeclaredDigest['algorithm'],
  base64: string,
): DeclaredDigest | undefined {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.byteLength !== BYTES[algorithm] || bytes.toString('base64') !== base64.trim()) {
    return undefined;
  }
  return { header, algorithm, hex: bytes.toString('hex'), isGuess: false };
}

function ofFields(
  headers: Headers,
  header: string,
  pattern: RegExp,
): (DeclaredDigest | undefined)[] {
  const [, value = ''] = pattern.exec(headerOf(headers, header.toLowerCase())) ?? [];
  return [declared(header, 'sha256', value)];
}

/** The digests that Google's storage declares of the stored bytes: it may have unpacked them for us. */
function ofGoogle(headers: Headers): (DeclaredDigest | undefined)[] {
  const stored = headerOf(headers, 'x-goog-stored-content-encoding') || 'identity';
  const sent = headerOf(headers, 'content-encoding') || 'identity';
  if (stored !== sent) return [];
  const [, md5 = ''] = /(?:^|,)\s*md5=([^,]*)/.exec(headerOf(headers, 'x-goog-hash')) ?? [];
  return [declared('x-goog-hash', 'md5', md5)];
}

/**
 * The ETag of S3 as the MD5 of an object that was put in one piece, unless it is encrypted with a key of KMS or of the
 * customer.
 */
function etag(headers: Headers): DeclaredDigest | undefined {
  const [, hex] = /^"([0-9a-f]{32})"$/i.exec(headerOf(headers, 'etag').trim()) ?? [];
  const isEncrypted =
    /^aws:/.test(headerOf(headers, 'x-amz-server-side-encryption')) ||
    headerOf(headers, 'x-amz-server-side-encryption-customer-algorithm') !== '';
  if (hex === undefined || isEncrypted) return undefined;
  return { header: 'ETag', algorithm: 'md5', hex: hex.toLowerCase(), isGuess: true };
}

/** Repeated values are joined with commas; empty without such a header. */
function headerOf(headers: Headers, name: string): string {
  return [headers[name] ?? []].flat().join(',');
}
