import { expect, it } from 'vitest';
import { checkBaseUrl, normaliseBaseUrl } from '../../../../src/base/http/base-url.js';

it.each([
  ['https://api.example.com', ''],
  ['https://API.example.com:443/', ''],
  ['https://api.example.com/v2/team', ''],
  ['https://api.example.com/v2/team/', ''],
  ['https://api.example.com//v2/team//', ''],
  ['https://api.example.com/proxy/v2/team/', '/proxy'],
  ['https://api.example.com/proxy//', '/proxy'],
  ['https://api.example.com/v2/teams', '/v2/teams'],
  ['https://api.example.com/xv2/team', '/xv2/team'],
  ['https://api.example.com/v2', '/v2'],
])(
  'the address of a service is the same with /v2/team at its end, and without: %s',
  (given, prefix) => {
    expect(checkBaseUrl(given)).toEqual({ origin: 'https://api.example.com', prefix });
    expect(normaliseBaseUrl(given)).toBe(`https://api.example.com${prefix}`);
  },
);

it.each(['api.example.com', 'ftp://x', '', 'https://'])(
  'the address of a service is a URL: "%s" is none',
  (given) => {
    for (const use of [checkBaseUrl, normaliseBaseUrl]) {
      expect(() => use(given)).toThrow(/^the base URL must be an http or https URL/);
    }
  },
);

it.each(['user:secret@h', 'https://user:secret', 'https://user:left#secret@h'])(
  'the address of a service that is no URL is shown without what may be a password: %s',
  (given) => {
    for (const use of [checkBaseUrl, normaliseBaseUrl]) {
      expect(() => use(given)).toThrow(/^the base URL must be an http or https URL/);
      expect(() => use(given)).not.toThrow(/secret|left/);
    }
  },
);

it.each(['https://h/?a=b', 'https://h/#x', 'https://user:secret@h/', 'http:/user:secret@h'])(
  'the address of a service holds no more than a place: %s',
  (given) => {
    expect(() => checkBaseUrl(given)).toThrow(/cannot be used; allowed is http/);
    expect(() => checkBaseUrl(given)).not.toThrow(/secret/);
  },
);
