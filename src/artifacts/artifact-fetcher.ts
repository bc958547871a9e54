/** The interface of the fetcher that downloads the files of a job's blocks, and what a download can fail with. */
import type { ArtifactStatus } from '../model/records.js';
import type { StagedObject } from '../storage/storage.js';
import { JobvaultError, codeOf, messageOf } from '../base/error.js';
import { redactText } from '../base/text/redact.js';

export interface ArtifactFetcher {
  /**
   * Settles one file: stored in a staged object, or lost with a reason. Throws only on an abort or a
   * storage failure.
   */
  fetch(request: FileRequest): Promise<FileOutcome>;

  /**
   * Resolves when another page may be read without its URLs expiring in the queue.
   *
   * @throws the signal's reason, when it is aborted
   */
  ready(signal?: AbortSignal): Promise<void>;

  readonly stats: FetchStats;
  close(): Promise<void>;
}

export interface FileRequest {
  /** The block's type: TABLE, IMAGE, CHART_INFO, … Determines the content that is expected. */
  readonly kind: string;
  readonly location: FileLocation;
  /**
   * Reads the history page again. Resolves with the file's fresh location, or with `undefined` if the
   * history no longer has it. Called each time the URL expires; files of one page may share a request.
   */
  refresh(signal?: AbortSignal): Promise<FileLocation | undefined>;
  readonly signal?: AbortSignal | undefined;
}

export interface FileLocation {
  /** As the service sent it: a URL, or a bare storage key. */
  readonly url: string;
  /** On the monotonic clock; null if unknown. See `file-settler.ts`. */
  readonly deadlineMs: number | null;
}

export type FileOutcome = StoredFile | LostFile;

export interface StoredFile {
  readonly status: 'stored';
  /** Closed, not yet published; the receiver publishes or discards it. */
  readonly staged: StagedObject;
  readonly sha256: string;
  readonly bytes: number;
  /** Sniffed from the bytes, never from the name: `text/csv`, `image/png`, `application/octet-stream`. */
  readonly mediaType: string;
  /** From a fixed list, by media type: `csv`, `png`, `bin`. */
  readonly extension: string;
  /** The name that the host gave it (Content-Disposition); null without one. */
  readonly sentName: string | null;
  /** Why its content is doubtful, in a few words; null if it is not. */
  readonly suspicious: string | null;
  /** Of a CSV: records after the heading. */
  readonly rowCount: number | null;
  readonly columnCount: number | null;
  /** Of an image: pixels. */
  readonly width: number | null;
  readonly height: number | null;
  /** Of a TABLE that is a text: its encoding, or `unknown`; what separates its cells; the line of its heading, from 1. */
  readonly encoding: string | null;
  readonly separator: string | null;
  readonly headingLine: number | null;
  /** Of a TABLE whose encoding is known: the text of its first 16 KB. */
  readonly tableText: string | null;
}

export interface LostFile {
  readonly status: Exclude<ArtifactStatus, 'stored'>;
  /** One short sentence for people, without any query string. */
  readonly reason: string;
}

interface FetchStats {
  /** HTTP requests to file hosts, retries and redirects included. */
  readonly requests: number;
  readonly retries: number;
  readonly bytes: number;
}

/** What a download can fail with, and why in a few words. */

/** A URL, an address or a redirect that a guard refuses. The message has no query string. */
export class RefusedTargetError extends JobvaultError {
  override readonly name = 'RefusedTargetError';
  readonly code = 'ARTIFACT_TARGET_REFUSED';
  readonly disposition = 'skip';
  readonly failure = 'refused';
}

/** A download failed on the way: reset, cut short, too slow, corrupt. The message names the host, never the query string. */
export class TransferError extends JobvaultError {
  override readonly name = 'TransferError';
  readonly code = 'ARTIFACT_TRANSFER_BROKEN';
  readonly disposition = 'retry';
  readonly failure = 'unreachable';
}

/** A file was requested, or still being downloaded, when the fetcher was closed. */
export class FetcherClosedError extends JobvaultError {
  override readonly name = 'FetcherClosedError';
  readonly code = 'ARTIFACT_FETCHER_CLOSED';
  readonly disposition = 'fatal';
  readonly failure = 'unexpected';

  constructor() {
    super('the file fetcher is closed');
  }
}

/** By the code of the network stack. */
const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'reset the connection',
  EAI_AGAIN: 'could not be resolved: temporary DNS failure',
  ENOTFOUND: 'does not resolve',
  EPIPE: 'closed the connection',
  UND_ERR_BODY_TIMEOUT: 'stopped sending in the middle of the file',
  UND_ERR_CONNECT_TIMEOUT: 'did not accept the connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'did not answer in time',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'sent a body whose length differs from its Content-Length',
  UND_ERR_SOCKET: 'closed the connection before the file was complete',
  Z_BUF_ERROR: 'sent compressed data that is cut off',
  Z_DATA_ERROR: 'sent compressed data that is damaged',
};

/** With a proxy, a connection that was not made is the one to the proxy. */
const NOT_CONNECTED = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** `files.example.com reset the connection`, without any query string. @param proxy `host:port`, if there is one */
export function describeFault(host: string, thrown: unknown, proxy?: string): string {
  const code = codeOf(thrown) ?? '';
  const status = proxyStatus(thrown);
  if (status === 407) return 'the proxy asks for credentials (HTTP 407)';
  if (status !== undefined) return `the proxy refuses the connection to ${host} (HTTP ${status})`;
  const peer = proxy !== undefined && NOT_CONNECTED.has(code) ? `the proxy ${proxy}` : host;
  return `${peer} ${SENTENCES[code] ?? `failed: ${redactText(messageOf(thrown))}`}`;
}

/** A refusal by a proxy is permanent; a fault of the proxy (5xx) may pass. */
export function isProxyRefusal(thrown: unknown): boolean {
  return (proxyStatus(thrown) ?? 500) < 500;
}

/** Undici has it only in the message. */
function proxyStatus(thrown: unknown): number | undefined {
  const words = /Proxy response \((\d{3})\)|Proxy Authentication Required \((407)\)/;
  const [, tunnelStatus, status = tunnelStatus] = words.exec(messageOf(thrown)) ?? [];
  return status === undefined ? undefined : Number(status);
}

/** A certificate that is not trusted: retries do not help. */
export function isCertificateFault(thrown: unknown): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(codeOf(thrown) ?? '');
}

/** One attempt to download a URL: what is requested, and its outcomes. */

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
