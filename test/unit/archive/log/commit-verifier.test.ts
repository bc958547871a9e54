import { expect, it } from 'vitest';
import { ed25519Verifier } from '../../../../src/archive/log/commit-verifier.js';
import { archiveOf } from '../../../../src/archive/archive.js';
import { UsageError } from '../../../../src/base/error.js';
import { draft, makeArchive, seededRandom } from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { ed25519Pair, startingSigner, rsaPair } from '../../../support/base/signing-keys.js';

const pair = ed25519Pair();
const verifier = ed25519Verifier(pair.publicKey);
const clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };

async function signedCommit() {
  const { storage, identity } = await makeArchive(createMemoryStorage());
  const signer = startingSigner(pair.privateKey);
  return archiveOf(storage, identity, { clock, random: seededRandom(1), signer }).log.append(
    draft(),
  );
}

it('a public key has signed what its private half has signed, and nothing else', async () => {
  const commit = await signedCommit();
  expect(verifier.hasSigned(commit)).toBe(true);
  expect(verifier.hasSigned({ ...commit, checkpoint: 2 })).toBe(false);
  expect(verifier.hasSigned({ ...commit, signature: null })).toBe(false);
  expect(verifier.hasSigned({ ...commit, signed_by: null })).toBe(false);
  expect(ed25519Verifier(ed25519Pair().publicKey).hasSigned(commit)).toBe(false);
});

it.each([
  [
    'a private key',
    pair.privateKey,
    '--public-key k holds a private key; allowed is the public half',
  ],
  ['an RSA key', rsaPair().publicKey, '--public-key k holds no Ed25519 public key'],
  ['no key', 'no PEM', '--public-key k holds no Ed25519 public key'],
])('a public key is not %s', (_what, pem, why) => {
  expect(() => ed25519Verifier(pem, '--public-key k')).toThrow(UsageError);
  expect(() => ed25519Verifier(pem, '--public-key k')).toThrow(why);
});
