/** A shared cache in front of the emulator: it keeps answers, and gives them again with the age that it likes. */
import { createServer, request, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Kept {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface CachingFront extends AsyncDisposable {
  readonly baseUrl: string;
  /** The headers of a cache's answers. Default: an age of 12 seconds. */
  stamp: Readonly<Record<string, string>>;
  /** Which answer counts as the same: none if undefined. Default: that of the same URL. */
  keyOf: (url: string) => string | undefined;
  /** Whether `Cache-Control: no-cache` of a request counts. */
  isPolite: boolean;
  /** Whether answers have a `Date`. */
  hasDate: boolean;
  /** Answers that were given again. */
  hits: number;
  /** Paths that were asked for, with their parameters. */
  readonly asked: string[];
}

/** @param behind the origin that requests are passed on to */
export async function cachingFront(behind: string): Promise<CachingFront> {
  const kept = new Map<string, Kept>();
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming;
    outgoing.sendDate = false; // that of the origin is handed on
    front.asked.push(url);
    const key = method === 'GET' ? front.keyOf(url) : undefined;
    const mayAnswer = !(front.isPolite && headers['cache-control']?.includes('no-cache') === true);
    const old = key !== undefined && mayAnswer ? kept.get(key) : undefined;
    if (old) {
      front.hits++;
      outgoing.writeHead(old.status, { ...old.headers, ...front.stamp }).end(old.body);
      return;
    }
    const onward = request(new URL(url, behind), { method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const status = answer.statusCode ?? 500;
        if (!front.hasDate) delete answer.headers.date;
        const body = Buffer.concat(chunks);
        if (key !== undefined) kept.set(key, { status, headers: answer.headers, body });
        outgoing.writeHead(status, answer.headers).end(body);
      });
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const front: CachingFront = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stamp: { age: '12' },
    keyOf: (url) => url,
    isPolite: false,
    hasDate: true,
    hits: 0,
    asked: [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return front;
}
