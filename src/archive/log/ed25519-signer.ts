/** Signs commits with an Ed25519 key in PEM. Source: RFC 8032, RFC 8410 */
import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { sha256Hex } from '../../base/digest.js';
import { UsageError } from '../../base/usage-error.js';
import type { CommitSigner } from './commit-signer.js';

/**
 * @param pem an unencrypted private key: what `openssl genpkey -algorithm ed25519` writes
 * @param what names the key in errors: `--signing-key key.pem`
 * @throws {UsageError} it is not an Ed25519 private key; the message contains nothing of it
 */
export function ed25519Signer(pem: string, what = 'the signing key'): CommitSigner {
  const key = privateKeyIn(pem);
  if (key?.asymmetricKeyType !== 'ed25519') {
    throw new UsageError(
      `${what} holds no Ed25519 private key; allowed is one in PEM without a passphrase`,
    );
  }
  return {
    publicKeyId: publicKeyIdOf(createPublicKey(key)),
    sign: (bytes) => sign(null, bytes, key).toString('base64'),
  };
}

interface PublicKey {
  export(options: { readonly type: 'spki'; readonly format: 'der' }): Uint8Array;
}

/** SHA-256 of the public key's DER (SubjectPublicKeyInfo), in lower-case hexadecimal. */
export function publicKeyIdOf(key: PublicKey): string {
  return sha256Hex(key.export({ type: 'spki', format: 'der' }));
}

/** The error of OpenSSL is dropped: it could quote the file. */
function privateKeyIn(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey({ key: pem, format: 'pem' });
  } catch {
    return undefined;
  }
}
