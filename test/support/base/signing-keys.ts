/** Key pairs for tests of signed commits, as PEM. */
import { generateKeyPairSync } from 'node:crypto';
import { ed25519Signer, type CommitSigner } from '../../../src/archive/log/signing.js';

export interface PemPair {
  readonly privateKey: string;
  readonly publicKey: string;
}

export function ed25519Pair(): PemPair {
  return generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}

/** A key that may make the first signature of a log. */
export function startingSigner(pem: string): CommitSigner {
  return { ...ed25519Signer(pem), mayStart: true };
}

export function rsaPair(): PemPair {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}

/** An Ed25519 private key behind a passphrase. */
export function encryptedKey(): string {
  return generateKeyPairSync('ed25519', {
    privateKeyEncoding: {
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'secret words',
    },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
}
