/** The SHA-256 of every object that the newest commit makes part of the archive: content, manifests, the log, the identity, time stamps. */
import { sha256Hex } from '../../base/digest.js';
import { readAhead } from '../../base/concurrently.js';
import type { Archive } from '../archive.js';
import { assertErasuresFinished } from '../erasing/erasures.js';
import { readConsistently } from '../consistent-read.js';
import { retryOnRewrite } from '../retry-on-rewrite.js';
import { NamedArtifacts } from './named-artifacts.js';
import {
  ARTIFACTS_PREFIX,
  commitPath,
  IDENTITY_PATH,
  stampedCommitOf,
  TIMESTAMPS_PREFIX,
} from '../paths.js';

/** Commits read at a time. */
const READ_AHEAD = 8;

export interface ObjectChecksum {
  readonly path: string;
  /** For content and manifests the one that the log or a row has; the object itself is not read. */
  readonly sha256: string;
}

/**
 * Ordered by path, as of the newest commit when it begins. Caches, leases and what a rewrite has replaced are not part of
 * the archive.
 *
 * @throws {ErasureUnfinishedError} the log is half redacted
 * @throws {RewrittenMeanwhileError} the archive was rewritten during every attempt
 * @throws {IntegrityError}
 */
export async function* archiveChecksums(
  archive: Archive,
  signal?: AbortSignal,
): AsyncGenerator<ObjectChecksum> {
  await using artifacts = await retryOnRewrite(() =>
    readConsistently(archive, 'list of checksums', () => readAll(archive, signal)),
  );
  const { sums, named } = artifacts;
  const before = sums.findIndex(({ path }) => path > ARTIFACTS_PREFIX);
  yield* sums.slice(0, before);
  for await (const { path, sha256 } of named) yield { path, sha256 };
  yield* sums.slice(before);
}

async function readAll(archive: Archive, signal: AbortSignal | undefined) {
  const sums = await checksumsNow(archive, signal);
  const files = archive.index.contents.files.values();
  const named = await NamedArtifacts.read(archive, { files, signal });
  const readings = { sums, named, [Symbol.asyncDispose]: () => named[Symbol.asyncDispose]() };
  try {
    named.assertWhole();
    return readings;
  } catch (error) {
    await named[Symbol.asyncDispose]();
    throw error;
  }
}

/** The checksums of all objects but artifacts. */
async function checksumsNow(archive: Archive, signal?: AbortSignal): Promise<ObjectChecksum[]> {
  const { index, storage } = archive;
  await assertErasuresFinished(archive);
  const { files, manifests } = index.contents;
  const sums: ObjectChecksum[] = [];
  for (const entries of [files, manifests]) {
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
