/** What is kept of each row until the pack's pages are written: plain JSON, times as ISO 8601. */

/** Where a row was read. */
export interface Origin {
  /** The part file in the archive. */
  readonly path: string;
  /** The commit that names it. */
  readonly commit: number;
  readonly exportedAt: string | null;
}

export interface SessionFact extends Origin {
  readonly kind: 'session';
  readonly version: number;
  readonly name: string | null;
  readonly createdAt: string | null;
}

export interface JobFact extends Origin {
  readonly kind: 'job';
  readonly version: number;
  readonly question: string | null;
  readonly answer: string | null;
  readonly createdAt: string | null;
}

/** A job's record, which is in the pack already. */
export interface RecordFact extends Origin {
  readonly kind: 'record';
  readonly version: number;
  readonly packPath: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface ArtifactFact extends Origin {
  readonly kind: 'artifact';
  /** Of the job. */
  readonly version: number;
  readonly role: string | null;
  readonly block: number;
  /** Within the block. */
  readonly file_index: number;
  /** As in `artifacts.kind`. */
  readonly type: string | null;
  readonly name: string | null;
  /** Without its query. */
  readonly url: string | null;
  readonly status: string | null;
  /** Why it is not stored, or what is doubtful about it; null where neither is so. */
  readonly reason: string | null;
  readonly mediaType: string | null;
  /** Null where the file is not stored. */
  readonly file: { readonly path: string; readonly sha256: string; readonly bytes: number } | null;
}

export type Fact = SessionFact | JobFact | RecordFact | ArtifactFact;
