/** Signs commits. The private key stays with the code that made the signer. */
export interface CommitSigner {
  /** SHA-256 of the public key (DER, SubjectPublicKeyInfo), in lower-case hexadecimal. */
  readonly publicKeyId: string;
  /** Whether this key may replace another key of the log. Default false: a different key is an error. */
  readonly mayReplaceKey?: boolean;
  /** Ed25519 over the bytes, in base64. */
  sign(bytes: Uint8Array): string;
}
