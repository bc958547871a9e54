/**
 * Encodes, decodes and reads commits. Each has exactly one spelling, so that any changed bit is noticed (I-11 to I-14 in
 * FORMAT.md). A redacted commit is accepted only if the receipt of its erasure vouches for it (I-40).
 */
import { sha256Hex } from '../../base/digest.js';
import { readerBy } from '../../base/read-by-schema.js';
import { kindProblem } from './commit-kinds.js';
import { type Commit, commitSchema, unsealedSchema, type Unsealed } from './commit.js';
import { IntegrityError } from '../archive-errors.js';
import { commitPath } from '../paths.js';
import { parseJson } from '../../base/text/parse-json.js';
import { canonicalJson } from '../../base/text/canonical-json.js';
import { type CommitSigner } from './signing.js';
import { signedBytesOf } from './signed-bytes.js';

const readCommit = readerBy(commitSchema);

/** Encodes and decodes commits. Each commit has exactly one spelling, so that any changed bit is noticed (I-11 to I-14 in FORMAT.md). */
export interface SealedCommit {
  readonly commit: Commit;
  readonly bytes: Uint8Array;
}

/** Adds signature and digest. Throws on an invalid commit, which is a bug. */
export function sealCommit(unsealed: Unsealed, signer?: CommitSigner): SealedCommit {
  const checked = unsealedSchema.parse(unsealed);
  const problem = kindProblem(checked);
  if (problem !== undefined) throw new Error(problem);
  const signed = { ...checked, signed_by: signer?.publicKeyId ?? null };
  const body = { ...signed, signature: signer?.sign(signedBytesOf(signed)) ?? null };
  const commit = { ...body, digest: sha256Hex(canonicalJson(body)) };
  return { commit, bytes: bytesOf(commit) };
}

/** Encodes a commit as it was read, or as an erasure redacts it: it keeps its original digest, so that the chain holds. */
export function encodeCommit(commit: Commit): Uint8Array {
  return bytesOf(commitSchema.parse(commit));
}

/**
 * Reads the commit at a number. One with `redacted_by` proves nothing by itself: see
 * `CommitReader`.
 *
 * @throws {IntegrityError} the bytes are not exactly what `sealCommit` makes for this number
 */
export function decodeCommit(number: number, bytes: Uint8Array): Commit {
  const path = commitPath(number);
  let commit;
  try {
    commit = readCommit(parseJson(Buffer.from(bytes).toString()));
  } catch (cause) {
    throw new IntegrityError(path, 'unreadable', 'is damaged: it is not a valid commit', {
      cause,
    });
  }
  if (!bytesOf(commit).equals(bytes)) {
    throw new IntegrityError(
      path,
      'unreadable',
      'is damaged: its bytes are not as they were written',
    );
  }
  const { digest, redacted_by: redactedBy, ...body } = commit;
  if (redactedBy === undefined && sha256Hex(canonicalJson(body)) !== digest) {
    throw new IntegrityError(path, 'digest', 'is damaged: its digest does not match its content');
  }
  if (commit.number !== number) {
    throw new IntegrityError(path, 'chain', `contains commit ${commit.number}`);
  }
  return commit;
}

function bytesOf(commit: Commit): Buffer {
  return Buffer.from(`${JSON.stringify(commit, null, 1)}\n`);
}
