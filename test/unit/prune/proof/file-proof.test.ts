import { expect, it } from 'vitest';
import { FileProof } from '../../../../src/prune/proof/file-proof.js';
import { artifactFor } from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

const { path, content, entry } = artifactFor('a,b\n1,2\n');
const { signal } = new AbortController();

async function proofOf(bytes: Uint8Array | undefined) {
  const storage = createMemoryStorage();
  if (bytes) await storage.put(path, bytes);
  return { storage, proof: new FileProof(storage) };
}

it('a file that a deletion rests on is right where it has the bytes of the log', async () => {
  const { proof } = await proofOf(content);
  expect(await proof.problemOf(entry, signal)).toBeUndefined();
});

it.each([
  ['is missing', undefined, /^is missing$/],
  ['is shorter', content.subarray(1), /^has 7 bytes instead of 8$/],
  ['has other bytes', Buffer.from('a,b\n1,3\n'), /SHA-256/],
])('a file that a deletion rests on is wrong where it %s', async (_, bytes, problem) => {
  const { proof } = await proofOf(bytes);
  expect(await proof.problemOf(entry, signal)).toMatch(problem);
});

it('a file that a deletion rests on is read once, however many sessions need it', async () => {
  const { storage, proof } = await proofOf(content);
  await Promise.all([proof.problemOf(entry, signal), proof.problemOf(entry, signal)]);
  await proof.problemOf(entry, signal);
  expect(storage.calls.get(`read ${path}`)).toBe(1);
});

it('a file that a deletion rests on is read again where it could not be read to its end', async () => {
  const { storage, proof } = await proofOf(content);
  const failure = new Error('no connection');
  const read = storage.read.bind(storage);
  storage.read = () => {
    throw failure;
  };
  await expect(proof.problemOf(entry, signal)).rejects.toBe(failure);
  storage.read = read;
  expect(await proof.problemOf(entry, signal)).toBeUndefined();
});
