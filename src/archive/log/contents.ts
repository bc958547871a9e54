/** The contents of the archive as of a commit: everything that was named so far, without what was removed. */
import type { Commit, ArtifactEntry, FileEntry, JobsEntry } from './commit.js';
import { manifestPath } from '../paths.js';

export interface Contents {
  /** Part files and workbooks by path. */
  readonly files: ReadonlyMap<string, FileEntry>;
  /** By path. */
  readonly artifacts: ReadonlyMap<string, ArtifactEntry>;
  /** Paths that commits have removed, with the time of the last removal in milliseconds since 1970 UTC. */
  readonly removed: ReadonlyMap<string, number>;
  /** Jobs manifests by path; null for one that an erasure is about to put in place. */
  readonly manifests: ReadonlyMap<string, JobsEntry | null>;
}

/** Computes the contents. Commits are added in order, from the first one on. */
export class ContentsBuilder implements Contents {
  readonly files = new Map<string, FileEntry>();
  readonly artifacts = new Map<string, ArtifactEntry>();
  readonly removed = new Map<string, number>();
  readonly manifests = new Map<string, JobsEntry | null>();

  add(commit: Commit): void {
    if (commit.jobs) this.manifests.set(commit.jobs.path, commit.jobs);
    if (commit.erasure?.stage === 'begun') {
      // published shortly before the redacted commit that names it
      for (const { number, jobs_sha256: sha256 } of commit.erasure.commits) {
        const path = sha256 === null ? undefined : manifestPath(number, sha256);
        if (path !== undefined && !this.manifests.has(path)) this.manifests.set(path, null);
      }
    }
    const removedAtMs = Date.parse(commit.created_at);
    for (const path of commit.removed) {
      this.removed.set(path, removedAtMs);
      this.files.delete(path);
      this.artifacts.delete(path);
    }
    for (const file of commit.files) this.files.set(file.path, file);
    for (const artifact of commit.artifacts) this.artifacts.set(artifact.path, artifact);
  }
}
