/** Reads keys that sign commits and keys that verify signatures: PEM files. */
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

/** @throws {UsageError} a file has no Ed25519 public key */
export async function readVerifiers(files: readonly string[]): Promise<CommitVerifier[]> {
  return Promise.all(
    files.map(async (file) => {
      const pem = await readGiven('--public-key', file);
      return ed25519Verifier(pem.toString(), `--public-key ${file}`);
    }),
  );
}
