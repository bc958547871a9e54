/** Sends a body whole, or broken as networks break it: cut, slow, without a length. Writes to the socket itself. */
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Clock } from '../../base/runtime.js';
import type { Manner, CommonFaultAnswer } from './faults.js';

export interface Answer {
  readonly status: number;
  /** Without `content-length`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** An answer and how it is sent. */
export interface Reply {
  readonly answer: Answer;
  /** Default: whole. */
  readonly manner?: Manner;
}

export interface SendContext {
  readonly clock: Clock;
  /** Aborted when the emulator closes. */
  readonly closing: AbortSignal;
}

/** Resolves when everything that is to be sent has been sent. Does not reject if the client closes the connection. */
export async function sendAnswer(
  response: ServerResponse,
  { answer, manner }: Reply,
  context: SendContext,
): Promise<void> {
  const length = { 'content-length': String(answer.body.length) };
  switch (manner?.kind) {
    case undefined:
      response.writeHead(answer.status, { ...answer.headers, ...length });
      response.end(answer.body);
      return;
    case 'hang':
      return;
    case 'reset':
      response.writeHead(answer.status, { ...answer.headers, ...length });
      await written(response, answer.body.subarray(0, manner.afterBytes));
      response.socket?.resetAndDestroy();
      return;
    case 'truncate':
      truncate(response, answer, manner.afterBytes);
      return;
    case 'drip':
      response.writeHead(answer.status, { ...answer.headers, ...length });
      await drip(response, answer.body, manner, context);
  }
}

/** Writes the head by hand: Node.js would send chunks, and a client notices when the last one is missing. */
function truncate(
  response: ServerResponse,
  { status, headers, body }: Answer,
  bytes: number,
): void {
  const head = Object.entries({ ...headers, connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const { socket } = response;
  socket?.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head.join('')}\r\n`);
  socket?.end(body.subarray(0, bytes));
}

async function drip(
  response: ServerResponse,
  body: Uint8Array,
  { bytes, pauseMs }: { readonly bytes: number; readonly pauseMs: number },
  { clock, closing }: SendContext,
): Promise<void> {
  for (let at = 0; at < body.length; at += bytes) {
    if (at > 0) await clock.sleep(pauseMs, closing).catch(() => undefined);
    if (response.destroyed || closing.aborted) return;
    await written(response, body.subarray(at, at + bytes));
  }
  response.end();
}

/** Sends the head even if the part is empty. */
function written(response: ServerResponse, part: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve);
    if (part.length === 0) response.flushHeaders();
    response.write(part, () => {
      response.off('close', resolve);
      resolve();
    });
  });
}

export async function sleepUnlessClosing(ms: number, context: SendContext): Promise<void> {
  if (ms > 0) await context.clock.sleep(ms, context.closing).catch(() => undefined);
}

/** Applies the faults that the API and the file host share, and makes their answers. */

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
