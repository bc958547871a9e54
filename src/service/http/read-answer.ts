/** The text of an answer: unpacked, within a size, in UTF-8. What an error page holds is never worth failing for. */
import type { Dispatcher } from 'undici';
import { BodyTooLargeError } from '../errors/body-too-large-error.js';
import { MalformedResponseError } from '../errors/malformed-response-error.js';
import type { RequestFacts } from '../errors/service-error.js';
import { decodeBody, discard } from './decode-body.js';

/** The body of an answer that is no success is only quoted. */
const MAX_ERROR_BODY_BYTES = 1024 * 1024;

/** What came behind the request line; `headers` in lower case. */
export type RawAnswer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>;

/** Of a repeated header the values joined with a comma; null where there is none. */
export function headerOf(answer: RawAnswer, name: string): string | null {
  const value = answer.headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}

/**
 * @throws {BodyTooLargeError} a success that unpacks to more than `maxBytes`
 * @throws {MalformedResponseError} a success in an unknown packing, or that is not UTF-8: bytes that
 *   are no text are refused rather than replaced, since an archive must not alter what it keeps
 * @throws what the connection or zlib throws
 */
export async function readSuccess(
  answer: RawAnswer,
  maxBytes: number,
  facts: RequestFacts,
): Promise<string> {
  const details = {
    ...facts,
    status: answer.statusCode,
    traceId: headerOf(answer, 'x-pd-trace-id'),
  };
  const decoded = await decodeBody(
    answer.body,
    headerOf(answer, 'content-encoding') ?? '',
    maxBytes,
  );
  switch (decoded.outcome) {
    case 'too large':
      throw new BodyTooLargeError(
        `the answer, unpacked, is larger than the ${maxBytes} bytes allowed`,
        details,
      );
    case 'unknown encoding':
      throw new MalformedResponseError('the answer is packed in a way that was not asked for', {
        ...details,
        retries: 'brief',
      });
    case 'whole':
      try {
        return new TextDecoder('utf-8', { fatal: true }).decode(decoded.bytes); // drops a byte order mark
      } catch {
        throw new MalformedResponseError('the answer is not valid UTF-8', details);
      }
  }
}

/** The beginning of an error's body, or an empty text when it cannot be read: the status says enough. */
export async function readFailure(answer: RawAnswer, maxBytes: number): Promise<string> {
  if (answer.statusCode < 400) {
    discard(answer.body);
    return '';
  }
  const encoding = headerOf(answer, 'content-encoding') ?? '';
  try {
    const decoded = await decodeBody(
      answer.body,
      encoding,
      Math.min(maxBytes, MAX_ERROR_BODY_BYTES),
    );
    return decoded.outcome === 'whole' ? decoded.bytes.toString('utf8') : '';
  } catch {
    return '';
  }
}
