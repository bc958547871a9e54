/** A proxy in front of the S3 server that passes requests on byte for byte and spoils some answers. */
import { once } from 'node:events';
import {
  createServer,
  request as send,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * `cut-answer`: the store does what it is asked; of its answer half of the body comes, and nothing where it wrote.
 * `sent-twice`: a proxy that had no answer sends the request again, and passes the second answer on.
 */
export type S3Fault =
  'internal-error' | 'slow-down' | 'error-with-200' | 'cut-request' | 'cut-answer' | 'sent-twice';

export interface FlakyS3 extends AsyncDisposable {
  readonly endpoint: string;
  /** Every request: method and path with query. */
  readonly seen: string[];
  /** What is to happen to a request, by how many there were before it. Default: nothing. */
  faultOf: (index: number, request: IncomingMessage) => S3Fault | undefined;
}

const CODES = {
  'internal-error': [500, 'InternalError'],
  'slow-down': [503, 'SlowDown'],
  'error-with-200': [200, 'InternalError'],
} as const;

/** @param target `http://host:port` */
export async function startFlakyS3(target: string): Promise<FlakyS3> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const fault = flaky.faultOf(seen.length, request);
    seen.push(`${request.method ?? ''} ${request.url ?? ''}`);
    if (fault === 'cut-request') {
      request.once('data', () => request.socket.destroy());
      request.once('end', () => request.socket.destroy());
    } else if (fault === 'sent-twice') {
      void sendTwice(target, request, response);
    } else if (fault === undefined || fault === 'cut-answer') {
      passOn(target, request, response, fault === 'cut-answer');
    } else {
      request.resume().once('end', () => {
        const [status, code] = CODES[fault];
        response.writeHead(status, { 'content-type': 'application/xml' });
        response.end(`<?xml version="1.0"?>\n<Error><Code>${code}</Code></Error>`);
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const flaky: FlakyS3 = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    faultOf: () => undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
  return flaky;
}

function passOn(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  isCut: boolean,
): void {
  const { method, url = '', headers } = request;
  // with the host that the client signed
  const onward = send(new URL(url, target), { method, headers }, (answer) => {
    if (isCut && method !== 'GET') {
      answer.resume().once('end', () => response.socket?.destroy());
      return;
    }
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    if (!isCut) {
      answer.pipe(response);
      return;
    }
    response.flushHeaders();
    answer.once('data', (chunk: Buffer) => {
      response.write(chunk.subarray(0, chunk.length >> 1), () => response.socket?.destroy());
    });
    answer.once('end', () => response.socket?.destroy());
  });
  onward.on('error', () => response.socket?.destroy());
  request.pipe(onward);
}

async function sendTwice(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, url = '', headers } = request;
  const body = (await request.toArray()) as Buffer[];
  for (const isLast of [false, true]) {
    const onward = send(new URL(url, target), { method, headers });
    onward.end(Buffer.concat(body));
    const [answer] = (await once(onward, 'response')) as [IncomingMessage];
    if (isLast) response.writeHead(answer.statusCode ?? 500, answer.headers);
    for await (const chunk of answer) if (isLast) response.write(chunk);
  }
  response.end();
}
