/** A real HTTP server that gives the answers of a test and records the requests. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import {
  createServer as createRawServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net';

interface SeenRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** On the monotonic clock. */
  readonly atMs: number;
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: string | Buffer | object;
}

/** What to answer; a function may take the response into its own hands and return nothing. */
export type Script =
  ScriptedAnswer | ((request: SeenRequest, response: ServerResponse) => ScriptedAnswer | undefined);

export interface ScriptedApi extends AsyncDisposable {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** `host:port` */
  readonly host: string;
}

/** Answers with the scripts in order, one per request; repeats the last one. */
export async function scriptedApi(...scripts: readonly Script[]): Promise<ScriptedApi> {
  const seen: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    const atMs = performance.now();
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const request = { method, url, headers, body: Buffer.concat(chunks).toString(), atMs };
      const script = scripts[Math.min(seen.length, scripts.length - 1)]!;
      seen.push(request);
      const answer = typeof script === 'function' ? script(request, response) : script;
      if (answer) send(response, answer);
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await stop(server);
    },
  };
}

/** A server that speaks through a bare socket: `talk` is called once a connection, when a request's headers are in. */
export async function rawApi(
  talk: (socket: Socket, connection: number) => void,
): Promise<AsyncDisposable & { readonly url: string; readonly connections: () => number }> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createRawServer((socket) => {
    sockets.add(socket);
    const connection = ++connections;
    let received = '';
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      const before = received.includes('\r\n\r\n');
      received += chunk.toString('latin1');
      if (!before && received.includes('\r\n\r\n')) talk(socket, connection);
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await stop(server);
    },
  };
}

/** A successful answer in the service's envelope. */
export function success(data: unknown): ScriptedAnswer {
  return { headers: { 'x-pd-trace-id': 'trace-ok' }, body: { code: 0, data } };
}

/** A refusal in the service's envelope. */
export function refusal(code: number, status = 200, message = 'refused'): ScriptedAnswer {
  return { status, headers: { 'x-pd-trace-id': 'trace-no' }, body: { code, message } };
}

export function pageOf(records: readonly object[], totalItems = records.length): ScriptedAnswer {
  return success({ page_number: 1, page_size: 10, total_items: totalItems, records });
}

function send(response: ServerResponse, answer: ScriptedAnswer): void {
  const { status = 200, headers = {}, body = '' } = answer;
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(isRaw ? body : JSON.stringify(body));
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function stop(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
