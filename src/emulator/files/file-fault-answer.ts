/** Applies a fault to the right answer of the file host: the body to send, and how to send it. */
import type { FileFaultAnswer } from '../faults/faults.js';
import { LOGIN_PAGE, type Answer, type Manner } from '../faults/send-answer.js';
import { ACCESS_DENIED, NO_SUCH_KEY, s3Error } from './s3-error.js';

/** @param url path and query of the request; redirects on this origin lead back to it */
export function brokenFileAnswer(
  fault: FileFaultAnswer,
  right: Answer,
  url: string,
): { answer: Answer; manner: Manner } {
  const whole = { kind: 'whole' } as const;
  switch (fault.kind) {
    case 'status':
      return { answer: statusAnswer(fault), manner: whole };
    case 'html':
      return { answer: answerOf('text/html', LOGIN_PAGE), manner: whole };
    case 'xml':
      return { answer: answerOf('application/xml', ACCESS_DENIED), manner: whole };
    case 'body': {
      const { status, headers, body } = answerOf(
        fault.contentType ?? 'application/octet-stream',
        fault.body,
      );
      return { answer: { status, headers: { ...headers, ...fault.headers }, body }, manner: whole };
    }
    case 'redirect':
      return { answer: redirect(fault, url, right), manner: whole };
    case 'reset':
    case 'truncate':
    case 'drip':
    case 'hang':
      return { answer: right, manner: fault };
  }
}

function statusAnswer(fault: FileFaultAnswer & { readonly kind: 'status' }): Answer {
  const body =
    fault.status === 404
      ? NO_SUCH_KEY
      : fault.status === 403
        ? ACCESS_DENIED
        : s3Error('InternalError', 'We encountered an internal error. Please try again.');
  const retryAfter = fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter };
  const { headers, body: bytes } = answerOf('application/xml', body);
  return { status: fault.status, headers: { ...headers, ...retryAfter }, body: bytes };
}

/** The number of redirects so far is in the URL, after the signature. */
function redirect(
  { location, hops = 0 }: FileFaultAnswer & { readonly kind: 'redirect' },
  url: string,
  right: Answer,
): Answer {
  const [original = '', taken = '0'] = url.split(HOP, 2);
  const hop = Number(taken) + 1;
  if (hop <= hops) return redirectTo(`${original}${HOP}${hop}`);
  if (location !== undefined) return redirectTo(location);
  return hop === 1 ? redirectTo(`${original}${HOP}${hop}`) : right;
}

/** Marks the URL of a redirect; not signed. */
export const HOP = '&hop=';

function redirectTo(target: string): Answer {
  return { status: 302, headers: { location: target }, body: Buffer.alloc(0) };
}

function answerOf(contentType: string, body: string | Uint8Array): Answer {
  return { status: 200, headers: { 'content-type': contentType }, body: Buffer.from(body) };
}
