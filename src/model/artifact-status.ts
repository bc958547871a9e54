/** The status of a file that a record points to. Every status except `stored` is a gap. */
export type ArtifactStatus =
  | 'stored'
  | 'expired'
  | 'missing'
  | 'rejected'
  | 'unresolved'
  | 'failed'
  /** Of a kind that jobvault does not fetch: see `file-references.ts`. */
  | 'not_fetched';

/** Whether a gap is a file that was not fetched, of a kind for which the user has accepted that. */
export function isAcceptedGap(
  { status, kind }: { readonly status: string; readonly kind: string | null },
  accepted: ReadonlySet<string>,
): boolean {
  return status === 'not_fetched' && accepted.has(kind ?? '');
}
