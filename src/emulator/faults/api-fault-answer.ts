/** Applies a fault to the right answer of the API: the body to send, and how to send it. */
import { gzipSync } from 'node:zlib';
import type { ApiFaultAnswer } from './faults.js';
import { LOGIN_PAGE, type Answer, type Manner } from './send-answer.js';

export interface Broken {
  readonly answer: Answer;
  readonly manner: Manner;
}

/** Whether the fault changes the right body, so that it must be made first. */
export function needsRightBody({ kind }: ApiFaultAnswer): boolean {
  return ['reset', 'truncate', 'drip', 'padded', 'invalid-json'].includes(kind);
}

/** @param right the answer without the fault; an empty body where the operation was not carried out */
export function brokenApiAnswer(fault: ApiFaultAnswer, right: Answer): Broken {
  const whole = { kind: 'whole' } as const;
  switch (fault.kind) {
    case 'error':
      return { answer: errorAnswer(fault), manner: whole };
    case 'body':
      return {
        answer: {
          status: fault.status ?? 200,
          headers: { 'content-type': fault.contentType ?? 'application/json', ...fault.headers },
          body: Buffer.from(fault.body),
        },
        manner: whole,
      };
    case 'html':
      return {
        answer: {
          status: 200,
          headers: { 'content-type': 'text/html' },
          body: bytesOf(LOGIN_PAGE),
        },
        manner: whole,
      };
    case 'invalid-json':
      return { answer: { ...right, body: right.body.subarray(0, -1) }, manner: whole };
    case 'redirect':
      return {
        answer: {
          status: fault.status ?? 302,
          headers: { location: fault.location },
          body: bytesOf(''),
        },
        manner: whole,
      };
    case 'padded':
      return { answer: padded(right, fault.bytes, fault.gzip), manner: whole };
    case 'reset':
    case 'truncate':
    case 'drip':
    case 'hang':
      return { answer: right, manner: fault };
  }
}

function errorAnswer(fault: ApiFaultAnswer & { readonly kind: 'error' }): Answer {
  const { status, code, message = 'injected fault', retryAfter } = fault;
  return {
    status,
    headers: {
      ...(code === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
    },
    body: bytesOf(code === undefined ? '' : JSON.stringify({ code, message, data: null })),
  };
}

function padded(right: Answer, bytes: number, gzip: boolean): Answer {
  const body = Buffer.concat([right.body, Buffer.alloc(bytes, ' ')]);
  return gzip
    ? {
        status: right.status,
        headers: { ...right.headers, 'content-encoding': 'gzip' },
        body: gzipSync(body),
      }
    : { ...right, body };
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text);
}
