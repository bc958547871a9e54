/** Reads keys that sign commits, keys and certificates that verify signatures, and addresses of time-stamp authorities. */
import { X509Certificate } from 'node:crypto';
import type { CommitSigner } from '../../archive/log/commit-signer.js';
import { ed25519Verifier, type CommitVerifier } from '../../archive/log/commit-verifier.js';
import { ed25519Signer } from '../../archive/log/ed25519-signer.js';
import { UsageError } from '../../base/usage-error.js';
import { readGiven } from './given-file.js';

export interface SignerOptions {
  /** Whether the key may replace another one in the log. Default: false. */
  readonly mayReplaceKey?: boolean;
}

/**
 * Undefined where no file is named.
 *
 * @throws {UsageError} it has no Ed25519 private key, or `mayReplaceKey` is set without a key
 */
export async function readSigner(
  file: string | undefined,
  { mayReplaceKey = false }: SignerOptions = {},
): Promise<CommitSigner | undefined> {
  if (file === undefined) {
    if (!mayReplaceKey) return undefined;
    throw new UsageError('--change-signing-key needs the new key; give --signing-key');
  }
  const pem = await readGiven('--signing-key', file);
  return { ...ed25519Signer(pem.toString(), `--signing-key ${file}`), mayReplaceKey };
}

/** All certificates of the files. @throws {UsageError} a file has none */
export async function readCertificates(files: readonly string[]): Promise<X509Certificate[]> {
  const found = files.map(async (file) => {
    const pem = (await readGiven('--timestamp-ca', file)).toString();
    const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    try {
      if (blocks.length > 0) return blocks.map((block) => new X509Certificate(block));
    } catch {
      // told below
    }
    throw new UsageError(
      `--timestamp-ca ${file} has no certificate; allowed is a PEM file with certificates`,
    );
  });
  return (await Promise.all(found)).flat();
}

/** @throws {UsageError} an address is not one of HTTP */
export function timestampUrls(given: readonly string[] = []): URL[] {
  return given.map((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url && /^https?:$/.test(url.protocol)) return url;
    throw new UsageError('--timestamp-url must be an http:// or https:// URL');
  });
}

/** @throws {UsageError} a file has no Ed25519 public key */
export async function readVerifiers(files: readonly string[]): Promise<CommitVerifier[]> {
  return Promise.all(
    files.map(async (file) => {
      const pem = await readGiven('--public-key', file);
      return ed25519Verifier(pem.toString(), `--public-key ${file}`);
    }),
  );
}
