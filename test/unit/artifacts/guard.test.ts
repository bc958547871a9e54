import type { LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  createGuard,
  privateNetworkOf,
  type PrivateNetwork,
} from '../../../src/artifacts/guard.js';
import { scopeOf } from '../../../src/artifacts/address-scope.js';
import { RefusedTargetError, TransferError } from '../../../src/artifacts/download-errors.js';
import { fault } from '../../support/base/fault.js';

const REFUSED_LITERALS = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '0',
  '10.1.2.3',
  '172.31.255.255',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '100.100.100.200',
  '192.0.0.192',
  '198.18.0.1',
  '192.0.2.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '[::]',
  '[::1]',
  '[::ffff:7f00:1]',
  '[::ffff:10.0.0.1]',
  '[::127.0.0.1]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[fec0::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[2001::1]',
  '[2002:7f00:1::]',
  '[2002:a00:1::1]',
  '[64:ff9b::10.0.0.1]',
  '[64:ff9b:1::1]',
  '[100::1]',
  '[5f00::1]',
];
const PUBLIC_LITERALS = [
  '8.8.8.8',
  '1.1.1.1',
  '172.32.0.1',
  '100.128.0.1',
  '192.0.1.1',
  '198.20.0.1',
  '223.255.255.255',
  '[2606:4700::1111]',
  '[2a00:1450::1]',
  '[64:ff9b::8.8.8.8]',
  '[2002:808:808::1]',
  '[::ffff:8.8.8.8]',
];

function checks(url: string, allowPrivateNetwork: PrivateNetwork = false): () => void {
  return () => createGuard({ allowPrivateNetwork }).check(new URL(url));
}

/** What the guard's lookup answers for a name that resolves to these addresses. */
function looksUp(addresses: string | string[], allowPrivateNetwork: PrivateNetwork = false) {
  const all = [addresses]
    .flat()
    .map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const lookup: LookupFunction = (_hostname, _options, callback) => {
    if (Array.isArray(addresses)) callback(null, all);
    else callback(null, addresses, 4);
  };
  return new Promise<unknown>((resolve, reject) => {
    createGuard({ allowPrivateNetwork, lookup }).lookup('files.example', {}, (error, address) => {
      if (error) reject(error);
      else resolve(address);
    });
  });
}

describe('the guard', () => {
  it.each(REFUSED_LITERALS)('refuses the literal address %s', fault('F-20'), (host) => {
    expect(checks(`http://${host}/a.csv`)).toThrow(RefusedTargetError);
    expect(checks(`https://${host}:8443/a.csv`)).toThrow(/not a public address/);
  });

  it.each(PUBLIC_LITERALS)('lets the literal address %s pass', (host) => {
    expect(checks(`http://${host}/a.csv`)).not.toThrow();
  });

  it('lets every address pass when private networks are allowed', () => {
    for (const host of REFUSED_LITERALS) expect(checks(`http://${host}/`, true)).not.toThrow();
  });

  it('lets only this machine pass when loopback is allowed', () => {
    for (const host of ['127.0.0.1', '127.9.9.9', '[::1]', '[::ffff:7f00:1]']) {
      expect(checks(`http://${host}/`, 'loopback')).not.toThrow();
    }
    for (const host of ['10.0.0.1', '169.254.169.254', '0.0.0.0', '[fe80::1]']) {
      expect(checks(`http://${host}/`, 'loopback')).toThrow(RefusedTargetError);
    }
  });

  it('refuses other schemes and credentials, without repeating the credentials', () => {
    expect(checks('ftp://files.example/a')).toThrow('only http and https are fetched, not ftp:');
    expect(checks('https://me:canary@files.example/a')).toThrow(
      /^the URL of files\.example carries a user name or password$/,
    );
  });

  it.each(['https://me@files.example/a', 'https://:canary@files.example/a'])(
    'refuses a user name alone, and a password alone: %s',
    (url) => {
      expect(checks(url)).toThrow('the URL of files.example carries a user name or password');
    },
  );

  it('lets a name pass, which is judged when it is resolved', () => {
    expect(checks('https://files.example/a')).not.toThrow();
  });

  it('hands a resolver’s public answers through, one or several', async () => {
    expect(await looksUp('8.8.8.8')).toBe('8.8.8.8');
    expect(await looksUp(['8.8.8.8', '2606:4700::1111'])).toHaveLength(2);
  });

  it('refuses a name when any of its addresses is private', fault('F-20'), async () => {
    await expect(looksUp(['8.8.8.8', '10.0.0.1'])).rejects.toThrow(
      'files.example leads to 10.0.0.1, which is not a public address',
    );
    await expect(looksUp('fe80::1%eth0')).rejects.toThrow(RefusedTargetError);
    await expect(looksUp(['::ffff:169.254.169.254'])).rejects.toThrow(RefusedTargetError);
    await expect(looksUp(['127.0.0.1', '10.0.0.1'], 'loopback')).rejects.toThrow(/10\.0\.0\.1/);
  });

  it('passes a resolver’s own failure on', async () => {
    const failure = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    const guard = createGuard({
      allowPrivateNetwork: false,
      lookup: (_hostname, _options, callback) => callback(failure, '', 0),
    });
    const seen = await new Promise((resolve) => guard.lookup('x.example', {}, resolve));
    expect(seen).toBe(failure);
  });

  describe('a name that a proxy is asked for', () => {
    const FAILURE = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });

    /** What becomes of a URL, and whether its name was resolved, with all of its addresses. */
    async function checked(url: string, answer: string | Error, allowed: PrivateNetwork = false) {
      const asked: unknown[] = [];
      const lookup: LookupFunction = (hostname, options, callback) => {
        asked.push([hostname, options.all]);
        if (typeof answer !== 'string') callback(answer, '', 0);
        else callback(null, [{ address: answer, family: 4 }]);
      };
      const guard = createGuard({ allowPrivateNetwork: allowed, lookup });
      const thrown: unknown = await guard.checkName(new URL(url)).catch((error: unknown) => error);
      return { thrown, asked };
    }

    it('may lead to public addresses only', async () => {
      const asked = [['files.example', true]];
      const all = await checked('https://files.example/a', '8.8.8.8');
      expect(all).toEqual({ thrown: undefined, asked });
      const { thrown } = await checked('https://files.example/a', '10.0.0.1');
      expect(thrown).toBeInstanceOf(RefusedTargetError);
    });

    it('is refused where it cannot be resolved here', async () => {
      const { thrown } = await checked('https://files.example/a', FAILURE);
      expect(thrown).toBeInstanceOf(TransferError);
      expect(thrown).toMatchObject({ cause: FAILURE });
      expect((thrown as Error).message).toContain('does not resolve on this machine');
    });

    it.each(['http://8.8.8.8/', 'http://[2606:4700::1111]/'])(
      'is no name where it is an address: %s',
      async (url) => {
        expect(await checked(url, FAILURE)).toEqual({ thrown: undefined, asked: [] });
      },
    );

    it('is not looked up where every address is allowed', async () => {
      const all = await checked('https://files.example/a', '10.0.0.1', true);
      expect(all).toEqual({ thrown: undefined, asked: [] });
    });
  });

  it.each([
    ['http://localhost:8080/v2', 'loopback'],
    ['http://127.0.0.1:8080', 'loopback'],
    ['http://127.100.20.255', 'loopback'],
    ['http://[::1]:1', 'loopback'],
    ['https://api.example.com', false],
    ['https://127.0.0.1.example.com', false],
    ['https://my.localhost', false],
    ['https://x127.0.0.1.org', false],
    ['http://10.0.0.1', false],
    ['no URL', false],
  ])('allows files on this machine where the service is on it: %s, %j', (baseUrl, allowed) => {
    expect(privateNetworkOf(baseUrl)).toBe(allowed);
  });

  it('counts what is no address as private', () => {
    expect(scopeOf('')).toBe('private');
    expect(scopeOf('files.example')).toBe('private');
  });
});
