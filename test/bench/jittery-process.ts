/** A network that holds up requests and answers, each by its own time, in a process of its own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Passes requests on to another address until it is disposed. */
export class JitteryProcess implements Disposable {
  private constructor(
    readonly baseUrl: string,
    readonly end: () => void,
  ) {}

  /** @param mostMs each way takes between 0 and so long */
  static async start(target: string, mostMs: number): Promise<JitteryProcess> {
    const child = fork(fileURLToPath(import.meta.url), [CHILD, target, String(mostMs)]);
    const [baseUrl] = (await once(child, 'message')) as [string];
    return new JitteryProcess(baseUrl, () => void child.kill());
  }

  [Symbol.dispose](): void {
    this.end();
  }
}

async function passOn(target: string, mostMs: number): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      await delay(Math.random() * mostMs);
      const { method, headers } = incoming;
      const onward = request(new URL(incoming.url ?? '/', target), { method, headers });
      incoming.pipe(onward);
      const [answer] = (await once(onward, 'response')) as [typeof incoming];
      await delay(Math.random() * mostMs);
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const CHILD = 'jittery-process';
const [, , role, target = '', mostMs = ''] = process.argv;
if (role === CHILD) process.send?.(await passOn(target, Number(mostMs)));
