/** The contents of the archive as of a commit: everything that was named so far, without what was removed. Artifacts are named by rows: see `../named-artifacts.ts`. */
import type { CommitKind } from './commit-kinds.js';
import type { Commit, FileEntry } from './commit.js';
import { MANIFESTS, type ManifestEntry } from './manifest.js';
import { manifestPath } from '../paths.js';

export interface Contents {
  /** Part files by path. */
  readonly files: ReadonlyMap<string, FileEntry>;
  /** Paths that commits have removed, with the time of the last removal in milliseconds since 1970 UTC. */
  readonly removed: ReadonlyMap<string, number>;
  /** Manifests by path; null for one that an erasure is about to put in place. */
  readonly manifests: ReadonlyMap<string, ManifestEntry | null>;
}

/** Part files that a commit names, and paths that it removes. */
export interface FileChanges {
  /** The number of the commit. */
  readonly number: number;
  readonly kind: CommitKind;
  /** The time of the commit, but never before an earlier commit. */
  readonly atMs: number;
  readonly files: readonly FileEntry[];
  readonly removed: readonly string[];
}

/** Computes the contents. Commits are added in order, from the first one on. */
export class ContentsBuilder implements Contents {
  readonly files: Map<string, FileEntry>;
  readonly removed: Map<string, number>;
  readonly manifests: Map<string, ManifestEntry | null>;

  /** @param known as of the commit before the first one that is added; default: nothing */
  constructor(known?: Contents) {
    this.files = new Map(known?.files);
    this.removed = new Map(known?.removed);
    this.manifests = new Map(known?.manifests);
  }

  add(commit: Commit): void {
    for (const name of MANIFESTS) {
      const entry = commit[name];
      if (entry) this.manifests.set(entry.path, entry);
    }
    for (const path of vouchedManifests(commit)) {
      if (!this.manifests.has(path)) this.manifests.set(path, null);
    }
    const removedAtMs = Date.parse(commit.created_at);
    for (const path of commit.removed) {
      this.removed.set(path, removedAtMs);
      this.files.delete(path);
    }
    for (const file of commit.files) this.files.set(file.path, file);
  }
}

/** Manifests that a receipt vouches for: each is published shortly before the redacted commit that names it. */
export function* vouchedManifests({ erasure }: Commit): Generator<string> {
  if (erasure?.stage !== 'begun') return;
  for (const redacted of erasure.commits) {
    for (const name of MANIFESTS) {
      const sha256 = redacted[`${name}_sha256`];
      if (sha256 !== null) yield manifestPath(name, redacted.number, sha256);
    }
  }
}
