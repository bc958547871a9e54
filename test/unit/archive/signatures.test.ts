import { createPublicKey, verify as verifySignature } from 'node:crypto';
import { expect, it } from 'vitest';
import { archiveOf, type Archive } from '../../../src/archive/archive.js';
import { sealCommit } from '../../../src/archive/log/commit-reader.js';
import { type CommitSigner, ed25519Signer } from '../../../src/archive/log/signing.js';
import { ed25519Verifier } from '../../../src/archive/log/commit-verifier.js';
import type { Commit, Unsealed } from '../../../src/archive/log/commit.js';
import { commitPath } from '../../../src/archive/paths.js';
import { verifyArchive, type VerifyOptions } from '../../../src/archive/verify/verify.js';
import { canonicalJson, type Json } from '../../../src/base/text/canonical-json.js';
import { sha256Hex } from '../../../src/base/digest.js';
import { SigningKeyError } from '../../../src/archive/archive-errors.js';
import { UsageError } from '../../../src/base/error.js';
import {
  draft,
  job,
  makeArchive,
  reopened,
  seededRandom,
  session,
} from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import {
  ed25519Pair,
  startingSigner,
  encryptedKey,
  rsaPair,
} from '../../support/base/signing-keys.js';
import { fault } from '../../support/base/fault.js';

const pair = ed25519Pair();
const signer = startingSigner(pair.privateKey);
const verifier = ed25519Verifier(pair.publicKey);

/** Commits 1 and 2 without, 3 to 5 with a signature. */
async function signedArchive() {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  for (const base of [0, 1]) await appendTo(archive, base);
  const signing = signedWith(archive, signer);
  for (const base of [2, 3, 4]) await appendTo(signing, base);
  return { storage, archive: signing };
}

function signedWith(archive: Archive, by: CommitSigner): Archive {
  const clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };
  return archiveOf(archive.storage, archive.identity, {
    ...archive,
    clock,
    random: seededRandom(5),
    signer: by,
  });
}

async function appendTo(archive: Archive, base: number): Promise<Commit> {
  return archive.log.append(draft({ base, sessions: [session('u', `s${base}`)] }));
}

async function problemsOf(
  archive: Archive,
  options: Partial<VerifyOptions> = { publicKeys: [verifier] },
): Promise<string[]> {
  const report = await verifyArchive(reopened(archive), options);
  return report.problems.map(({ path, problem, detail }) => `${problem}: ${path} ${detail}`);
}

function unsealed(commit: Commit): Unsealed {
  const { digest, signature, signed_by: signedBy, ...body } = commit;
  expect([digest.length, typeof signature, typeof signedBy]).toContain(64);
  return body;
}

/** Rewrites commits from `from` on, each with a fitting digest and chain. */
async function rewriteFrom(archive: Archive, from: number, by?: CommitSigner): Promise<void> {
  const head = (await archive.log.head())?.number ?? 0;
  let previous = from === 1 ? null : (await archive.log.read(from - 1)).digest;
  for (let number = from; number <= head; number++) {
    const body = unsealed(await archive.log.read(number));
    const sealed = sealCommit({ ...body, tool: 'forger 1.0', previous }, by);
    await archive.storage.put(commitPath(number), sealed.bytes);
    previous = sealed.commit.digest;
  }
}

// I-13 in FORMAT.md
it('a signed commit can be checked with the public key and canonical JSON alone', async () => {
  const { storage } = await signedArchive();
  const { signature, digest, ...signed } = JSON.parse(
    Buffer.from(await storage.get(commitPath(3))).toString(),
  ) as Record<string, Json> & { signature: string };
  const bytes = Buffer.from(canonicalJson(signed));
  const key = createPublicKey(pair.publicKey);
  expect(verifySignature(null, bytes, key, Buffer.from(signature, 'base64'))).toBe(true);
  expect(signed['signed_by']).toBe(sha256Hex(key.export({ type: 'spki', format: 'der' })));
  expect(digest).toBe(sha256Hex(canonicalJson({ ...signed, signature })));
});

it('a signed commit is read like any other without a key', async () => {
  const { archive } = await signedArchive();
  expect(await problemsOf(archive, {})).toEqual([]);
  expect((await archive.log.head())?.number).toBe(5);
});

it('a signed commit is refused without signature or signer, even where the digest fits', async () => {
  const { storage, archive } = await signedArchive();
  const { digest, ...body } = await archive.log.read(5);
  expect(digest).toHaveLength(64);
  for (const half of [{ signature: null }, { signed_by: null }]) {
    const forged = { ...body, ...half };
    const sealed = { ...forged, digest: sha256Hex(canonicalJson(forged)) };
    storage.place.objects.set(commitPath(5), Buffer.from(`${JSON.stringify(sealed, null, 1)}\n`));
    expect(await problemsOf(archive, {})).toEqual([
      `unreadable: ${commitPath(5)} is damaged: it is not a valid commit`,
    ]);
  }
});

it('verifying with a public key accepts a log that is signed from some commit on', async () => {
  const { archive } = await signedArchive();
  expect(await problemsOf(archive)).toEqual([]);
});

it('a public key refuses a last commit that was rewritten with its digest and states', async () => {
  const { archive } = await signedArchive();
  await rewriteFrom(archive, 5);
  expect(await problemsOf(archive, {})).toEqual([]);
  expect(await problemsOf(archive)).toEqual([
    `signature: ${commitPath(5)} is not signed, though an earlier commit is`,
  ]);
});

it('verifying with a public key refuses what is signed with another key, and says with which', async () => {
  const { archive } = await signedArchive();
  const other = ed25519Signer(ed25519Pair().privateKey);
  await rewriteFrom(archive, 5, other);
  expect(await problemsOf(archive)).toEqual([
    `signature: ${commitPath(5)} is signed with another key, whose SHA-256 is ${other.publicKeyId}`,
  ]);
});

it('a public key refuses a signature under another content, though it names the right key', async () => {
  const { archive } = await signedArchive();
  const { signature } = await archive.log.read(5);
  await rewriteFrom(archive, 5, {
    publicKeyId: signer.publicKeyId,
    sign: () => signature ?? '',
  });
  expect(await problemsOf(archive)).toEqual([
    `signature: ${commitPath(5)} has an invalid signature`,
  ]);
});

it('verifying with a public key refuses a log from which every signature was taken', async () => {
  const { archive } = await signedArchive();
  await rewriteFrom(archive, 3);
  expect(await problemsOf(archive)).toEqual([
    `signature: ${commitPath(5)} is not signed, and neither is any earlier commit`,
  ]);
});

it('verifying with a public key refuses unsigned commits that are put behind signed ones', async () => {
  const { archive } = await signedArchive();
  const body = { ...unsealed(await archive.log.read(5)), number: 6 };
  const { digest: previous } = await archive.log.read(5);
  await archive.storage.put(commitPath(6), sealCommit({ ...body, previous }).bytes);
  expect(await problemsOf(archive)).toEqual([
    `signature: ${commitPath(6)} is not signed, though an earlier commit is`,
  ]);
});

it('verifying with a public key accepts a key and its successor together, and neither alone', async () => {
  const { archive } = await signedArchive();
  const next = ed25519Pair();
  const following = { ...ed25519Signer(next.privateKey), mayReplaceKey: true };
  await appendTo(signedWith(archive, following), 5);
  const successor = ed25519Verifier(next.publicKey);
  expect(await problemsOf(archive, { publicKeys: [verifier, successor] })).toEqual([]);
  expect(await problemsOf(archive, { publicKeys: [verifier] })).toHaveLength(1);
  expect(await problemsOf(archive, { publicKeys: [successor] })).toHaveLength(3);
});

// I-13 in FORMAT.md
it(
  'appending to a signed log without its key, or with another, writes nothing',
  fault('F-64'),
  async () => {
    const { storage, archive } = await signedArchive();
    const before = [...storage.place.objects];
    const other = ed25519Signer(ed25519Pair().privateKey);
    for (const [run, told] of [
      [reopened(archive), 'commit 5 of memory is signed, and this run has no key'],
      [signedWith(archive, other), `another key (SHA-256 ${other.publicKeyId}) than the one that`],
    ] as const) {
      const sessions = [session('u', 'late')];
      const late = draft({ base: 5, sessions, jobs: [job('u', 'late', 'j')] });
      await expect(run.log.append(late)).rejects.toThrow(told);
      await expect(run.log.append(late)).rejects.toThrow(SigningKeyError);
      await expect(run.log.assertMayAppend()).rejects.toThrow(told);
    }
    expect([...storage.place.objects]).toEqual(before);
    expect(storage.place.staged.size).toBe(0);
    expect((await appendTo(archive, 5)).number).toBe(6);
  },
);

it('appending is refused, too, where another run begins to sign while this one is at work', async () => {
  const archive = await makeArchive(createMemoryStorage());
  const unsigned = reopened(archive);
  await unsigned.log.assertMayAppend();
  await appendTo(signedWith(archive, signer), 0);
  await expect(appendTo(unsigned, 0)).rejects.toThrow('commit 1 of memory is signed');
});

it('appending takes a key that may replace the one before, and from then on only that one', async () => {
  const { archive } = await signedArchive();
  const next = ed25519Signer(ed25519Pair().privateKey);
  await appendTo(signedWith(archive, { ...next, mayReplaceKey: true }), 5);
  await appendTo(signedWith(archive, next), 6);
  await expect(appendTo(signedWith(archive, signer), 7)).rejects.toThrow('another key');
});

it('an expected head refuses a log whose tail was cut, and accepts one that has grown', async () => {
  const { storage, archive } = await signedArchive();
  const { digest } = await archive.log.read(5);
  const expectedHead = { number: 5, digest };
  expect(await problemsOf(archive, { expectedHead })).toEqual([]);
  await appendTo(archive, 5);
  expect(await problemsOf(archive, { expectedHead })).toEqual([]);
  for (const number of [5, 6]) await storage.delete(commitPath(number));
  expect(await problemsOf(archive)).toEqual([]);
  expect(await problemsOf(archive, { expectedHead })).toEqual([
    `head: ${commitPath(5)} is missing from the log, but was expected`,
  ]);
});

it('an expected head refuses another commit under its number, when its digest is known', async () => {
  const { archive } = await signedArchive();
  const { digest } = await archive.log.read(5);
  await rewriteFrom(archive, 5);
  expect(await problemsOf(archive, { expectedHead: { number: 5, digest: undefined } })).toEqual([]);
  const [problem] = await problemsOf(archive, { expectedHead: { number: 5, digest } });
  expect(problem).toMatch(
    /^head: .*5\.json is not the commit that was expected: its digest is [0-9a-f]{64}, and [0-9a-f]{64} was given$/,
  );
});

it('a signing key is an unencrypted private Ed25519 key; all else is refused in a sentence', () => {
  const wrong = [rsaPair().privateKey, encryptedKey(), pair.publicKey, 'no key', ''];
  for (const pem of wrong) {
    expect(() => ed25519Signer(pem, '--signing-key k.pem')).toThrow(
      new UsageError(
        '--signing-key k.pem holds no Ed25519 private key; allowed is one in PEM without a passphrase',
      ),
    );
  }
});

it('a key that verifies is an Ed25519 public key, and a private one is refused', () => {
  expect(() => ed25519Verifier(pair.privateKey)).toThrow(/^the public key holds a private key;/);
  for (const pem of [rsaPair().publicKey, 'no key', '']) {
    expect(() => ed25519Verifier(pem)).toThrow('holds no Ed25519 public key');
  }
});
