import { describe, expect, it } from 'vitest';
import { secretsInAddress, shownAddress } from '../../../../src/base/text/address.js';

describe('an address of a setting', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com:8443/prefix', 'https://api.example.com:8443/prefix'],
    ['http://[::1]:3128', 'http://[::1]:3128'],
    ['proxy.corp:3128', 'proxy.corp:3128'],
    ['proxy.corp', 'proxy.corp'],
    ['', ''],
    ['https://', 'https://'],
    ['http://u:canary@proxy:3128', 'http://***@proxy:3128'],
    ['u:canary@proxy:3128', '***@proxy:3128'],
    ['http://canary@proxy', 'http://***@proxy'],
    ['http://u:can#canary@proxy:3128', 'http://***@proxy:3128'],
    ['http://u:can/canary@proxy:3128', 'http://***@proxy:3128'],
    ['http://u:80/canary@proxy:3128', 'http://***@proxy:3128'],
    ['http://u:can?canary@proxy:3128', 'http://***@proxy:3128'],
    ['http://u:can\\canary@proxy', 'http://***@proxy'],
    ['http://u:can@canary@proxy', 'http://***@proxy'],
    ['http:/u:canary@host', 'http:/***@host'],
    ['http:u:canary@host', '***@host'],
    ['http:\\\\u:canary@host', 'http:\\\\***@host'],
    [' https://u:canary@host', ' https://***@host'],
    ['http://u:canary', 'http://u…'],
    ['http://u:canary%40host', 'http://u…'],
    ['http://u:8canary', 'http://u…'],
    ['redis://:canary', 'redis://…'],
    ['https://h/p?sv=1&sig=canary', 'https://h/p?…'],
    ['https://h/p#canary', 'https://h/p?…'],
    ['https://h/p?next=canary@example.com', 'https://***@example.com'],
  ])('%s is shown as %s', (address, shown) => {
    expect(shownAddress(address)).toBe(shown);
  });

  it.each([
    ['http://u:p%40ss@p:1', ['u:p%40ss', 'p%40ss', 'u:p@ss', 'p@ss']],
    ['http://token@p:1', ['token']],
    ['http://u:left#right@p', ['u:left#right', 'left#right', 'left', 'right']],
    ['http:/u:secret@p', ['u:secret', 'secret']],
    ['redis://queue?password=other', ['other']],
    ['https://h/p?a=short&b=a-value-that-is-long', ['a-value-that-is-long']],
    ['http://u:canary', ['canary']],
    ['http://proxy:3128/path', []],
    ['https://h', []],
    ['', []],
  ])('%s has the secrets %j', (address, secrets) => {
    expect(secretsInAddress(address)).toEqual(secrets);
  });
});
