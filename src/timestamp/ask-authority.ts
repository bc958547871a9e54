/** Asks a time-stamp authority for a token over a digest: the digest is all that it learns. Source: RFC 3161, section 3.4 */
import { codeOf, messageOf } from '../base/error.js';
import { ProxyAgent } from '../base/http/proxy-agent.js';
import { proxyFor, type ProxySettings } from '../base/http/proxy.js';
import type { Runtime, RuntimeOptions } from '../base/runtime.js';
import { readStamp, UnusableStamp, type Stamp } from './token.js';
import { loadAsn1 } from './asn1.js';

export interface Authority extends Pick<Runtime, 'random'>, Pick<RuntimeOptions, 'signal'> {
  /** Only its host appears in messages. */
  readonly url: URL;
  readonly proxy?: ProxySettings | undefined;
}

export interface StampedAnswer {
  /** A DER `TimeStampResp`, as it came. */
  readonly bytes: Buffer;
  readonly stamp: Stamp;
}

/** From the connection to the end of the answer. */
const TIMEOUT_MS = 15_000;
/** Answers with a chain of certificates have some 6 KB. */
const MAX_BYTES = 256 * 1024;
const SHA256 = '2.16.840.1.101.3.4.2.1';
const ANSWER_TYPE = /^application\/timestamp-(?:reply|response)\b/i;

/**
 * The answer, in which status, digest and nonce were checked, not its signature.
 *
 * @param sha256 in lower-case hexadecimal
 * @throws {UnusableStamp} with a clause for people that names the host and no more of the address
 * @throws the signal's reason, when it is aborted
 */
export async function askAuthority(sha256: string, authority: Authority): Promise<StampedAnswer> {
  const { url, random, signal } = authority;
  // a positive INTEGER without a leading zero: its bytes come back as they are
  const nonce = Buffer.from(random.bytes(16));
  nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40;
  const request = await requestOver(sha256, nonce);
  let bytes;
  try {
    bytes = await post(request, authority);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof UnusableStamp) throw error;
    throw new UnusableStamp(`${url.host} cannot be reached: ${codeOf(error) ?? messageOf(error)}`);
  }
  try {
    const stamp = await readStamp(bytes);
    if (stamp.sha256 !== sha256) throw new UnusableStamp('is over another digest');
    if (stamp.nonce?.equals(nonce) !== true)
      throw new UnusableStamp('has not the nonce of the request');
    return { bytes, stamp };
  } catch (error) {
    throw new UnusableStamp(`the answer of ${url.host} ${messageOf(error)}`);
  }
}

async function requestOver(sha256: string, nonce: Buffer): Promise<Buffer> {
  const asn1 = await loadAsn1();
  const hashAlgorithm = new asn1.AlgorithmIdentifier({ algorithm: SHA256, parameters: null });
  const hashedMessage = new asn1.OctetString(Buffer.from(sha256, 'hex'));
  const request = new asn1.TimeStampReq({
    messageImprint: new asn1.MessageImprint({ hashAlgorithm, hashedMessage }),
    nonce: Uint8Array.from(nonce).buffer,
    certReq: true,
  });
  return Buffer.from(asn1.AsnConvert.serialize(request));
}

async function post(body: Buffer, { url, proxy = {}, signal }: Authority): Promise<Buffer> {
  const { request: send } =
    url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const agent = proxyFor(url, proxy) ? new ProxyAgent({ settings: () => proxy }) : undefined;
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await new Promise((resolve, reject) => {
      const request = send(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/timestamp-query',
          'content-length': body.length,
          'user-agent': 'jobvault',
        },
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        agent: agent ?? false,
      });
      request.once('error', reject);
      request.once('response', (response) => {
        const { statusCode = 0, headers } = response;
        const chunks: Buffer[] = [];
        let length = 0;
        const refuse = (why: string): void => {
          response.destroy();
          reject(new UnusableStamp(`${url.host} ${why}`));
        };
        response.once('error', reject);
        if (statusCode !== 200) {
          refuse(`answered ${statusCode}`);
          return;
        }
        if (!ANSWER_TYPE.test(headers['content-type'] ?? '')) {
          refuse('does not answer as a time-stamp authority');
          return;
        }
        response.on('data', (chunk: Buffer) => {
          length += chunk.length;
          chunks.push(chunk);
          if (length > MAX_BYTES) refuse(`answered more than ${MAX_BYTES / 1024} KB`);
        });
        response.once('end', () => {
          resolve(Buffer.concat(chunks));
        });
      });
      request.end(body);
    });
  } catch (error) {
    if (timeout.aborted)
      throw new UnusableStamp(`${url.host} did not answer within ${TIMEOUT_MS / 1000} s`);
    throw error;
  } finally {
    agent?.destroy();
  }
}
