/** A real forwarding proxy (the package `proxy`) that records the requests through it. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createProxy } from 'proxy';

export interface ProxiedRequest {
  /** `CONNECT` for a tunnel. */
  readonly method: string;
  /** `host:port` of a tunnel, the whole URL of what is handed over. */
  readonly target: string;
  /** As the proxy sees them; what goes through a tunnel it does not see. */
  readonly headers: IncomingHttpHeaders;
}

export interface TestProxy extends AsyncDisposable {
  readonly url: string;
  /** `host:port` */
  readonly host: string;
  readonly seen: readonly ProxiedRequest[];
}

/** @param options.credentials `user:password` that are asked for */
export async function testProxy(
  options: { readonly credentials?: string; readonly refuseWith?: number } = {},
): Promise<TestProxy> {
  const { credentials, refuseWith } = options;
  const seen: ProxiedRequest[] = [];
  const note = ({ method = '', url = '', headers }: IncomingMessage) => {
    seen.push({ method, target: url, headers });
  };
  const server = createServer();
  server.on('request', note);
  server.on('connect', note);
  if (refuseWith === undefined) {
    const proxy = createProxy(server);
    const wanted = `Basic ${Buffer.from(credentials ?? '').toString('base64')}`;
    if (credentials !== undefined) {
      proxy.authenticate = (request) => request.headers['proxy-authorization'] === wanted;
    }
  } else {
    server.on('connect', (_request, socket) => {
      socket.end(`HTTP/1.1 ${refuseWith} No\r\ncontent-length: 0\r\n\r\n`);
    });
  }
  const sockets = new Set<{ destroy: () => void }>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}`,
    host,
    seen,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
