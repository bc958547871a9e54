/** Hands requests on to an S3 server, and notes each of them in order. */
import { once } from 'node:events';
import {
  createServer,
  request as send,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

export class CountingFront implements AsyncDisposable {
  /** `GET /bucket/key`; of a list with what is asked for. */
  readonly seen: string[] = [];
  readonly #server = createServer((asked, answer) => {
    this.seen.push(`${asked.method ?? ''} ${decodeURIComponent(asked.url ?? '')}`);
    this.#handOn(asked, answer).catch(() => answer.destroy());
  });

  private constructor(readonly to: string) {}

  static async start(to: string): Promise<CountingFront> {
    const front = new CountingFront(to);
    front.#server.listen(0, '127.0.0.1');
    await once(front.#server, 'listening');
    return front;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** With the headers as they came: the host is signed. */
  async #handOn(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method, url = '', headers } = asked;
    const sent = send(new URL(url, this.to), { method, headers });
    const answering = once(sent, 'response') as Promise<[IncomingMessage]>;
    const [, [answered]] = await Promise.all([pipeline(asked, sent), answering]);
    answer.writeHead(answered.statusCode ?? 502, answered.headers);
    await pipeline(answered, answer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
