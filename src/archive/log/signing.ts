/** Signs commits with an Ed25519 key in PEM. Source: RFC 8032, RFC 8410 */
import { createPrivateKey, createPublicKey, sign, type KeyObject, verify } from 'node:crypto';
import { sha256Hex } from '../../base/digest.js';
import { UsageError } from '../../base/error.js';
import { canonicalJson } from '../../base/text/parse-json.js';
import type { Commit } from './commit.js';
import { SigningKeyError, SigningStartError } from '../archive-errors.js';

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
function publicKeyIdOf(key: PublicKey): string {
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

/** The bytes that a commit's signature covers: canonical JSON without signature and digest. */

export function signedBytesOf(commit: Omit<Commit, 'signature' | 'digest'>): Uint8Array {
  return Buffer.from(canonicalJson({ ...commit, signature: undefined, digest: undefined }));
}

/** Checks whether a commit was signed with the private half of a known key. */

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

/** Checks that a run may sign as it would: the first signature binds every later commit (I-13 in FORMAT.md), so it is never made without a word. */

export class SigningRule {
  /** The newest signed commit that was read. */
  #newest: { readonly number: number; readonly signedBy: string } | undefined;
  readonly #signer: CommitSigner | undefined;
  /** Of the archive, for messages. */
  readonly #location: string;

  constructor(signer: CommitSigner | undefined, location: string) {
    this.#signer = signer;
    this.#location = location;
  }

  /** Notes who signed a commit. Commits may come in any order. */
  learn({ number, signed_by: signedBy }: Pick<Commit, 'number' | 'signed_by'>): void {
    if (signedBy === null || number < (this.#newest?.number ?? 0)) return;
    this.#newest = { number, signedBy };
  }

  /** @throws {SigningStartError} a key is given, and may not begin to sign */
  async assertMayBegin(): Promise<void> {
    if (!this.#signer) return;
    const { mayStart = false } = this.#signer;
    if (mayStart === true) return;
    if (mayStart === false) throw new SigningStartError(this.#location, false);
    if (!(await mayStart())) throw new SigningStartError(this.#location, true);
  }

  /** @throws {SigningKeyError} `verify` would refuse the commit of this run @throws {SigningStartError} as `assertMayBegin` */
  async assertMayAppend(): Promise<void> {
    if (!this.#newest) {
      await this.assertMayBegin();
      return;
    }
    const { number, signedBy } = this.#newest;
    if (!this.#signer) {
      throw new SigningKeyError(
        `commit ${number} of ${this.#location} is signed, and this run has no key: pass --signing-key`,
      );
    }
    const { publicKeyId, mayReplaceKey = false } = this.#signer;
    if (publicKeyId === signedBy || mayReplaceKey) return;
    throw new SigningKeyError(
      `--signing-key has another key (SHA-256 ${publicKeyId}) than the one that signed commit ${number} of ${this.#location} (${signedBy}): pass that key, or change the key with export --change-signing-key`,
    );
  }
}
