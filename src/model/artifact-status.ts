/** What became of a file that a record points to. Everything but `stored` is a gap. */
export type ArtifactStatus =
  | 'stored'
  | 'expired'
  | 'missing'
  | 'rejected'
  | 'unresolved'
  | 'failed'
  /** Seen, and not one that jobvault fetches: see `file-references.ts`. */
  | 'not_fetched';
