import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExportSummary } from '../../src/export/export-summary.js';
import { openssl } from '../services/programs.js';
import { CliRig } from '../support/rigs/cli-rig.js';
import { privateAuthority } from '../support/http/private-authority.js';
import { scriptedApi } from '../support/http/scripted-api.js';
import { testProxy } from '../support/http/test-proxy.js';
import { tlsFront } from '../support/http/tls-front.js';

const CSV = 'region,revenue\nnorth,1\n';

describe('an export through a proxy', () => {
  let rig: CliRig;
  let user: string;

  beforeAll(async () => {
    rig = await CliRig.start({ users: 1, sessions: 1, jobs: 1 });
    user = rig.state.userIds()[0]!;
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const exported = (baseUrl: string, out: string, environment: Record<string, string>) => {
    const place = ['--base-url', baseUrl, '--user', user, '--out', out, '--json'];
    return rig.runProgram(['export', ...place, '--log-level', 'debug'], { environment });
  };

  it('hands over what is not encrypted, API and files alike', async () => {
    await using proxy = await testProxy();
    const end = await exported(rig.emulator.baseUrl, 'handed-over', { HTTP_PROXY: proxy.url });
    const hosts = new Set(proxy.seen.map(({ target }) => new URL(target).origin));
    expect(hosts).toEqual(new Set([rig.emulator.baseUrl, rig.emulator.filesUrl]));
    expect((JSON.parse(end.stdout) as ExportSummary).artifacts.stored).toBeGreaterThan(0);
  });

  it('is named by doctor where it does not run, for the service and for the store', async () => {
    await using gone = await testProxy();
    const environment = {
      HTTP_PROXY: gone.url,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    };
    await gone[Symbol.asyncDispose]();
    const place = ['--base-url', rig.emulator.baseUrl, '--user', user, '--out', 's3://bucket/a'];
    const store = ['--s3-endpoint', 'http://store.example', '--s3-region', 'here'];
    const { stdout, exitCode } = await rig.runProgram(['doctor', ...place, ...store], {
      environment,
    });
    expect(exitCode).not.toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        `FAIL +service .*the proxy ${gone.host} refuses .*\n +→ is the proxy ${gone.host} running`,
      ),
    );
    expect(stdout).toMatch(
      new RegExp(
        `FAIL +write access .*the proxy ${gone.host} cannot be reached: .*\n +→ see that the proxy is running`,
      ),
    );
    expect(stdout).not.toContain('--s3-endpoint');
  });

  it('goes directly where NO_PROXY says so', async () => {
    await using proxy = await testProxy();
    const environment = { HTTP_PROXY: proxy.url, NO_PROXY: 'localhost,127.0.0.1' };
    const end = await exported(rig.emulator.baseUrl, 'direct', environment);
    expect((JSON.parse(end.stdout) as ExportSummary).artifacts.stored).toBeGreaterThan(0);
    expect(proxy.seen).toEqual([]);
  });

  it('ends with exit code 6 and a sentence where the proxy wants credentials', async () => {
    await using proxy = await testProxy({ credentials: 'ada:right' });
    const address = `http://ada:canary-pass@${proxy.host}`;
    const end = await exported(rig.emulator.baseUrl, 'refused', { HTTP_PROXY: address });
    expect(end.exitCode).toBe(6);
    expect(JSON.parse(end.stdout)).toMatchObject({ status: 'failed' });
    expect(end.stderr).toContain('asks for credentials (HTTP 407)');
    expect(end.stdout + end.stderr).not.toContain('canary');
  });

  it('ends with exit code 2 where the address of the proxy makes no sense', async () => {
    const before = rig.emulator.stats.totalRequests;
    const environment = { http_proxy: 'socks5://ada:canary-pass@proxy:1080' };
    const end = await exported(rig.emulator.baseUrl, 'senseless', environment);
    expect(end.exitCode).toBe(2);
    expect(JSON.parse(end.stdout)).toMatchObject({ status: 'failed', exit_code: 2 });
    expect(end.stderr).toMatch(/HTTP_PROXY is "socks5:\/\/proxy:1080"; allowed is http:\/\//);
    expect(end.stdout + end.stderr).not.toContain('canary');
    expect(rig.emulator.stats.totalRequests).toBe(before);
  });

  it.skipIf(openssl === undefined)(
    'tunnels to the API and files, trusts NODE_EXTRA_CA_CERTS, and shows the proxy no key',
    async () => {
      await using authority = await privateAuthority();
      await using api = await tlsFront(authority, rig.emulator.baseUrl);
      await using host = await scriptedApi({ headers: { 'content-type': 'text/csv' }, body: CSV });
      await using files = await tlsFront(authority, host.url);
      const content = { name: 'a.csv', url: `${files.url}/over-tls.csv?X-Amz-Signature=1` };
      const block = { type: 'TABLE', stage: 'Respond', content };
      const session = rig.state.sessionIds(user)[0]!;
      rig.state.growAnswer(user, session, rig.state.jobIds(user, session)[0]!, block);
      await using proxy = await testProxy({ credentials: 'ada:canary-pass' });
      const end = await exported(api.url, 'tunnelled', {
        JOBVAULT_API_KEY: 'demo-key',
        NODE_EXTRA_CA_CERTS: authority.caFile,
        https_proxy: `http://ada:canary-pass@${proxy.host}`,
      });
      const tunnels = proxy.seen.filter(({ method }) => method === 'CONNECT');
      expect(new Set(tunnels.map(({ target }) => target))).toEqual(new Set([api.host, files.host]));
      expect(proxy.seen.length).toBe(tunnels.length);
      expect(JSON.stringify(proxy.seen)).not.toMatch(/demo-key|x-pd-api-key/);
      const summary = JSON.parse(end.stdout) as ExportSummary;
      expect(summary).toMatchObject({ status: 'complete', gaps: [] });
      const artifacts = join(rig.directory, 'tunnelled', 'artifacts');
      const stored = (await readdir(artifacts, { recursive: true })).filter((path) =>
        path.endsWith('.csv'),
      );
      const texts = stored.map((path) => readFile(join(artifacts, path), 'utf8'));
      expect(await Promise.all(texts)).toContain(CSV);
      expect(end.stdout + end.stderr).not.toContain('canary');
      const identity = await readFile(join(rig.directory, 'tunnelled', 'jobvault.json'), 'utf8');
      expect(JSON.parse(identity)).toMatchObject({ service: { base_url: api.url } });
    },
  );
});
