import { expect, it } from 'vitest';
import { freePort } from '../../services/free-port.js';
import { pageOf, scriptedApi } from '../../support/http/scripted-api.js';
import { CANARY_KEY, failureOf, testClient, userId } from '../../support/http/test-client.js';
import { testProxy } from '../../support/http/test-proxy.js';

const PASSWORD = 'canary-pass%40word';

it('the service through a proxy is asked over the proxy, which hands the request over', async () => {
  await using api = await scriptedApi(pageOf([]));
  await using proxy = await testProxy();
  await using client = testClient(api.url, { proxy: { httpProxy: proxy.url } });
  expect((await client.listSessions({ userId })).records).toEqual([]);
  await client.createSession({ userId, name: 'n' }).catch(() => undefined);
  expect(proxy.seen.map(({ method }) => method)).toEqual(['GET', 'POST']);
  expect(proxy.seen[0]!.target).toMatch(new RegExp(`^${api.url}/v2/team/sessions\\?`));
  expect(api.seen[0]!.headers).toMatchObject({ 'x-pd-api-key': CANARY_KEY, host: api.host });
  expect(api.seen[1]!.body).toContain('"name":"n"');
});

it('the service through a proxy is asked directly where NO_PROXY names it', async () => {
  await using api = await scriptedApi(pageOf([]));
  await using proxy = await testProxy();
  const settings = { httpProxy: proxy.url, noProxy: 'example.com,127.0.0.1' };
  await using client = testClient(api.url, { proxy: settings });
  await client.listSessions({ userId });
  expect([api.seen.length, proxy.seen.length]).toEqual([1, 0]);
});

it('a proxy is asked with the credentials in its address, which the service never gets', async () => {
  await using api = await scriptedApi(pageOf([]));
  await using proxy = await testProxy({ credentials: 'ada:canary-pass@word' });
  const address = `http://ada:${PASSWORD}@${proxy.host}`;
  await using client = testClient(api.url, { proxy: { httpProxy: address } });
  await client.listSessions({ userId });
  expect(JSON.stringify(api.seen)).not.toContain('proxy-authorization');
});

it.each(['http', 'https'])(
  'a client ends at once, in a sentence, where the proxy wants credentials (%s)',
  async (scheme) => {
    await using api = await scriptedApi(pageOf([]));
    await using proxy = await testProxy({ credentials: 'ada:right' });
    const address = `http://ada:${PASSWORD}@${proxy.host}`;
    await using client = testClient(api.url.replace('http', scheme), {
      proxy: { httpProxy: address, httpsProxy: address },
    });
    const error = (await failureOf(client.listSessions({ userId }))) as Error;
    expect(error).toMatchObject({ name: 'AuthenticationError', attempts: 1 });
    expect(error.message).toContain(
      `the proxy ${proxy.host} asks for credentials (HTTP 407); put them into its address: http://`,
    );
    expect(JSON.stringify([error.message, error.cause, client.logged])).not.toContain('canary');
    expect(api.seen).toEqual([]);
  },
);

it.each([
  [403, 3],
  [502, 4],
])(
  'the service through a proxy tells that a proxy answers a tunnel with %i',
  async (status, attempts) => {
    await using proxy = await testProxy({ refuseWith: status });
    await using client = testClient('https://api.example.com', {
      proxy: { httpsProxy: proxy.url },
    });
    const error = (await failureOf(client.createSession({ userId, name: 'n' }))) as Error;
    expect(error).toMatchObject({ name: 'UnreachableError', mayHaveHappened: false, attempts });
    expect(error.message).toContain(
      `the proxy ${proxy.host} refuses the connection to api.example.com (HTTP ${status})`,
    );
    expect(proxy.seen).toHaveLength(attempts);
    for (const { method, target, headers } of proxy.seen) {
      expect([method, target]).toEqual(['CONNECT', 'api.example.com:443']);
      expect(JSON.stringify(headers)).not.toContain(CANARY_KEY);
    }
  },
);

it('a client names the proxy, not the service, when the proxy cannot be reached', async () => {
  const port = await freePort();
  const proxy = { httpsProxy: `http://127.0.0.1:${port}` };
  await using client = testClient('https://api.example.com', { proxy });
  expect(((await failureOf(client.listSessions({ userId }))) as Error).message).toContain(
    `the proxy 127.0.0.1:${port} refuses the connection (ECONNREFUSED)`,
  );
});

it('the service through a proxy makes no client with a proxy that makes no sense', () => {
  const proxy = { httpsProxy: `ftp://ada:${PASSWORD}@p:1` };
  expect(() => testClient('https://api.example.com', { proxy })).toThrow(
    /^HTTPS_PROXY is "ftp:\/\/\*\*\*@p:1"; allowed is/,
  );
});
