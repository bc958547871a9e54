import { describe, expect, it } from 'vitest';
import { proxyFor, proxyFromEnvironment, proxySecrets } from '../../../../src/base/http/proxy.js';

const HTTPS = new URL('https://api.example.com/v2');
const HTTP = new URL('http://api.example.com/v2');

describe('a proxy', () => {
  it('is found by the scheme of the target', () => {
    const settings = { httpProxy: 'http://one:3128', httpsProxy: 'https://two:8443' };
    expect(proxyFor(HTTP, settings)).toMatchObject({ origin: 'http://one:3128', host: 'one:3128' });
    expect(proxyFor(HTTPS, settings)).toMatchObject({ origin: 'https://two:8443' });
    expect(proxyFor(HTTPS, { httpProxy: 'http://one:3128' })).toBeUndefined();
    expect(proxyFor(HTTPS, {})).toBeUndefined();
    expect(proxyFor(HTTPS)).toBeUndefined();
    expect(proxyFor(HTTPS, { httpsProxy: ' ' })).toBeUndefined();
  });

  it('may be named without a scheme, as curl takes it', () => {
    expect(proxyFor(HTTPS, { httpsProxy: 'proxy.corp:3128' })?.origin).toBe(
      'http://proxy.corp:3128',
    );
  });

  it('gets its credentials decoded, with or without a password', () => {
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    const of = (credentials: string) =>
      proxyFor(HTTPS, { httpsProxy: `http://${credentials}@p:1` })?.authorization;
    expect(of('ada:p%40ss%3Aword')).toBe(basic('ada:p@ss:word'));
    expect(of('ada')).toBe(basic('ada:'));
    expect(proxyFor(HTTPS, { httpsProxy: 'http://p:1' })?.authorization).toBeUndefined();
  });

  it.each([
    'socks5://user:canary@p:1',
    'http://user:canary@p:1/path',
    'http://user:canary@p:1?query=canary',
    'http://user:canary@p:99999',
    'http://user:%zz-canary@p:1',
    'user:canary@ p',
    'http://user:left#canary@p:1',
    'http://user:left/canary@p:1',
    'http://user:12/canary@p:1',
    'user:canary#right@p:1',
    'http://user:canary',
  ])('%s is refused in a sentence that holds no credentials', (httpsProxy) => {
    const refused = () => proxyFor(HTTPS, { httpsProxy });
    expect(refused).toThrow(/^HTTPS_PROXY is ".*"; allowed is http:\/\/ or https:\/\//);
    try {
      refused();
    } catch (error) {
      expect((error as Error).message).not.toContain('canary');
    }
  });

  it('is read from variables in either case, the lower one first', () => {
    expect(proxyFromEnvironment({ HTTPS_PROXY: 'a', https_proxy: 'b', no_proxy: 'c' })).toEqual({
      httpProxy: undefined,
      httpsProxy: 'b',
      noProxy: 'c',
    });
    expect(proxyFromEnvironment({ HTTP_PROXY: 'a', NO_PROXY: 'x' })).toEqual({
      httpProxy: 'a',
      httpsProxy: undefined,
      noProxy: 'x',
    });
  });

  it('has its password among the secrets', () => {
    expect(proxySecrets({ httpsProxy: 'http://ada:p%40ss@p:1', httpProxy: 'http://p:1' })).toEqual([
      'ada:p%40ss',
      'p%40ss',
      'ada:p@ss',
      'p@ss',
    ]);
  });
});

const direct = (target: string, noProxy: string) => {
  const settings = { httpProxy: 'http://p:1', httpsProxy: 'http://p:1', noProxy };
  return proxyFor(new URL(target), settings) === undefined;
};

it.each([
  ['https://api.example.com', 'example.com'],
  ['https://api.example.com', 'other.org, .example.com'],
  ['https://api.example.com', '*.EXAMPLE.com'],
  ['https://example.com.', 'example.com'],
  ['https://example.com', 'example.com:443'],
  ['http://example.com:8080', 'x example.com:8080'],
  ['https://anything.at.all', 'a,*'],
  ['http://10.1.2.3', '10.0.0.0/8'],
  ['http://10.1.2.3:81', '10.1.2.3'],
  ['http://[::1]:80', '[::1]'],
  ['http://[fd00::5]', 'fd00::/8'],
])('NO_PROXY lets %s go directly for %s', (target, list) => {
  expect(direct(target, list)).toBe(true);
});

it.each([
  ['https://notexample.com', 'example.com'],
  ['https://example.com', 'api.example.com'],
  ['https://example.com', 'example.com:8443'],
  ['http://11.1.2.3', '10.0.0.0/8'],
  ['http://10.1.2.3', '10.0.0.0/99'],
  ['http://1.10.1.2', '10.1.2'],
  ['https://example.com', ''],
])('NO_PROXY does not let %s go directly for %s', (target, list) => {
  expect(direct(target, list)).toBe(false);
});
