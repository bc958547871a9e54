/** Applies the faults that the API and the file host share, and makes their answers. */
import type { CommonFaultAnswer, Answer, Reply } from './faults.js';

/** A web page in place of data, as proxies send it. */
const LOGIN_PAGE =
  '<!DOCTYPE html>\n<html><head><title>Sign in</title></head>' +
  '<body><h1>Sign in</h1><form method="post" action="/login?next=%2F&amp;token=c2VjcmV0">' +
  '<input name="user"><input name="password" type="password"></form></body></html>\n';

/**
 * @param right the answer without the fault
 * @param contentType of another body, where the fault does not say it
 */
export function commonFault(fault: CommonFaultAnswer, right: Answer, contentType: string): Reply {
  switch (fault.kind) {
    case 'html':
      return { answer: answerOf(200, 'text/html', LOGIN_PAGE) };
    case 'body': {
      const { status = 200, headers, body } = fault;
      const other = answerOf(status, fault.contentType ?? contentType, body);
      return { answer: { ...other, headers: { ...other.headers, ...headers } } };
    }
    case 'reset':
    case 'truncate':
    case 'drip':
    case 'hang':
      return { answer: right, manner: fault };
  }
}

export function answerOf(status: number, contentType: string, body: string | Uint8Array): Answer {
  return { status, headers: { 'content-type': contentType }, body: Buffer.from(body) };
}

export function redirectTo(location: string, status = 302): Answer {
  return { status, headers: { location }, body: Buffer.alloc(0) };
}
