/** What the two processes of the soak tell each other. */

/** A job as the service has it in the end. */
export interface ServedJob {
  readonly session: string;
  readonly job: string;
  /** SHA-256 of its comparable text. */
  readonly record: string;
  /** SHA-256 of each of its files, ordered. */
  readonly files: readonly string[];
}

export type ToSoak =
  | { readonly kind: 'ready'; readonly baseUrl: string; readonly users: readonly string[] }
  | { readonly kind: 'healed'; readonly jobs: readonly ServedJob[] };

/** A record without what is made anew with every read: its URLs and when they expire. */
export function comparable(record: string): string {
  return record
    .replaceAll(/\{\{url:[^{}"\\]+\}\}|http:\/\/127\.0\.0\.1:\d+\/[^"\\)\s]*/g, 'URL')
    .replaceAll(/\{\{expires_at\}\}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/g, 'EXPIRY');
}
