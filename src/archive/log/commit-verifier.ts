/** Checks whether a commit was signed with the private half of a known key. */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { UsageError } from '../../base/error.js';
import type { Commit } from './commit.js';
import { publicKeyIdOf } from './signing.js';
import { signedBytesOf } from './signed-bytes.js';

export interface CommitVerifier {
  /** SHA-256 of the public key (DER, SubjectPublicKeyInfo), in lower-case hexadecimal. */
  readonly publicKeyId: string;
  /** Whether the commit has a valid signature of this key; false if it is not signed. */
  hasSigned(commit: Commit): boolean;
}

/**
 * @param pem an Ed25519 public key: what `openssl pkey -in key.pem -pubout` writes
 * @param what names the key in errors: `--public-key public.pem`
 * @throws {UsageError} it is not an Ed25519 public key
 */
export function ed25519Verifier(pem: string, what = 'the public key'): CommitVerifier {
  // a private key would work as well, but verifying should not need one
  if (pem.includes('PRIVATE KEY-----')) {
    throw new UsageError(
      `${what} holds a private key; allowed is the public half: openssl pkey -in … -pubout`,
    );
  }
  const key = publicKeyIn(pem);
  if (key?.asymmetricKeyType !== 'ed25519') {
    throw new UsageError(`${what} holds no Ed25519 public key; allowed is one in PEM`);
  }
  const publicKeyId = publicKeyIdOf(key);
  return {
    publicKeyId,
    hasSigned: (commit) =>
      commit.signed_by === publicKeyId &&
      commit.signature !== null &&
      verify(null, signedBytesOf(commit), key, Buffer.from(commit.signature, 'base64')),
  };
}

function publicKeyIn(pem: string): KeyObject | undefined {
  try {
    return createPublicKey({ key: pem, format: 'pem' });
  } catch {
    return undefined;
  }
}
