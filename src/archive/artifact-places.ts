/**
 * Chooses the paths of artifacts (I-23 in FORMAT.md). The path has the number of the newest erasure that its writer
 * has read. An erasure removes only artifacts from before its receipt. A writer that has read the receipt uses another
 * path, and the log refuses the commits of all others. So a file that a commit names is never removed, not even after
 * a lost lease or by a late delete.
 */
import { artifactPath, erasureKnownTo, isArtifactPath } from './paths.js';
import type { Archive } from './archive.js';

type Indexed = Pick<Archive, 'index'>;

/** Path of a new artifact. */
export function newArtifactPath({ index }: Indexed, sha256: string, extension: string): string {
  return artifactPath(sha256, extension, index.lastErasure);
}

/** Path at which these bytes are archived already. Undefined if they are not, and while an erasure is open. */
export function archivedArtifact(
  { index }: Indexed,
  sha256: string,
  extension: string,
): string | undefined {
  if (index.openErasures.size > 0) return undefined;
  return [0, ...index.erasures]
    .map((erasure) => artifactPath(sha256, extension, erasure))
    .find((path) => index.contents.artifacts.has(path));
}

/** Whether no commit names the artifact and none can: its writer had not read the newest erasure. */
export function isUselessArtifact({ index }: Indexed, path: string): boolean {
  if (!isArtifactPath(path) || index.contents.artifacts.has(path)) return false;
  return erasureKnownTo(path) < index.lastErasure;
}

/** Artifacts that were published before an erasure and can never be committed. None while one is open, which deletes its own. */
export async function uselessArtifacts(
  archive: Pick<Archive, 'storage' | 'index'>,
): Promise<string[]> {
  const useless: string[] = [];
  const { lastErasure, openErasures } = archive.index;
  if (lastErasure === 0 || openErasures.size > 0) return useless;
  for await (const { path } of archive.storage.list('artifacts/')) {
    if (isUselessArtifact(archive, path)) useless.push(path);
  }
  return useless;
}
