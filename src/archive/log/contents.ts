/** What the archive holds as of a commit: everything that was named so far, less what was removed (I-21 in FORMAT.md). */
import type { Commit, ArtifactEntry, FileEntry } from './commit.js';
import { companionPath } from '../paths.js';

export interface Contents {
  /** Part files and workbooks by path. */
  readonly files: ReadonlyMap<string, FileEntry>;
  /** By path. */
  readonly artifacts: ReadonlyMap<string, ArtifactEntry>;
  /** Paths that were in the archive and are no more. */
  readonly removed: ReadonlySet<string>;
  /** Paths of the commits' lists of jobs. */
  readonly companions: ReadonlySet<string>;
}

/** Takes in commits from the first one on, in order. */
export class GrowingContents implements Contents {
  readonly files = new Map<string, FileEntry>();
  readonly artifacts = new Map<string, ArtifactEntry>();
  readonly removed = new Set<string>();
  readonly companions = new Set<string>();

  add(commit: Pick<Commit, 'removed' | 'files' | 'artifacts' | 'jobs' | 'erasure'>): void {
    if (commit.jobs) this.companions.add(commit.jobs.path);
    if (commit.erasure?.stage === 'begun') {
      // published a moment before the commit that names it
      for (const { number, jobs_sha256: sha256 } of commit.erasure.commits) {
        if (sha256 !== null) this.companions.add(companionPath(number, sha256));
      }
    }
    for (const path of commit.removed) {
      this.removed.add(path);
      this.files.delete(path);
      this.artifacts.delete(path);
    }
    for (const file of commit.files) this.files.set(file.path, file);
    for (const artifact of commit.artifacts) this.artifacts.set(artifact.path, artifact);
  }
}
