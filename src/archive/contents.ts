/** What the archive holds as of a commit: everything that was named so far, less what was removed. */
import type { Commit, ArtifactEntry, FileEntry } from './commit.js';

export interface Contents {
  /** Part files and workbooks by path. */
  readonly files: ReadonlyMap<string, FileEntry>;
  /** By path. */
  readonly artifacts: ReadonlyMap<string, ArtifactEntry>;
}

/** Takes in commits from the first one on, in order. */
export class GrowingContents implements Contents {
  readonly files = new Map<string, FileEntry>();
  readonly artifacts = new Map<string, ArtifactEntry>();

  add(commit: Pick<Commit, 'removed' | 'files' | 'artifacts'>): void {
    for (const path of commit.removed) {
      this.files.delete(path);
      this.artifacts.delete(path);
    }
    for (const file of commit.files) this.files.set(file.path, file);
    for (const artifact of commit.artifacts) this.artifacts.set(artifact.path, artifact);
  }
}
