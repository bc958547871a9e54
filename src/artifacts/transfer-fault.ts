/** Says in a few words what broke a download off. */
import { codeOf, messageOf } from '../base/error.js';
import { redactText } from '../base/redact.js';

const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'reset the connection',
  EAI_AGAIN: 'has a name that could not be resolved just now',
  ENOTFOUND: 'has a name that does not resolve',
  EPIPE: 'closed the connection',
  UND_ERR_BODY_TIMEOUT: 'fell silent in the middle of the file',
  UND_ERR_CONNECT_TIMEOUT: 'did not accept the connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'did not answer in time',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'sent another length than it announced',
  UND_ERR_SOCKET: 'closed the connection before the file was complete',
  Z_BUF_ERROR: 'sent compressed data that ends too soon',
  Z_DATA_ERROR: 'sent compressed data that is damaged',
};

/** `files.example.com reset the connection`, without any query string. */
export function describeFault(host: string, thrown: unknown): string {
  const code = codeOf(thrown) ?? '';
  return `${host} ${SENTENCES[code] ?? `failed: ${redactText(messageOf(thrown))}`}`;
}

/** A certificate that is not trusted now will not be trusted in a minute. */
export function isCertificateFault(thrown: unknown): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(codeOf(thrown) ?? '');
}
