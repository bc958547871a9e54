/** The SHA-256 of every object that the newest commit makes part of the archive: content, manifests, the log, the identity, time stamps. */
import { sha256Hex } from '../base/digest.js';
import { readAhead } from '../base/concurrently.js';
import type { Archive } from './archive.js';
import { assertErasuresFinished } from './erasures.js';
import { readConsistently } from './consistent-read.js';
import { retryOnRewrite } from './retry-on-rewrite.js';
import { commitPath, IDENTITY_PATH, stampedCommitOf, TIMESTAMPS_PREFIX } from './paths.js';

/** Commits read at a time. */
const READ_AHEAD = 8;

export interface ObjectChecksum {
  readonly path: string;
  /** For content and manifests the one in the log; the object itself is not read. */
  readonly sha256: string;
}

/**
 * Ordered by path. Caches, leases and what a rewrite has replaced are not part of the archive.
 *
 * @throws {ErasureUnfinishedError} the log is half redacted
 * @throws {RewrittenMeanwhileError} the archive was rewritten during every attempt
 * @throws {IntegrityError}
 */
export async function archiveChecksums(
  archive: Archive,
  signal?: AbortSignal,
): Promise<ObjectChecksum[]> {
  return retryOnRewrite(() =>
    readConsistently(archive, 'list of checksums', () => checksumsNow(archive, signal)),
  );
}

async function checksumsNow(archive: Archive, signal?: AbortSignal): Promise<ObjectChecksum[]> {
  const { index, storage } = archive;
  await assertErasuresFinished(archive);
  const { files, artifacts, manifests } = index.contents;
  const sums: ObjectChecksum[] = [];
  for (const entries of [files, artifacts, manifests]) {
    for (const entry of entries.values()) {
      if (entry) sums.push({ path: entry.path, sha256: entry.sha256 });
    }
  }
  const { through } = index;
  const read = [IDENTITY_PATH, ...Array.from({ length: through }, (_, n) => commitPath(n + 1))];
  for await (const { path } of storage.list(TIMESTAMPS_PREFIX)) {
    if ((stampedCommitOf(path) ?? Infinity) <= through) read.push(path);
  }
  const hashing = readAhead(read, READ_AHEAD, async (path) => {
    signal?.throwIfAborted();
    return { path, sha256: sha256Hex(await storage.get(path)) };
  });
  for await (const sum of hashing) sums.push(sum);
  return sums.sort((a, b) => (a.path < b.path ? -1 : 1));
}
