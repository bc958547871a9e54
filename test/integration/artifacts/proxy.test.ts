import type { LookupFunction } from 'node:net';
import { expect, it } from 'vitest';
import { scriptedApi } from '../../support/http/scripted-api.js';
import { fileRequest, lost, stored, testFetcher } from '../../support/http/test-fetcher.js';
import { testProxy } from '../../support/http/test-proxy.js';

const CSV = 'a,b\n1,2\n';

/** Each name with its address; others do not resolve. */
function resolver(addresses: Readonly<Record<string, string>>): LookupFunction {
  return (hostname, _options, callback) => {
    const address = addresses[hostname];
    if (address !== undefined) callback(null, [{ address, family: 4 }]);
    else callback(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }), []);
  };
}

it('files through a proxy are fetched over it, and directly where NO_PROXY says so', async () => {
  await using host = await scriptedApi({ body: CSV });
  await using proxy = await testProxy();
  await using fetcher = testFetcher({ proxy: { httpProxy: proxy.url } });
  stored(await fetcher.fetch(fileRequest(`${host.url}/a.csv?X-Amz-Signature=1`)));
  expect(proxy.seen).toMatchObject([
    { method: 'GET', target: `${host.url}/a.csv?X-Amz-Signature=1` },
  ]);
  await using exempt = testFetcher({ proxy: { httpProxy: proxy.url, noProxy: '127.0.0.0/8' } });
  stored(await exempt.fetch(fileRequest(`${host.url}/b.csv`)));
  expect([host.seen.length, proxy.seen.length]).toEqual([2, 1]);
});

it('files through a proxy may come from a public host through a proxy in a private network', async () => {
  // a proxy may answer by itself what it is handed over
  await using proxy = await scriptedApi({ body: CSV });
  const lookup = resolver({ 'files.example.com': '93.184.215.14' });
  await using fetcher = testFetcher({
    allowPrivateNetwork: false,
    lookup,
    proxy: { httpProxy: proxy.url },
  });
  stored(await fetcher.fetch(fileRequest('http://files.example.com/a.csv')));
  expect(proxy.seen[0]).toMatchObject({ url: 'http://files.example.com/a.csv' });
});

it.each([
  ['http://10.0.0.1/a', '10.0.0.1'],
  ['https://169.254.169.254/latest/meta-data', '169.254.169.254'],
  ['http://[fd00:ec2::254]/', 'fd00:ec2::254'],
  ['https://intranet.example.com/a', 'intranet.example.com leads to 10.1.2.3'],
  ['http://localhost.example.com/a', 'localhost.example.com leads to 127.0.0.1'],
])('files through a proxy never ask it for %s', async (url, what) => {
  await using proxy = await testProxy();
  const settings = { httpProxy: proxy.url, httpsProxy: proxy.url };
  const lookup = resolver({
    'intranet.example.com': '10.1.2.3',
    'localhost.example.com': '127.0.0.1',
  });
  await using fetcher = testFetcher({ allowPrivateNetwork: false, lookup, proxy: settings });
  const outcome = lost(await fetcher.fetch(fileRequest(url)));
  expect(outcome.status).toBe('rejected');
  expect(outcome.reason).toContain(`${what}, which is not a public address`);
  expect(proxy.seen).toEqual([]);
});

it('files through a proxy are judged again at every redirect', async () => {
  const location = 'http://intranet.example.com/secrets';
  await using proxy = await scriptedApi({ status: 302, headers: { location } }, { body: CSV });
  const lookup = resolver({
    'files.example.com': '93.184.215.14',
    'intranet.example.com': '192.168.1.1',
  });
  await using fetcher = testFetcher({
    allowPrivateNetwork: false,
    lookup,
    proxy: { httpProxy: proxy.url },
  });
  const outcome = lost(await fetcher.fetch(fileRequest('http://files.example.com/a.csv')));
  expect(outcome).toMatchObject({ status: 'rejected' });
  expect(outcome.reason).toContain('intranet.example.com leads to 192.168.1.1');
  expect(proxy.seen).toHaveLength(1);
});

it('files of hosts that only the proxy can resolve need --allow-private-network', async () => {
  await using proxy = await scriptedApi({ body: CSV });
  const options = { lookup: resolver({}), proxy: { httpProxy: proxy.url } };
  await using careful = testFetcher({ ...options, allowPrivateNetwork: false });
  const outcome = lost(await careful.fetch(fileRequest('http://files.example.com/a.csv')));
  expect(outcome.reason).toContain('--allow-private-network leaves the check to the proxy');
  expect(proxy.seen).toEqual([]);
  await using trusting = testFetcher({ ...options, allowPrivateNetwork: true });
  stored(await trusting.fetch(fileRequest('http://files.example.com/a.csv')));
});

it.each(['http', 'https'])(
  'files through a proxy end in a sentence where it wants credentials (%s)',
  async (scheme) => {
    await using host = await scriptedApi({ body: CSV });
    await using proxy = await testProxy({ credentials: 'ada:right' });
    const address = `http://ada:canary-pass@${proxy.host}`;
    await using fetcher = testFetcher({ proxy: { httpProxy: address, httpsProxy: address } });
    const outcome = await fetcher.fetch(fileRequest(host.url.replace('http', scheme)));
    expect(lost(outcome)).toMatchObject({
      status: 'failed',
      reason: 'the proxy asks for credentials (HTTP 407)',
    });
    expect(JSON.stringify(fetcher.logged)).not.toContain('canary');
    expect(proxy.seen).toHaveLength(1);
  },
);

it('files through a proxy are tried again when it cannot get through for the moment', async () => {
  await using proxy = await testProxy({ refuseWith: 503 });
  await using fetcher = testFetcher({ maxAttempts: 3, proxy: { httpsProxy: proxy.url } });
  const outcome = lost(await fetcher.fetch(fileRequest('https://127.0.0.1/a.csv')));
  expect(outcome.reason).toContain('refuses the connection to 127.0.0.1 (HTTP 503)');
  expect(proxy.seen).toHaveLength(3);
});

it('files through a proxy that is dead name the proxy, not the host behind it', async () => {
  const dead = await testProxy();
  await dead[Symbol.asyncDispose]();
  const lookup = resolver({ 'files.example.com': '93.184.215.14' });
  await using fetcher = testFetcher({ lookup, proxy: { httpProxy: dead.url } });
  const outcome = await fetcher.fetch(fileRequest('http://files.example.com/a.csv'));
  expect(lost(outcome).reason).toMatch(
    new RegExp(`^the proxy ${dead.host} refused the connection; given up after \\d attempts`),
  );
});
