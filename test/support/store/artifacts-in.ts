/** The artifacts that rows of an archive name, by path. */
import type { Archive } from '../../../src/archive/archive.js';
import {
  NamedArtifacts,
  type NamedArtifact,
} from '../../../src/archive/objects/named-artifacts.js';

export async function artifactsIn(archive: Archive): Promise<Map<string, NamedArtifact>> {
  await archive.index.refresh();
  const files = archive.index.contents.files.values();
  await using named = await NamedArtifacts.read(archive, { files });
  named.assertWhole();
  const found = new Map<string, NamedArtifact>();
  for await (const artifact of named) found.set(artifact.path, artifact);
  return found;
}
