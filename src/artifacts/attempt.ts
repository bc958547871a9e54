/** The outcomes of one attempt to download a URL. */
import type { StoredFile } from './artifact-fetcher.js';

export type Attempt =
  | { readonly kind: 'stored'; readonly file: StoredFile }
  /** The host refuses this URL: 401, 403, an expired token. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** What came cannot be the file: an error page, a refusal in words, a picture that is cut off. */
  | { readonly kind: 'not the file'; readonly reason: string }
  | { readonly kind: 'missing'; readonly reason: string }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }
  /** `afterMs`: how long the host asks to wait, null where it does not say. */
  | { readonly kind: 'retry'; readonly reason: string; readonly afterMs: number | null };
