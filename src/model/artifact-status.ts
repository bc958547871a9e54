/** What became of a file behind a TABLE or IMAGE block. Everything but `stored` is a gap. Source: design.md, section 4. */
const ARTIFACT_STATUSES = [
  'stored',
  'expired',
  'missing',
  'rejected',
  'unresolved',
  'failed',
] as const;
export type ArtifactStatus = (typeof ARTIFACT_STATUSES)[number];
