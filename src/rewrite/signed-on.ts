import type { Archive } from '../archive/archive.js';
import type { CommitSigner } from '../archive/commit-signer.js';
import { UsageError } from '../base/usage-error.js';

/**
 * Once signing has begun, every commit must be signed: one that is not would fail `verify` for good.
 *
 * @throws {UsageError} the newest commit is signed, and nobody would sign the next one
 * @throws {IntegrityError} the newest commit is damaged
 */
export async function assertSignedOn(
  { log, storage }: Archive,
  signer: CommitSigner | undefined,
): Promise<void> {
  const head = await log.head();
  if (!head || signer) return;
  const { signed_by: signedBy } = await log.read(head.number);
  if (signedBy === null) return;
  throw new UsageError(`the log of ${storage.location} is signed: give --signing-key`);
}
