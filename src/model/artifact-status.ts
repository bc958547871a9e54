/** What became of a file behind a TABLE or IMAGE block. Everything but `stored` is a gap. Source: design.md, section 4. */
export type ArtifactStatus =
  'stored' | 'expired' | 'missing' | 'rejected' | 'unresolved' | 'failed';
