import type { LookupFunction } from 'node:net';
import { MockAgent } from 'undici';
import { expect, it } from 'vitest';
import { scriptedApi } from '../../support/http/scripted-api.js';
import { fileRequest, lost, stored, testFetcher } from '../../support/http/test-fetcher.js';
import { fault } from '../../support/base/fault.js';

const CSV = 'a,b\n1,2\n';

/** A resolver that gives these answers in turn, the last one for ever, in the shape that Node asks for. */
function resolver(...addresses: string[]): LookupFunction & { calls: () => number } {
  let calls = 0;
  const lookup: LookupFunction = (_hostname, options, callback) => {
    const address = addresses[Math.min(calls++, addresses.length - 1)] ?? '';
    const family = address.includes(':') ? 6 : 4;
    if (options.all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
  return Object.assign(lookup, { calls: () => calls });
}

const portOf = (url: string) => new URL(url).port;

it('the guards refuse this machine itself unless it is allowed', fault('F-20'), async () => {
  await using host = await scriptedApi({ body: CSV });
  await using fetcher = testFetcher({ allowPrivateNetwork: false });
  const port = portOf(host.url);
  for (const name of [
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '[::ffff:7f00:1]',
    '[::1]',
    'localhost',
  ]) {
    const outcome = lost(await fetcher.fetch(fileRequest(`http://${name}:${port}/a?sig=canary`)));
    expect(outcome.status).toBe('rejected');
    expect(outcome.reason).toContain('which is not a public address');
    expect(outcome.reason).not.toContain('canary');
  }
  expect(host.seen).toHaveLength(0);
});

it('the guards let every address pass when private networks are allowed', async () => {
  await using host = await scriptedApi({ body: CSV });
  await using fetcher = testFetcher({ allowPrivateNetwork: true });
  stored(await fetcher.fetch(fileRequest(host.url)));
});

it.each([
  'http://10.0.0.1/a',
  'http://169.254.169.254/latest/meta-data',
  'http://[fd00:ec2::254]/',
  'http://[::ffff:a00:1]/',
  'http://3232235777/',
  'ftp://127.0.0.1/a',
  'https://me:pw@127.0.0.1/',
])('the guards refuse a redirect to %s', fault('F-20'), async (location) => {
  await using host = await scriptedApi({ status: 302, headers: { location } }, { body: CSV });
  await using fetcher = testFetcher();
  const outcome = lost(await fetcher.fetch(fileRequest(host.url)));
  expect(outcome.status).toBe('rejected');
  expect(outcome.reason).not.toContain('pw');
  expect(host.seen).toHaveLength(1);
});

it(
  'the guards refuse a redirect to a name that resolves to a private address',
  fault('F-20'),
  async () => {
    const lookup = resolver('192.168.7.7');
    const headers = { location: 'http://intranet.example/a?sig=canary' };
    await using host = await scriptedApi({ status: 307, headers });
    await using fetcher = testFetcher({ lookup });
    expect(lost(await fetcher.fetch(fileRequest(host.url)))).toEqual({
      status: 'rejected',
      reason:
        'intranet.example leads to 192.168.7.7, which is not a public address (--allow-private-network allows it)',
    });
  },
);

it(
  'the guards refuse a name that is rebound to a private address between two requests',
  fault('F-20'),
  async () => {
    const lookup = resolver('127.0.0.1', '10.0.0.1');
    const again = { status: 302, headers: { location: '/again', connection: 'close' } };
    await using host = await scriptedApi(again, { body: CSV });
    await using fetcher = testFetcher({ lookup });
    const url = `http://files.example:${portOf(host.url)}/a`;
    const outcome = lost(await fetcher.fetch(fileRequest(url)));
    expect(outcome.status).toBe('rejected');
    expect(outcome.reason).toContain('10.0.0.1');
    expect(host.seen).toHaveLength(1);
    expect(lookup.calls()).toBe(2);
  },
);

it(
  'the guards connect to the very address that was checked, without asking again',
  fault('F-20'),
  async () => {
    const lookup = resolver('127.0.0.1', '10.0.0.1');
    await using host = await scriptedApi({ body: CSV });
    await using fetcher = testFetcher({ lookup });
    stored(await fetcher.fetch(fileRequest(`http://files.example:${portOf(host.url)}/a`)));
    expect(lookup.calls()).toBe(1);
  },
);

it('redirects are followed five times, relative or absolute, to other hosts, too', async () => {
  await using last = await scriptedApi({ body: CSV });
  await using host = await scriptedApi(
    ...[301, 302, 303, 307].map((status, hop) => ({
      status,
      headers: { location: `../h${hop}?sig=canary` },
    })),
    { status: 308, headers: { location: `${last.url}/end` } },
  );
  await using fetcher = testFetcher();
  stored(await fetcher.fetch(fileRequest(`${host.url}/x/y`)));
  expect(host.seen.map(({ url }) => url.split('?')[0])).toEqual([
    '/x/y',
    '/h0',
    '/h1',
    '/h2',
    '/h3',
  ]);
  expect(last.seen[0]?.headers).not.toHaveProperty('referer');
  expect(fetcher.stats.requests).toBe(6);
});

it('redirects end after five', async () => {
  await using host = await scriptedApi({ status: 302, headers: { location: '/round' } });
  await using fetcher = testFetcher();
  expect(lost(await fetcher.fetch(fileRequest(host.url)))).toEqual({
    status: 'rejected',
    reason: `${host.host} redirected more than 5 times`,
  });
  expect(host.seen).toHaveLength(6);
});

it('redirects fail where they name no place', async () => {
  await using host = await scriptedApi({ status: 302, headers: { location: 'http://' } });
  await using fetcher = testFetcher({ maxAttempts: 1 });
  expect(lost(await fetcher.fetch(fileRequest(host.url)))).toMatchObject({ status: 'failed' });
});

it('redirects are refused from https down to http', async () => {
  const dispatcher = new MockAgent();
  dispatcher.disableNetConnect();
  dispatcher
    .get('https://files.example')
    .intercept({ path: '/a' })
    .reply(302, '', { headers: { location: 'http://files.example/a?sig=canary' } });
  await using fetcher = testFetcher({ dispatcher });
  expect(lost(await fetcher.fetch(fileRequest('https://files.example/a')))).toEqual({
    status: 'rejected',
    reason: 'files.example redirects from https to plain http',
  });
  await dispatcher.close();
});
