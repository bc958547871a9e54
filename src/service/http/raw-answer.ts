/**
 * Reads the text of an answer: decompressed, within a size, in UTF-8, and tells one that a cache gave from its memory. An
 * unreadable body of a failure is no further error.
 */
import { type RequestFacts, BodyTooLargeError, MalformedResponseError } from '../service-errors.js';
import { type Dispatcher } from 'undici';
import { decodeBody, discard } from './decoded-body.js';

/** The body of a failure is only quoted. */
const MAX_ERROR_BODY_BYTES = 1024 * 1024;

/** Status, headers (in lower case) and body. */
type RawAnswer = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>;

/** The values of a repeated header are joined with commas; null without such a header. */
export function headerOf(answer: RawAnswer, name: string): string | null {
  const value = answer.headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}

/**
 * @throws {BodyTooLargeError} the decompressed body has more than `maxBytes`
 * @throws {MalformedResponseError} an unknown encoding, or not UTF-8: invalid bytes are refused
 *   rather than replaced, because an archive must not alter data
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
        `the decompressed answer has more than ${maxBytes} bytes`,
        details,
      );
    case 'unknown encoding':
      throw new MalformedResponseError('the answer has an encoding that was not requested', {
        ...details,
        retries: 'brief',
      });
    case 'whole':
      try {
        return new TextDecoder('utf-8', { fatal: true }).decode(decoded.bytes); // also removes a byte order mark
      } catch {
        throw new MalformedResponseError('the answer is not valid UTF-8', details);
      }
  }
}

/** The beginning of a failure's body; empty if it cannot be read: the status is enough. */
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
