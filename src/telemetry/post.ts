/** Posts a short message to a secret address: only its host appears in messages. */
import { codeOf, messageOf } from '../base/error.js';
import { NOT_CONNECTED, proxyFor, type ProxySettings } from '../base/http/proxy.js';
import { proxyAgentFor } from './proxy-agent.js';

export interface Message {
  readonly body: string;
  readonly contentType: string;
}

/** For one attempt, from the connection to the answer's headers. */
const TIMEOUT_MS = 5_000;
const ATTEMPTS = 2;

/** Resolves with the reason of a failure, without the address; undefined if the message was accepted. Never rejects. */
export async function post(
  address: URL,
  message: Message,
  proxy: ProxySettings = {},
): Promise<string | undefined> {
  let failure: string | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const status = await attemptPost(address, message, proxy).catch((error: unknown) => {
      failure = `${peerOf(address, proxy, error)} cannot be reached: ${codeOf(error) ?? messageOf(error)}`;
      return undefined;
    });
    if (status === undefined) continue;
    if (status >= 200 && status < 300) return undefined;
    failure = `${address.host} answered ${status}`;
    if (status < 500 && status !== 429) return failure;
  }
  return failure;
}

function peerOf(address: URL, settings: ProxySettings, error: unknown): string {
  const { host } = proxyFor(address, settings) ?? {};
  const isOfProxy = host !== undefined && NOT_CONNECTED.has(codeOf(error) ?? '');
  return isOfProxy ? `the proxy ${host}` : address.host;
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
      const isTimeout = error.name === 'TimeoutError' || codeOf(error) === 'ABORT_ERR';
      reject(isTimeout ? new Error(`no answer within ${TIMEOUT_MS / 1000} s`) : error);
    });
    request.once('response', (response) => {
      response.on('error', () => undefined); // only the status matters
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    request.end(body);
  });
}
