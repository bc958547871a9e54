import { expect, it } from 'vitest';
import { createArtifactFetcher } from '../../../src/artifacts/fetcher.js';
import { sha256Hex } from '../../../src/base/digest.js';
import { UsageError } from '../../../src/base/error.js';
import { scriptedApi } from '../../support/http/scripted-api.js';
import {
  bytesOf,
  fileRequest,
  freshUntil,
  lost,
  stored,
  testFetcher,
} from '../../support/http/test-fetcher.js';
import { png } from '../../support/tables/tiny-image.js';
import { DEFAULT_TERMS } from '../../../src/base/terms.js';
import { fault } from '../../support/base/fault.js';

const CSV = 'city,people\nTokyo,37\n"São\nPaulo",22\n';
const XML_REFUSAL = '<?xml version="1.0"?>\n<Error><Code>ExpiredToken</Code></Error>';
const LOGIN_PAGE = '<!doctype html><html><body>Please sign in</body></html>';

it('fetching a file stores a table with its digest, its type and its shape', async () => {
  await using host = await scriptedApi({ body: CSV });
  await using fetcher = testFetcher();
  const file = stored(await fetcher.fetch(fileRequest(`${host.url}/t.png?X-Amz-Signature=s`)));
  expect(file).toMatchObject({
    mediaType: 'text/csv',
    extension: 'csv',
    rowCount: 2,
    columnCount: 2,
    bytes: Buffer.byteLength(CSV),
    sha256: sha256Hex(CSV),
    width: null,
    height: null,
  });
  expect((await bytesOf(file)).toString()).toBe(CSV);
  expect(fetcher.stats).toEqual({ requests: 1, retries: 0, bytes: Buffer.byteLength(CSV) });
  expect(host.seen[0]?.url).toBe('/t.png?X-Amz-Signature=s');
});

it('fetching a file stores an image with its size in pixels', async () => {
  const body = png({ width: 30, height: 20 });
  await using host = await scriptedApi({ headers: { 'content-type': 'text/html' }, body });
  await using fetcher = testFetcher();
  const file = stored(await fetcher.fetch(fileRequest(host.url, { kind: 'IMAGE' })));
  expect(file).toMatchObject({
    mediaType: 'image/png',
    extension: 'png',
    width: 30,
    height: 20,
    rowCount: null,
    columnCount: null,
    bytes: body.length,
  });
});

it('fetching a file stores a file of no bytes', fault('F-24'), async () => {
  await using host = await scriptedApi({ headers: { 'content-length': '0' } });
  await using fetcher = testFetcher();
  const file = stored(await fetcher.fetch(fileRequest(host.url)));
  expect(file).toMatchObject({ bytes: 0, sha256: sha256Hex(''), rowCount: 0, columnCount: 0 });
});

it('fetching a file tells the host nothing but what it must know', async () => {
  const cookie = { 'set-cookie': 'session=canary; Path=/' };
  await using host = await scriptedApi(
    { status: 302, headers: { ...cookie, location: '/b' } },
    { headers: cookie, body: CSV },
  );
  await using fetcher = testFetcher();
  stored(await fetcher.fetch(fileRequest(`${host.url}/a`)));
  stored(await fetcher.fetch(fileRequest(`${host.url}/a`)));
  expect(host.seen.map(({ url }) => url)).toEqual(['/a', '/b', '/a']);
  for (const { method, headers } of host.seen) {
    expect(method).toBe('GET');
    expect(headers).toEqual({
      host: host.host,
      connection: 'keep-alive',
      'user-agent': 'jobvault-test',
      accept: '*/*',
      'accept-encoding': 'identity',
    });
  }
});

it.each([401, 403])(
  'fetching a file reads the page again when the host answers %i',
  fault('F-18'),
  async (status) => {
    await using host = await scriptedApi({ status, body: XML_REFUSAL }, { body: CSV });
    await using fetcher = testFetcher();
    const request = fileRequest(`${host.url}/old`, { fresh: [`${host.url}/new`] });
    stored(await fetcher.fetch(request));
    expect(request.refreshes()).toBe(1);
    expect(host.seen.map(({ url }) => url)).toEqual(['/old', '/new']);
  },
);

it('a 400 with an expired token in XML is a refusal, and another 400 what it says', async () => {
  await using host = await scriptedApi({ status: 400, body: XML_REFUSAL });
  await using fetcher = testFetcher();
  expect(lost(await fetcher.fetch(fileRequest(host.url))).status).toBe('forbidden');
  await using plain = await scriptedApi({ status: 400, body: 'bad token' });
  expect(lost(await fetcher.fetch(fileRequest(plain.url)))).toEqual({
    status: 'failed',
    reason: `${plain.host} answered 400`,
  });
});

it.each([404, 410])(
  'fetching a file calls a file missing after one %i',
  fault('F-19'),
  async (status) => {
    await using host = await scriptedApi({ status, body: XML_REFUSAL });
    await using fetcher = testFetcher();
    expect(lost(await fetcher.fetch(fileRequest(`${host.url}/a?sig=canary`)))).toEqual({
      status: 'missing',
      reason: `${host.host} answered ${status}`,
    });
    expect(host.seen).toHaveLength(1);
  },
);

it(
  'fetching a file takes a page for a refusal, and rejects it when it comes from a fresh URL',
  fault('F-25'),
  async () => {
    await using host = await scriptedApi({ body: LOGIN_PAGE }, { body: CSV });
    await using fetcher = testFetcher();
    stored(await fetcher.fetch(fileRequest(host.url)));
    await using closed = await scriptedApi({ body: LOGIN_PAGE });
    expect(lost(await fetcher.fetch(fileRequest(closed.url)))).toEqual({
      status: 'rejected',
      reason: `${closed.host} sent text/html where a TABLE should be, also from fresh URLs`,
    });
    expect(closed.seen).toHaveLength(2);
    expect(fetcher.storage.place.staged.size).toBe(1); // the file that was handed out
  },
);

it('fetching a file never requests a URL that is past its deadline', fault('F-18'), async () => {
  await using host = await scriptedApi({ body: CSV });
  await using fetcher = testFetcher();
  const fresh = [{ url: `${host.url}/new`, deadlineMs: freshUntil() }];
  stored(await fetcher.fetch(fileRequest(`${host.url}/old`, { deadlineMs: 0, fresh })));
  expect(host.seen.map(({ url }) => url)).toEqual(['/new']);
});

it(
  'fetching a file looks a bare key up under the base, and calls it unresolved without one',
  fault('F-26'),
  async () => {
    await using host = await scriptedApi({ body: CSV });
    await using fetcher = testFetcher({ storageBaseUrl: `${host.url}/bucket/` });
    stored(await fetcher.fetch(fileRequest('team a/t.csv')));
    expect(host.seen[0]?.url).toBe('/bucket/team%20a/t.csv');
    await using baseless = testFetcher();
    expect(lost(await baseless.fetch(fileRequest('team/t.csv'))).status).toBe('unresolved');
    expect(baseless.stats.requests).toBe(0);
  },
);

it('fetching a file resolves a bare key that a refresh brings, too', async () => {
  await using host = await scriptedApi({ status: 403 }, { body: CSV });
  await using fetcher = testFetcher({ storageBaseUrl: host.url });
  const fresh = [{ url: '../climb', deadlineMs: null }];
  expect(lost(await fetcher.fetch(fileRequest('a.csv', { fresh }))).status).toBe('rejected');
});

it.each([204, 206, 302, 304, 418])(
  'fetching a file does not take the body of a %i for the file',
  async (status) => {
    await using host = await scriptedApi({ status });
    await using fetcher = testFetcher({ maxAttempts: 2 });
    expect(lost(await fetcher.fetch(fileRequest(host.url))).status).toBe('failed');
    expect(fetcher.storage.place.staged.size).toBe(0);
  },
);

it('fetching a file serves hundreds of files under one signal without a warning', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  await using host = await scriptedApi({ body: CSV });
  await using fetcher = testFetcher();
  const { signal } = new AbortController();
  const files = await Promise.all(
    Array.from({ length: 300 }, () => fetcher.fetch(fileRequest(host.url, { signal }))),
  );
  expect(files.filter(({ status }) => status === 'stored')).toHaveLength(300);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(warnings).toEqual([]);
});

it.each([
  [{ storageBaseUrl: 'files' }, /storage-base-url must be an http or https URL/],
  [{ storageBaseUrl: 's3://bucket' }, /storage-base-url/],
  [{ storageBaseUrl: 'https://me:canary@files.example' }, /^(?!.*canary)/],
  [{ concurrency: 0 }, 'file-concurrency must be a number of at least 1, not 0'],
  [{ maxFileBytes: NaN }, /max-file-size/],
  [{ maxAttempts: -1 }, /file attempts/],
  [{ timeoutMs: Infinity }, /file timeout/],
])('the options refuses %j in one sentence', (options, message) => {
  const make = () => testFetcher(options);
  expect(make).toThrow(UsageError);
  expect(make).toThrow(message);
});

it('the options has defaults for all but what touches the world', async () => {
  const { storage, logged } = testFetcher();
  const logger = {
    debug: () => logged,
    info: () => logged,
    warn: () => logged,
    error: () => logged,
  };
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: () => new Promise<never>(() => undefined),
  };
  const random = { fraction: () => 0, bytes: () => new Uint8Array() };
  const fetcher = createArtifactFetcher({
    storage,
    clock,
    random,
    logger,
    terms: DEFAULT_TERMS,
    userAgent: 'x',
  });
  const outcome = await fetcher.fetch(fileRequest('http://127.0.0.1:1/a'));
  expect(outcome.status).toBe('rejected');
  await fetcher.close();
});
