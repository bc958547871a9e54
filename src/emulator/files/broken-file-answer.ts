/** Applies a fault to the right answer of the file host: the body to send, and how to send it. */
import { type FileFaultAnswer, type Answer, type Reply } from '../faults/faults.js';
import { answerOf, commonFault, redirectTo } from '../faults/common-fault.js';
import { ACCESS_DENIED, NO_SUCH_KEY, s3Error } from './url-signer.js';

/** @param url path and query of the request; redirects on this origin lead back to it */
export function brokenFileAnswer(fault: FileFaultAnswer, right: Answer, url: string): Reply {
  switch (fault.kind) {
    case 'status':
      return { answer: statusAnswer(fault) };
    case 'xml':
      return { answer: answerOf(200, 'application/xml', ACCESS_DENIED) };
    case 'redirect':
      return { answer: redirect(fault, url, right) };
    case 'html':
    case 'body':
    case 'reset':
    case 'truncate':
    case 'drip':
    case 'hang':
      return commonFault(fault, right, 'application/octet-stream');
  }
}

function statusAnswer({
  status,
  retryAfter,
}: FileFaultAnswer & { readonly kind: 'status' }): Answer {
  const body =
    status === 404
      ? NO_SUCH_KEY
      : status === 403
        ? ACCESS_DENIED
        : s3Error('InternalError', 'We encountered an internal error. Please try again.');
  const answer = answerOf(status, 'application/xml', body);
  if (retryAfter === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': retryAfter } };
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
