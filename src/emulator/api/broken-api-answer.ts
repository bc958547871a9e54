/** Applies a fault to the right answer of the API: the body to send, and how to send it. */
import { type ApiFaultAnswer, type Answer, type Reply } from '../faults/faults.js';
import { commonFault, redirectTo } from '../faults/common-fault.js';
import { gzipSync } from 'node:zlib';

/** Whether the fault changes the right body, so that it must be made first. */
export function needsRightBody({ kind }: ApiFaultAnswer): boolean {
  return ['reset', 'truncate', 'drip', 'padded', 'invalid-json'].includes(kind);
}

/** @param right the answer without the fault; an empty body where the operation was not carried out */
export function brokenApiAnswer(fault: ApiFaultAnswer, right: Answer): Reply {
  switch (fault.kind) {
    case 'error':
      return { answer: errorAnswer(fault) };
    case 'invalid-json':
      return { answer: { ...right, body: right.body.subarray(0, -1) } };
    case 'redirect':
      return { answer: redirectTo(fault.location, fault.status) };
    case 'padded':
      return { answer: padded(right, fault.bytes, fault.gzip) };
    case 'html':
    case 'body':
    case 'reset':
    case 'truncate':
    case 'drip':
    case 'hang':
      return commonFault(fault, right, 'application/json');
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
    body: Buffer.from(code === undefined ? '' : JSON.stringify({ code, message, data: null })),
  };
}

function padded(right: Answer, bytes: number, gzip: boolean): Answer {
  const body = Buffer.concat([right.body, Buffer.alloc(bytes, ' ')]);
  if (!gzip) return { ...right, body };
  const headers = { ...right.headers, 'content-encoding': 'gzip' };
  return { status: right.status, headers, body: gzipSync(body) };
}
