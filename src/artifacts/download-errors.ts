/** What a download can fail with, and why in a few words. */
import { JobvaultError, codeOf, messageOf } from '../base/error.js';
import { NOT_CONNECTED } from '../base/http/proxy.js';
import { redactText } from '../base/text/redact.js';

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
