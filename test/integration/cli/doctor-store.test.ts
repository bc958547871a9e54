/** The doctor tries whether a store refuses to write over an object: the log rests on it. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Finding } from '../../../src/doctor/examine-service.js';
import { cliJson } from '../../support/programs/cli-in-process.js';

const NO_SUCH_KEY = '<Error><Code>NoSuchKey</Code></Error>';
const NOTHING_LISTED = '<ListBucketResult><Name>bucket</Name></ListBucketResult>';

/** As much of S3 as the doctor needs; it honours `If-None-Match`, or takes it and ignores it. */
async function startStore(isCareful: boolean): Promise<Server> {
  const objects = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const { method, url = '', headers } = request;
    const [path = ''] = url.split('?');
    void buffer(request).then((body) => {
      const stored = objects.get(path);
      if (method === 'PUT') {
        if (isCareful && stored && headers['if-none-match']) return response.writeHead(412).end();
        objects.set(path, body);
        return response.writeHead(200, { etag: '"x"' }).end();
      }
      if (method === 'DELETE') {
        objects.delete(path);
        return response.writeHead(204).end();
      }
      if (url.includes('list-type=2')) return response.writeHead(200).end(NOTHING_LISTED);
      if (!stored) return response.writeHead(404).end(NO_SUCH_KEY);
      return response
        .writeHead(200, { etag: '"x"', 'content-length': stored.length })
        .end(method === 'GET' ? stored : undefined);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

let store: Server;
beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
});
afterEach(() => {
  vi.unstubAllEnvs();
  store.closeAllConnections();
  store.close();
});

async function placeChecks(exitCode: number): Promise<Record<string, Finding>> {
  const { port } = store.address() as AddressInfo;
  const { checks } = await cliJson<{ checks: Finding[] }>(
    [
      ...['doctor', '--base-url', 'http://127.0.0.1:1', '--out', 's3://bucket/archive'],
      ...['--s3-endpoint', `http://127.0.0.1:${port}`, '--s3-force-path-style'],
    ],
    exitCode,
  );
  return Object.fromEntries(checks.map((finding) => [finding.check, finding]));
}

it('doctor finds a store that writes over what is there, though it was asked not to', async () => {
  store = await startStore(false);
  const checks = await placeChecks(9);
  expect(checks['write access']).toMatchObject({ status: 'ok' });
  expect(checks['overwriting']).toMatchObject({
    status: 'failed',
    failure: 'storage',
    message: expect.stringContaining('the store ignores If-None-Match'),
    fix: expect.stringMatching(/^use a store that honours If-None-Match/),
  });
});

it('doctor finds nothing wrong with a store that refuses, though it keeps no metadata', async () => {
  store = await startStore(true);
  const checks = await placeChecks(2); // no user is named
  expect(checks['overwriting']).toMatchObject({ status: 'ok' });
});
