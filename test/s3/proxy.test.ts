/** S3 is reached as the API and files are: through the same proxies, past them for the same hosts, trusting the same authorities. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ExportSummary } from '../../src/export/export-summary.js';
import { openStorage } from '../../src/storage/open-storage.js';
import { openssl } from '../services/programs.js';
import { CliRig } from '../support/rigs/cli-rig.js';
import { onS3 } from '../support/base/place.js';
import { privateAuthority } from '../support/http/private-authority.js';
import { hasS3 } from '../support/store/s3-server.js';
import { testProxy } from '../support/http/test-proxy.js';
import { tlsFront } from '../support/http/tls-front.js';

const BYTES = Buffer.from('kept');

onS3();
describe.skipIf(!hasS3)('an archive in a bucket behind a proxy', () => {
  let rig: CliRig;
  let gateway: string;

  beforeAll(async () => {
    rig = await CliRig.start({ users: 1, sessions: 1, jobs: 1 });
    gateway = rig.place.environment['AWS_ENDPOINT_URL_S3'] ?? '';
  });
  afterEach(() => void vi.unstubAllEnvs());
  afterAll(() => rig[Symbol.asyncDispose]());

  const storage = (endpoint = gateway) =>
    openStorage(rig.out, { s3: { endpoint, forcePathStyle: true } });

  it('is written and read through the proxy, which hands over what is not encrypted', async () => {
    await using proxy = await testProxy({ credentials: 'ada:canary-p@ss' });
    vi.stubEnv('HTTP_PROXY', `ada:canary-p%40ss@${proxy.host}`);
    const through = await storage();
    // one after the other: a connection that was kept would carry the later ones
    for (const name of ['a', 'b']) {
      await through.put(name, BYTES);
      expect(Buffer.from(await through.get(name))).toEqual(BYTES);
      await through.delete(name);
    }
    const seen = new Set(proxy.seen.map(({ method, target }) => method + new URL(target).origin));
    expect(seen).toEqual(new Set([`PUT${gateway}`, `GET${gateway}`, `DELETE${gateway}`]));
  });

  it.skipIf(openssl === undefined)(
    'is tunnelled to over TLS, trusting NODE_EXTRA_CA_CERTS, with no scheme in HTTPS_PROXY',
    async () => {
      await using authority = await privateAuthority();
      await using store = await tlsFront(authority, gateway);
      await using proxy = await testProxy({ credentials: 'ada:canary-p@ss' });
      const name = store.host.replace('127.0.0.1', 'localhost');
      const end = await rig.runProgram(rig.exportWords('--json'), {
        environment: {
          AWS_ENDPOINT_URL_S3: `https://${name}`,
          JOBVAULT_S3_FORCE_PATH_STYLE: 'true',
          NODE_EXTRA_CA_CERTS: authority.caFile,
          HTTPS_PROXY: `ada:canary-p%40ss@${proxy.host}`,
        },
      });
      expect(end, end.stderr).toMatchObject({ exitCode: 0 });
      expect((JSON.parse(end.stdout) as ExportSummary).status).toBe('complete');
      expect(await rig.files('_commits')).not.toEqual([]);
      const seen = new Set(proxy.seen.map(({ method, target }) => `${method} ${target}`));
      expect(seen).toEqual(new Set([`CONNECT ${name}`]));
      // what goes on inside is none of the proxy's business
      expect(proxy.seen.filter(({ headers }) => headers.authorization)).toEqual([]);
      expect(end.stdout + end.stderr).not.toContain('canary');
    },
  );

  it('is reached directly where NO_PROXY names its network', async () => {
    await using proxy = await testProxy();
    vi.stubEnv('HTTP_PROXY', proxy.url);
    vi.stubEnv('NO_PROXY', '127.0.0.0/8');
    await (await storage()).put('direct', BYTES);
    expect(proxy.seen).toEqual([]);
  });

  it.each(['http', 'https'])(
    'over %s is out of reach where the proxy wants credentials',
    async (scheme) => {
      await using proxy = await testProxy({ credentials: 'ada:right' });
      vi.stubEnv(`${scheme}_proxy`, `http://ada:canary-pass@${proxy.host}`);
      const failed = (await storage(gateway.replace('http', scheme))).get('jobvault.json');
      const failure = await failed.then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(failure).toMatchObject({ name: 'StorageError' });
      expect(String(failure)).toContain('the proxy asks for credentials (407)');
      expect(proxy.seen.length).toBe(1);
      expect(String((failure as Error).cause) + String(failure)).not.toContain('canary');
    },
  );

  it('is not tried where the address of the proxy makes no sense', async () => {
    vi.stubEnv('HTTP_PROXY', 'socks5://ada:canary-pass@proxy:1080');
    await expect(storage().then((opened) => opened.get('jobvault.json'))).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringMatching(
        /^HTTP_PROXY is "socks5:\/\/\*\*\*@proxy:1080"; allowed is http:\/\//,
      ) as string,
    });
  });
});
