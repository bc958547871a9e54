import { MockAgent } from 'undici';
import { describe, expect, it } from 'vitest';
import { FetcherClosedError } from '../../../src/artifacts/download-errors.js';
import { sha256Hex } from '../../../src/base/digest.js';
import { FakeClock } from '../../support/base/fake-clock.js';
import { rawApi, scriptedApi } from '../../support/http/scripted-api.js';
import { failureOf } from '../../support/http/test-client.js';
import {
  bytesOf,
  fileRequest,
  lost,
  stored,
  testFetcher,
} from '../../support/http/test-fetcher.js';
import { fault } from '../../support/base/fault.js';

const SHORT = 'a,b\n1,2\n';
const LONG = 'a,b\n' + '3,4\n'.repeat(50_000);
const head = (...headers: string[]) => ['HTTP/1.1 200 OK', ...headers, '', ''].join('\r\n');

/** How a first try may break off after most of a long body; the second try then gets a shorter one. */
const BREAKS = {
  'is reset': head(`Content-Length: ${LONG.length}`) + LONG.slice(0, 150_000),
  'ends short of its announced length':
    head(`Content-Length: ${LONG.length}`) + LONG.slice(0, 150_000),
  'ends in the middle of a chunk':
    head('Transfer-Encoding: chunked') + 'fffff\r\n' + LONG.slice(0, 150_000),
  'ends without the last chunk':
    head('Transfer-Encoding: chunked') +
    `${(150_000).toString(16)}\r\n${LONG.slice(0, 150_000)}\r\n`,
  'turns into nonsense':
    head('Transfer-Encoding: chunked') +
    `${(150_000).toString(16)}\r\n${LONG.slice(0, 150_000)}\r\nno chunk\r\n`,
};

it.each(Object.entries(BREAKS))(
  'a body that breaks off is fetched anew when it %s, and leaves no byte of the first try',
  fault('F-21'),
  async (how, said) => {
    await using host = await rawApi((socket, connection) => {
      if (connection > 1) socket.end(head(`Content-Length: ${SHORT.length}`) + SHORT);
      else if (how === 'is reset') socket.write(said, () => socket.resetAndDestroy());
      else socket.end(said);
    });
    await using fetcher = testFetcher();
    const file = stored(await fetcher.fetch(fileRequest(host.url)));
    expect(file).toMatchObject({ bytes: SHORT.length, sha256: sha256Hex(SHORT), rowCount: 1 });
    expect((await bytesOf(file)).toString()).toBe(SHORT);
    expect(fetcher.storage.place.staged.size).toBe(1);
    expect(fetcher.stats).toMatchObject({ requests: 2, retries: 1 });
  },
);

it('a body that breaks off every time is given up, and the reason says how often it was tried', async () => {
  await using host = await rawApi((socket) => socket.end(BREAKS['is reset']));
  await using fetcher = testFetcher({ maxAttempts: 3 });
  const outcome = lost(await fetcher.fetch(fileRequest(`${host.url}/a?sig=canary`)));
  expect(outcome.status).toBe('failed');
  expect(outcome.reason).toMatch(/^127\.0\.0\.1:\d+ .*; given up after 3 attempts$/);
  expect(host.connections()).toBe(3);
  expect(fetcher.storage.place.staged.size).toBe(0);
});

it('a body that breaks off is told from a host that refuses connections', async () => {
  const gone = await scriptedApi({ body: SHORT });
  await gone[Symbol.asyncDispose]();
  await using fetcher = testFetcher({ maxAttempts: 2 });
  expect(lost(await fetcher.fetch(fileRequest(gone.url)))).toEqual({
    status: 'failed',
    reason: `${gone.host} refused the connection; given up after 2 attempts`,
  });
});

it('a body that breaks off is told from an untrusted certificate, which no second try changes', async () => {
  const dispatcher = new MockAgent();
  const code = 'DEPTH_ZERO_SELF_SIGNED_CERT';
  const error = Object.assign(new Error('self-signed certificate'), { code });
  dispatcher.get('https://files.example').intercept({ path: '/a' }).replyWithError(error);
  await using fetcher = testFetcher({ dispatcher });
  expect(lost(await fetcher.fetch(fileRequest('https://files.example/a')))).toEqual({
    status: 'failed',
    reason: `files.example failed: self-signed certificate (${code})`,
  });
  expect(fetcher.stats.retries).toBe(0);
  await dispatcher.close();
});

it('a body that breaks off is told from a name that does not resolve', async () => {
  const error = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
  await using fetcher = testFetcher({
    maxAttempts: 1,
    lookup: (_hostname, _options, callback) => callback(error, '', 0),
  });
  expect(lost(await fetcher.fetch(fileRequest('http://nowhere.example/a'))).reason).toBe(
    'nowhere.example does not resolve; given up after 1 attempt',
  );
});

const deadline = { timeoutMs: 5000, maxAttempts: 1 };

it.each([
  ['sends no headers', ''],
  ['drips one byte at a time', head('Content-Length: 1000') + 'a'],
  ['drips an error page', 'HTTP/1.1 500 Oops\r\nContent-Length: 1000\r\n\r\na'],
])(
  'a host that takes its time is cut off by a deadline for the whole request when it %s',
  fault('F-3'),
  async (_, said) => {
    const clock = new FakeClock();
    let isAsked: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    await using host = await rawApi((socket) => {
      if (said === '') isAsked();
      else socket.write(said, () => setImmediate(() => socket.write('b', isAsked)));
    });
    await using fetcher = testFetcher({ ...deadline, clock });
    const fetching = fetcher.fetch(fileRequest(host.url, { deadlineMs: null }));
    await asked;
    await clock.advance(5000);
    expect(lost(await fetching).reason).toMatch(
      /^127\.0\.0\.1:\d+ took longer than 5\.0 s for the file; given up after 1 attempt$/,
    );
    expect(fetcher.storage.place.staged.size).toBe(0);
    expect(clock.sleeping).toBe(0);
  },
);

it.each([
  ['seconds', { 'retry-after': '20' }],
  [
    'a date, by its own clock',
    { 'retry-after': 'Mon, 01 Jan 2035 00:00:20 GMT', date: 'Mon, 01 Jan 2035 00:00:00 GMT' },
  ],
])(
  'a host that takes its time is not asked again before its Retry-After is over, in %s',
  async (_, headers) => {
    const clock = new FakeClock();
    await using host = await scriptedApi({ status: 503, headers }, { body: SHORT });
    await using fetcher = testFetcher({ clock, timeoutMs: 60_000 });
    const fetching = fetcher.fetch(fileRequest(host.url, { deadlineMs: null }));
    // The retry is counted when the wait begins.
    while (fetcher.stats.retries === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(19_999);
    expect(host.seen).toHaveLength(1);
    await clock.advance(1);
    stored(await fetching);
    expect(host.seen).toHaveLength(2);
  },
);

it.each([408, 429, 500, 502, 503, 504])(
  'a host that takes its time is asked again after a %i',
  async (status) => {
    await using host = await scriptedApi({ status }, { body: SHORT });
    await using fetcher = testFetcher();
    stored(await fetcher.fetch(fileRequest(host.url)));
    expect(host.seen).toHaveLength(2);
  },
);

it('a host that takes its time is not asked for ever', async () => {
  await using host = await scriptedApi({ status: 500 });
  await using fetcher = testFetcher({ maxAttempts: 4 });
  expect(lost(await fetcher.fetch(fileRequest(host.url))).reason).toBe(
    `${host.host} answered 500; given up after 4 attempts`,
  );
  expect(host.seen).toHaveLength(4);
});

describe('calling a download off', () => {
  it.each(['abort', 'close'] as const)(
    'by %s leaves nothing staged and throws why',
    async (how) => {
      let isAsked: () => void = () => undefined;
      const asked = new Promise<void>((resolve) => (isAsked = resolve));
      await using host = await rawApi((socket) => {
        socket.write(head(`Content-Length: ${LONG.length}`) + LONG.slice(0, 100_000), isAsked);
      });
      const fetcher = testFetcher();
      const controller = new AbortController();
      const reason = new Error('stop');
      const request = fileRequest(host.url, { signal: controller.signal });
      const failing = failureOf(fetcher.fetch(request));
      await asked;
      if (how === 'abort') controller.abort(reason);
      else await fetcher.close();
      const failure = await failing;
      if (how === 'abort') expect(failure).toBe(reason);
      else expect(failure).toBeInstanceOf(FetcherClosedError);
      expect(fetcher.storage.place.staged.size).toBe(0);
      await fetcher.close();
      expect(await failureOf(fetcher.fetch(fileRequest(host.url)))).toBeInstanceOf(
        FetcherClosedError,
      );
    },
  );

  it('before it begins asks nobody', async () => {
    await using host = await scriptedApi({ body: SHORT });
    await using fetcher = testFetcher();
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(fetcher.fetch(fileRequest(host.url, { signal }))).rejects.toThrow('stop');
    expect(host.seen).toHaveLength(0);
  });
});
