/** Signs commits. The private key stays with the code that made the signer. */
export interface CommitSigner {
  /** SHA-256 of the public key (DER, SubjectPublicKeyInfo), in lower-case hexadecimal. */
  readonly publicKeyId: string;
  /** Whether it may follow on another key in the log; default false: then it is taken for a mistake. */
  readonly mayReplaceKey?: boolean;
  /** Ed25519 over the bytes, in base64. */
  sign(bytes: Uint8Array): string;
}
