import { execFile } from 'node:child_process';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { Agent } from 'undici';
import { expect, it } from 'vitest';
import { openssl } from '../../services/programs.js';
import { privateAuthority, type PrivateAuthority } from '../../support/http/private-authority.js';
import { pageOf, scriptedApi } from '../../support/http/scripted-api.js';
import { CANARY_KEY, failureOf, testClient, userId } from '../../support/http/test-client.js';
import { fault } from '../../support/base/fault.js';

async function secureApi(
  authority: PrivateAuthority,
): Promise<AsyncDisposable & { readonly url: string; readonly asked: () => number }> {
  let asked = 0;
  const server = createServer(
    { key: authority.key, cert: authority.cert },
    (_request, response) => {
      asked++;
      response.end('{"code":0,"data":{"records":[]}}');
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

it.skipIf(openssl === undefined)(
  'sends no key to a server whose certificate is not trusted, and says what would help',
  async () => {
    await using authority = await privateAuthority();
    await using api = await secureApi(authority);
    await using client = testClient(api.url);
    const error = await failureOf(client.listSessions({ userId }));
    expect(error).toMatchObject({ name: 'UnreachableError', attempts: 3, mayHaveHappened: false });
    expect((error as Error).message).toMatch(
      /certificate of .* is not trusted .*NODE_EXTRA_CA_CERTS/,
    );
    expect(api.asked()).toBe(0);
  },
);

it.skipIf(openssl === undefined)(
  "talks to a private authority’s server through its caller's connections, and leaves them",
  async () => {
    await using authority = await privateAuthority();
    await using api = await secureApi(authority);
    const dispatcher = new Agent({ connect: { ca: authority.ca } });
    for (let i = 0; i < 2; i++) {
      await using client = testClient(api.url, { dispatcher });
      expect((await client.listSessions({ userId })).records).toEqual([]);
    }
    expect(dispatcher.closed).toBe(false);
    await dispatcher.close();
  },
);

it.skipIf(openssl === undefined)(
  'trusts what NODE_EXTRA_CA_CERTS names, as undici’s connections do in such a process',
  async () => {
    await using authority = await privateAuthority();
    await using api = await secureApi(authority);
    const script = `
    import { Agent } from 'undici';
    const dispatcher = new Agent({ connect: { timeout: 5000 } });
    const answer = await dispatcher.request({ origin: '${api.url}', path: '/', method: 'GET' });
    process.stdout.write(await answer.body.text());
    await dispatcher.close();`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { env: { ...process.env, NODE_EXTRA_CA_CERTS: authority.caFile } },
    );
    expect(stdout).toContain('"code":0');
  },
);

it('says so when TLS meets a server without it', async () => {
  await using api = await scriptedApi(pageOf([]));
  await using client = testClient(api.url.replace('http:', 'https:'));
  const error = await failureOf(client.listSessions({ userId }));
  expect(error).toMatchObject({ name: 'UnreachableError' });
  expect((error as Error).message).toMatch(/does not speak TLS|broke before/);
});

it(
  'follows no redirect, names only where it points, and gives the key to nobody else',
  fault('F-11'),
  async () => {
    await using other = await scriptedApi(pageOf([]));
    for (const status of [301, 302, 303, 307, 308]) {
      const location = `${other.url}/login?token=canary-token#canary-token`;
      await using api = await scriptedApi({ status, headers: { location } });
      await using client = testClient(api.url);
      const error = await failureOf(client.createSession({ userId, name: 'n' }));
      expect(error).toMatchObject({ name: 'RedirectRefusedError', disposition: 'fatal', status });
      expect((error as Error).message).toContain(`redirects to ${other.url} (HTTP ${status})`);
      expect((error as Error).message).not.toMatch(/canary|login/);
      expect(api.seen).toHaveLength(1);
      expect(api.seen[0]!.headers['x-pd-api-key']).toBe(CANARY_KEY);
    }
    expect(other.seen).toEqual([]);
  },
);
