/** An https server with a certificate from a private authority, in front of a plain one. */
import { request as askBehind } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import type { PrivateAuthority } from './private-authority.js';

export interface TlsFront extends AsyncDisposable {
  readonly url: string;
  /** `host:port` */
  readonly host: string;
}

/** @param behind the origin that requests are passed on to */
export async function tlsFront(
  { key, cert }: Pick<PrivateAuthority, 'key' | 'cert'>,
  behind: string,
): Promise<TlsFront> {
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    const { method, headers, url = '/' } = incoming;
    const passed = askBehind(new URL(url, behind), { method: method ?? 'GET', headers });
    passed.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      pipeline(answer, outgoing, () => undefined);
    });
    passed.on('error', () => outgoing.destroy());
    pipeline(incoming, passed, () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `https://${host}`,
    host,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
