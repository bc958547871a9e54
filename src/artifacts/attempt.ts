/** One attempt to download a URL: what is requested, and its outcomes. */
import type { StoredFile } from './artifact-fetcher.js';

export interface AttemptRequest {
  readonly url: URL;
  /** The block's type. */
  readonly kind: string;
  readonly signal: AbortSignal;
  /** Called when the whole body is here, before it is judged: the connection is free for another file. */
  readonly onReceived: () => void;
}

export type Attempt =
  | { readonly kind: 'stored'; readonly file: StoredFile }
  /** Nothing proves that the body ends where the connection did: only a second download with equal bytes can. */
  | { readonly kind: 'unproven end'; readonly file: StoredFile }
  /** The host refuses this URL: 401, 403, an expired token. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** An image that came whole by its length, and whose format lacks its end: kept if it comes again with the same bytes. */
  | { readonly kind: 'cut off'; readonly file: StoredFile; readonly reason: string }
  /** The body cannot be the file: an error page, an error message, a truncated image. */
  | { readonly kind: 'not the file'; readonly reason: string }
  | { readonly kind: 'missing'; readonly reason: string }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }
  /** `afterMs`: the host's Retry-After; null without one. */
  | { readonly kind: 'retry'; readonly reason: string; readonly afterMs: number | null };
