import type { ArtifactStatus } from '../model/artifact-status.js';

/** The facts about a block's file once it is settled. */
export interface FileFacts {
  readonly status: ArtifactStatus;
  /** One short sentence; null when stored. */
  readonly reason: string | null;
  /** Present when, and only when, the status is `stored`. */
  readonly stored?: StoredFacts;
}

export interface StoredFacts {
  /** In the archive, beginning with `artifacts/`. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly mediaType: string;
  /** Why its content is doubtful, in a few words; null where it is not. */
  readonly suspicious: string | null;
  readonly rowCount: number | null;
  readonly columnCount: number | null;
  readonly width: number | null;
  readonly height: number | null;
}

/** Whether the file is stored, and its content is doubtful. */
export function isSuspicious({ stored }: FileFacts): boolean {
  return stored !== undefined && stored.suspicious !== null;
}
