import { getEventListeners } from 'node:events';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Agent } from 'undici';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../services/free-port.js';
import { rawApi, scriptedApi } from '../../support/http/scripted-api.js';
import { failureOf, testClient, userId } from '../../support/http/test-client.js';
import { fault } from '../../support/base/fault.js';

const PAGE = '{"code":0,"data":{"total_items":1,"records":[{"id":"s1"}]}}';
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

/** A whole answer, after which the server closes. */
const whole = (body = PAGE): string =>
  `${HEAD}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;

describe('a connection that breaks', () => {
  it.each([
    ['before the headers', (socket: Socket) => socket.destroy()],
    ['in the headers', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nConte')],
    [
      'in the middle of a body with a length',
      (socket: Socket) =>
        socket.end(`${HEAD}Content-Length: ${PAGE.length}\r\n\r\n${PAGE.slice(0, 20)}`),
    ],
    [
      'in the middle of a chunk',
      (socket: Socket) =>
        socket.end(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${PAGE.length.toString(16)}\r\n{"co`),
    ],
    [
      'by a reset in the body',
      (socket: Socket) => {
        socket.write(`${HEAD}Content-Length: ${PAGE.length}\r\n\r\n{"code":0`, () =>
          socket.resetAndDestroy(),
        );
      },
    ],
    [
      'without any sign but that the JSON ends early',
      (socket: Socket) => socket.end(`${HEAD}Connection: close\r\n\r\n${PAGE.slice(0, -3)}`),
    ],
    [
      'in the middle of gzip',
      (socket: Socket) => {
        socket.write(`${HEAD}Content-Encoding: gzip\r\nConnection: close\r\n\r\n`);
        socket.end(gzipSync(PAGE).subarray(0, 30));
      },
    ],
  ])('%s: the whole request is sent again', fault('F-1', 'F-2'), async (_where, breakOff) => {
    await using api = await rawApi((socket, connection) => {
      if (connection < 3) breakOff(socket);
      else socket.end(whole());
    });
    await using client = testClient(api.url);
    const page = await client.listSessions({ userId });
    expect(page.records.map(({ text }) => text)).toEqual(['{"id":"s1"}']);
    expect(client.stats).toMatchObject({ requests: 3, retries: 2 });
  });

  it('for good is reported with the number of attempts', fault('F-1'), async () => {
    await using api = await rawApi((socket) => socket.destroy());
    await using client = testClient(api.url);
    expect(await failureOf(client.listSessions({ userId }))).toMatchObject({
      name: 'UnreachableError',
      failure: 'unreachable',
      attempts: 4,
      message: expect.stringMatching(
        /^could not list sessions: the connection to .* broke .*after 4 attempts/,
      ),
    });
  });
});

it.each(['127.0.0.1', 'localhost'])(
  'a service that refuses connections is tried again, even with a POST: %s',
  async (host) => {
    const port = await freePort();
    await using client = testClient(`http://${host}:${port}`);
    const error = await failureOf(client.createSession({ userId, name: 'n' }));
    expect(error).toMatchObject({
      name: 'UnreachableError',
      attempts: 4,
      mayHaveHappened: false,
    });
    expect((error as Error).message).toContain(
      `${host}:${port} refuses the connection (ECONNREFUSED)`,
    );
  },
);

it.each([
  ['ENOTFOUND', 3, 'the host of no-such-host.invalid cannot be found'],
  ['EAI_AGAIN', 5, 'DNS does not answer for no-such-host.invalid'],
])(
  'a service that is not there is given up soon where its name leads nowhere: %s',
  async (code, attempts, message) => {
    const failed = Object.assign(new Error(code), { code, syscall: 'getaddrinfo' });
    const dispatcher = new Agent({
      connect: { lookup: (_name, _options, answer) => answer(failed, '') },
    });
    await using client = testClient('http://no-such-host.invalid', { maxAttempts: 5, dispatcher });
    const error = await failureOf(client.createSession({ userId, name: 'n' }));
    expect(error).toMatchObject({ name: 'UnreachableError', mayHaveHappened: false, attempts });
    expect((error as Error).message).toContain(message);
    await dispatcher.close();
  },
);

it('a service that is not there is recognised when something answers that is not HTTP', async () => {
  await using api = await rawApi((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
  await using client = testClient(api.url);
  const error = await failureOf(client.listSessions({ userId }));
  expect((error as Error).message).toContain('does not answer in HTTP');
});

describe('a service that is slow', () => {
  const drip = (socket: Socket, text: string): void => {
    let at = 0;
    const timer = setInterval(() => socket.write(text[at++ % text.length]!), 10);
    socket.on('close', () => clearInterval(timer));
  };

  it.each([
    ['never answers', () => undefined],
    [
      'drips its headers',
      (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX-Slow: abcdefghijklmnopqrstuvwxyz'),
    ],
    [
      'drips its body',
      (socket: Socket) => {
        socket.write(`${HEAD}Content-Length: 100000\r\n\r\n`);
        drip(socket, ' ');
      },
    ],
  ])(
    'is left after the deadline for the whole request: it %s',
    fault('F-3'),
    async (_how, talk) => {
      await using api = await rawApi(talk);
      await using client = testClient(api.url, { requestTimeoutMs: 150, maxAttempts: 2 });
      expect(await failureOf(client.listSessions({ userId }))).toMatchObject({
        name: 'RequestTimeoutError',
        failure: 'unreachable',
        attempts: 2,
        message: expect.stringContaining('no complete answer within 150 ms'),
      });
    },
  );

  it('still counts as failed with the status it sent, when the error page never ends', async () => {
    await using api = await rawApi((socket) => {
      socket.write('HTTP/1.1 503 Busy\r\nContent-Length: 100\r\n\r\nwait');
    });
    await using client = testClient(api.url, { requestTimeoutMs: 150, maxAttempts: 1 });
    const error = await failureOf(client.listSessions({ userId }));
    expect(error).toMatchObject({ name: 'ServerFailureError', status: 503 });
  });

  it('is not asked a second time to create anything', async () => {
    await using api = await rawApi(() => undefined);
    await using client = testClient(api.url, { requestTimeoutMs: 100 });
    const error = await failureOf(client.createSession({ userId, name: 'n' }));
    expect(error).toMatchObject({ name: 'RequestTimeoutError', attempts: 1 });
  });
});

it.each(['client', 'request'] as const)(
  'calling off ends a request at once with the reason given: %s',
  async (whose) => {
    await using api = await scriptedApi(() => undefined);
    const controller = new AbortController();
    const { signal } = controller;
    await using client = testClient(api.url, whose === 'client' ? { signal } : {});
    const failure = failureOf(
      client.listSessions({ userId, ...(whose === 'request' && { signal }) }),
    );
    await expect.poll(() => api.seen.length).toBe(1);
    const reason = new Error('interrupted');
    controller.abort(reason);
    expect(await failure).toBe(reason);
    expect(api.seen).toHaveLength(1);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  },
);

it('calling off ends the wait between attempts at once', async () => {
  await using api = await scriptedApi({ status: 503, headers: { 'retry-after': '60' } });
  const controller = new AbortController();
  await using client = testClient(api.url, { signal: controller.signal });
  const failure = failureOf(client.listSessions({ userId }));
  await expect
    .poll(() => client.logged.some(([, message]) => message.includes('trying')))
    .toBe(true);
  controller.abort('interrupted');
  expect(await failure).toBe('interrupted');
});
