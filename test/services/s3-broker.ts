/** Starts the S3 server for the first test file that asks, and ends it after the last: files run in processes of their own. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ceph } from './ceph.js';
import { cephTree, namedEndpoint } from './s3-availability.js';

export interface S3Server {
  readonly endpoint: string;
  readonly key: string;
  readonly secret: string;
}

export interface Broker {
  readonly url: string;
  close(): Promise<void>;
}

export async function startBroker(): Promise<Broker> {
  let starting: Promise<Ceph> | undefined;
  const ceph = (): Promise<Ceph> => (starting ??= Ceph.start(cephTree));

  async function answer(pathname: string, port: number | undefined): Promise<unknown> {
    if (pathname === '/server') return namedEndpoint ? namedServer() : serverOf(await ceph());
    if (pathname === '/gateway/start') return (await ceph()).startGateway(port);
    if (pathname === '/gateway/kill') return (await ceph()).killGateway(port ?? 0);
    throw new Error(`nobody knows ${pathname}`);
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://broker');
    const port = searchParams.has('port') ? Number(searchParams.get('port')) : undefined;
    answer(pathname, port).then(
      (said) => response.end(JSON.stringify(said ?? null)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      await (await starting?.catch(() => undefined))?.stop();
    },
  };
}

function serverOf({ port }: Ceph): S3Server {
  return { endpoint: `http://127.0.0.1:${port}`, key: 'test', secret: 'testtest1' };
}

function namedServer(): S3Server {
  const { JOBVAULT_TEST_S3_KEY: key = '', JOBVAULT_TEST_S3_SECRET: secret = '' } = process.env;
  return { endpoint: namedEndpoint ?? '', key, secret };
}
