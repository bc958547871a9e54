import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { rawApi, scriptedApi, type Script } from '../../support/http/scripted-api.js';
import { fileRequest, testFetcher } from '../../support/http/test-fetcher.js';
import { fault } from '../../support/base/fault.js';

const CANARY = 'canary-signature-7f3e';
const QUERY = `?X-Amz-Signature=${CANARY}&X-Amz-Credential=${CANARY}`;

/** Every way for a file to be lost: the host says this to every request. */
const TROUBLES: Readonly<Record<string, Script>> = {
  refused: {
    status: 403,
    body: `<?xml version="1.0"?><Error><Resource>/a${QUERY}</Resource></Error>`,
  },
  'an expired token': { status: 400, body: `<Error><Code>ExpiredToken</Code>${QUERY}</Error>` },
  missing: { status: 404, body: `no ${QUERY}` },
  'a page': { body: `<html><a href="/a${QUERY}">again</a></html>` },
  'a server error': { status: 500, body: QUERY },
  'a teapot': { status: 418, body: QUERY },
  'a redirect to a private address': {
    status: 302,
    headers: { location: `http://10.0.0.1/${QUERY}` },
  },
  'a redirect with a password': {
    status: 302,
    headers: { location: `http://${CANARY}:${CANARY}@127.0.0.1/` },
  },
  'a redirect for ever': { status: 302, headers: { location: `/b${QUERY}` } },
  'a redirect to nowhere': { status: 302, headers: { location: `http://[${CANARY}` } },
  'a redirect elsewhere': { status: 302, headers: { location: `ftp://127.0.0.1/${QUERY}` } },
};

async function fetchAll(url: string) {
  await using fetcher = testFetcher({ maxAttempts: 2, maxFileBytes: 1000 });
  const outcomes = [];
  for (const kind of ['TABLE', 'IMAGE']) {
    const deaf = fileRequest(`${url}/a${QUERY}`, { kind });
    const forgetful = fileRequest(`${url}/a${QUERY}`, { kind, fresh: [undefined] });
    const failing = fileRequest(`${url}/a${QUERY}`, {
      kind,
      refresh: () => Promise.reject(new Error(`GET ${url}/history${QUERY} failed`)),
    });
    for (const request of [deaf, forgetful, failing]) outcomes.push(await fetcher.fetch(request));
  }
  return { outcomes, seen: inspect([outcomes, fetcher.logged, fetcher.stats], { depth: 9 }) };
}

it.each(Object.entries(TROUBLES))(
  'a URL’s signature is in no reason and no log line after %s',
  async (_, script) => {
    await using host = await scriptedApi(script);
    const { outcomes, seen } = await fetchAll(host.url);
    expect(outcomes.map(({ status }) => status)).not.toContain('stored');
    expect(seen).not.toContain(CANARY);
    expect(seen).toContain('tried a file');
  },
);

it.each([
  ['a reset', (socket: { resetAndDestroy: () => void }) => socket.resetAndDestroy()],
  ['nonsense', (socket: { end: (text: string) => void }) => socket.end(`${CANARY}\r\n\r\n`)],
] as const)('a URL’s signature is in no reason and no log line after %s', async (_, talk) => {
  await using host = await rawApi(talk);
  const { outcomes, seen } = await fetchAll(host.url);
  expect(outcomes.map(({ status }) => status)).not.toContain('stored');
  expect(seen).not.toContain(CANARY);
});

it(
  'a URL’s signature is in no reason where the location itself is at fault',
  fault('F-38'),
  async () => {
    await using fetcher = testFetcher();
    for (const url of [
      `http://[x]/${QUERY}`,
      `ftp://f.example/${QUERY}`,
      `../${QUERY}`,
      `https://u:${CANARY}@f.example/`,
    ]) {
      const outcome = await fetcher.fetch(fileRequest(url));
      expect(outcome.status).not.toBe('stored');
      expect(inspect(outcome)).not.toContain(CANARY);
    }
  },
);
