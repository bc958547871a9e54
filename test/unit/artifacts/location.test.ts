import { expect, it } from 'vitest';
import { resolveLocation } from '../../../src/artifacts/resolve-location.js';
import { fault } from '../../support/base/fault.js';

const base = new URL('https://store.example/bucket/');

function resolved(sent: string, storageBase: URL | undefined = base): string {
  const location = resolveLocation(sent, storageBase);
  return 'url' in location ? location.url.href : location.lost.status;
}

it('resolveLocation takes a URL as it is, query and all', () => {
  const url = 'https://files.example/a%20b.csv?X-Amz-Signature=a%2Fb&x=1';
  expect(resolved(url)).toBe(url);
  expect(resolved(`  ${url}\n`)).toBe(url);
});

it('resolveLocation looks a bare key up under the base, each segment encoded', () => {
  expect(resolved('team/t 1.csv')).toBe('https://store.example/bucket/team/t%201.csv');
  expect(resolved('a?b#c%2e/ü.csv')).toBe('https://store.example/bucket/a%3Fb%23c%252e/%C3%BC.csv');
  expect(resolved('a\\..\\b')).toBe('https://store.example/bucket/a%5C..%5Cb');
  expect(resolved('x@evil.example:80')).toBe('https://store.example/bucket/x%40evil.example%3A80');
});

it('resolveLocation keeps the query of the base', () => {
  expect(resolved('a.csv', new URL('https://store.example/x?token=1'))).toBe(
    'https://store.example/x/a.csv?token=1',
  );
});

it('resolveLocation calls a bare key unresolved where there is no base', fault('F-26'), () => {
  const location = resolveLocation('team/t.csv', undefined);
  expect(location).toEqual({
    lost: {
      status: 'unresolved',
      reason:
        'the service gave only a path of the file, no web address, and --storage-base-url is not set',
    },
  });
});

it.each([
  '',
  '/',
  '//evil.example/a',
  '/a',
  'a//b',
  'a/',
  '../a',
  'a/../b',
  'a/.',
  './a',
  '\ud800',
])('resolveLocation rejects the key %j', (key) => {
  expect(resolved(key)).toBe('rejected');
});

it.each(['ftp://h/a', 's3://b/k', 'file:///etc/passwd', 'file:/etc/passwd', 'data:text/csv,a'])(
  'resolveLocation says that %s is not fetched, with or without a base',
  fault('F-47'),
  (url) => {
    expect(resolved(url)).toBe('not_fetched');
    expect(resolveLocation(url, undefined)).toMatchObject({ lost: { status: 'not_fetched' } });
  },
);

it.each(['http://', 'https://[fe80::1%25lo]/'])(
  'resolveLocation rejects %s with or without a base',
  (url) => {
    expect(resolved(url)).toBe('rejected');
    expect(resolveLocation(url, undefined)).toMatchObject({ lost: { status: 'rejected' } });
  },
);
