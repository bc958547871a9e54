/** Signs commits with an Ed25519 key in PEM. Source: RFC 8032, RFC 8410 */
import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { sha256Hex } from '../../base/digest.js';
import { UsageError } from '../../base/error.js';

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
  const publicKey = createPublicKey(key);
  return {
    publicKeyId: publicKeyIdOf(publicKey),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
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

/** Signs commits. The private key stays with the code that made the signer. */
export interface CommitSigner {
  /** SHA-256 of the public key (DER, SubjectPublicKeyInfo), in lower-case hexadecimal. */
  readonly publicKeyId: string;
  /** PEM, SubjectPublicKeyInfo: packs have it. Default: they have none. */
  readonly publicKey?: string | undefined;
  /** Whether this key may replace another key of the log. Default false: a different key is an error. */
  readonly mayReplaceKey?: boolean;
  /**
   * Whether this key may sign a log that nobody has signed, which binds every later run to it. A function is asked before
   * anything is written, perhaps more than once. Default false: such a log is an error.
   */
  readonly mayStart?: boolean | (() => Promise<boolean>);
  /** Ed25519 over the bytes, in base64. */
  sign(bytes: Uint8Array): string;
}
