/** Sends a short message to an address that is a secret: only its host is ever named. */
import { codeOf, messageOf } from '../base/error.js';
import type { ProxySettings } from '../base/http/proxy.js';
import { proxyAgentFor } from './proxy-agent.js';

export interface Message {
  readonly body: string;
  readonly contentType: string;
}

/** For one attempt, from connecting to the answer's head. */
const TIMEOUT_MS = 5_000;
const ATTEMPTS = 2;

/** Resolves with what went wrong, in words without the address; undefined where it was taken. Never fails. */
export async function post(
  address: URL,
  message: Message,
  proxy: ProxySettings = {},
): Promise<string | undefined> {
  let trouble: string | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const status = await attemptPost(address, message, proxy).catch((error: unknown) => {
      trouble = `${address.host} cannot be reached: ${codeOf(error) ?? messageOf(error)}`;
      return undefined;
    });
    if (status === undefined) continue;
    if (status >= 200 && status < 300) return undefined;
    trouble = `${address.host} answered ${status}`;
    if (status < 500 && status !== 429) return trouble;
  }
  return trouble;
}

async function attemptPost(
  address: URL,
  { body, contentType }: Message,
  proxy: ProxySettings,
): Promise<number> {
  const agent = await proxyAgentFor(address, proxy);
  const { request: send } =
    address.protocol === 'https:' ? await import('node:https') : await import('node:http');
  return new Promise((resolve, reject) => {
    const request = send(address, {
      method: 'POST',
      headers: {
        'content-type': contentType,
        'content-length': Buffer.byteLength(body),
        'user-agent': 'jobvault',
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(agent ? { agent } : {}),
    });
    request.once('error', (error) => {
      const isLate = error.name === 'TimeoutError' || codeOf(error) === 'ABORT_ERR';
      reject(isLate ? new Error(`no answer within ${TIMEOUT_MS / 1000} s`) : error);
    });
    request.once('response', (response) => {
      response.on('error', () => undefined); // only the status matters
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    request.end(body);
  });
}
