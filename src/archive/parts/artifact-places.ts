/**
 * Where artifacts lie (I-23 in FORMAT.md). The path of an artifact tells the newest erasure that its writer knew of. An erasure
 * removes only what lay there before its receipt stood; a writer that has read the receipt writes under another
 * path, and of everybody else the log refuses the commit. So a file that a commit names is never removed:
 * not by a lost lease, nor by a delete that arrives late.
 */
import { artifactPath, erasureKnownTo, isArtifactPath } from '../paths.js';
import type { Archive } from '../archive.js';

type Indexed = Pick<Archive, 'index'>;

/** Where a new artifact goes. */
export function newArtifactPath({ index }: Indexed, sha256: string, extension: string): string {
  return artifactPath(sha256, extension, index.lastErasure);
}

/** Where these bytes are archived already; undefined, too, while it is open what an erasure leaves. */
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

/** Whether no commit names the artifact and none can: its writer did not know of the newest erasure. */
export function isUselessArtifact({ index }: Indexed, path: string): boolean {
  if (!isArtifactPath(path) || index.contents.artifacts.has(path)) return false;
  return erasureKnownTo(path) < index.lastErasure;
}

/** What runs that an erasure has overtaken had published and never committed. */
export async function uselessArtifacts(
  archive: Pick<Archive, 'storage' | 'index'>,
): Promise<string[]> {
  const useless: string[] = [];
  if (archive.index.lastErasure === 0) return useless;
  for await (const { path } of archive.storage.list('artifacts/')) {
    if (isUselessArtifact(archive, path)) useless.push(path);
  }
  return useless;
}
