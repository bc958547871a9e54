import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import { parseTimestamp } from '../../../src/model/times/timestamp.js';
import { EmulatorCaller } from '../../support/http/emulator-caller.js';
import { FakeClock } from '../../support/base/fake-clock.js';

const START_MS = Date.UTC(2026, 9, 18, 10, 46, 17, 250);

let emulator: Emulator;
let clock: FakeClock;
let caller: EmulatorCaller;
let history: string;

beforeEach(async () => {
  clock = new FakeClock(START_MS);
  emulator = await startEmulator({ users: 1, sessions: 0, clock, urlTtlMs: 2500 });
  caller = new EmulatorCaller(emulator);
  const table = { name: 't', url: '{{url:a b/t.csv}}', expires_at: '{{expires_at}}' };
  const blocks = [
    { type: 'TABLE', content: table },
    { type: 'TABLE', content: '{{url:a b/t.csv}}' },
  ];
  const id = emulator.state.addSession(caller.userId, {}, [{ job_id: 'j', answer: { blocks } }]);
  emulator.state.putFile('a b/t.csv', 'x,y\n1,2\n');
  history = `/v2/team/sessions/${id}/history`;
});
afterEach(() => emulator.close());

async function read(): Promise<{ url: string; plain: string; expiresAt: string }> {
  const { body } = await caller.get(history);
  const [first, second] = body.data.records[0].answer.blocks;
  return { url: first.content.url, plain: second.content, expiresAt: first.content.expires_at };
}

it('signs URLs on another origin in the manner of S3', async () => {
  const { url, plain, expiresAt } = await read();
  expect(plain).toBe(url);
  const { origin, pathname, searchParams } = new URL(url);
  expect(origin).toBe(emulator.filesUrl);
  expect(origin).not.toBe(emulator.baseUrl);
  expect(url.split('?')[0]).toBe(emulator.state.urlOf('a b/t.csv'));
  expect(pathname).toBe('/session-files/a%20b/t.csv');
  expect(searchParams.get('X-Amz-Date')).toBe('20261018T104617Z');
  expect(searchParams.get('X-Amz-Expires')).toBe('3');
  expect(searchParams.get('X-Amz-Algorithm')).toBe('AWS4-HMAC-SHA256');
  expect(searchParams.get('X-Amz-Signature')).toMatch(/^[0-9a-f]{64}$/);
  expect(expiresAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  expect(parseTimestamp(expiresAt)! / 1000n).toBe(BigInt(START_MS + 2500));
});

it('serves the bytes with length, type and ETag', async () => {
  const response = await fetch((await read()).url);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.toString()).toBe('x,y\n1,2\n');
  const md5 = createHash('md5').update(bytes).digest('hex');
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-length': '8',
    'content-type': 'text/csv',
    etag: `"${md5}"`,
  });
});

it('lets a URL die after its time from the page on, and gives a fresh one on the next read', async () => {
  const { url } = await read();
  await clock.advance(2500);
  expect((await fetch(url)).status).toBe(200);
  await clock.advance(1);
  const expired = await fetch(url);
  expect([expired.status, expired.headers.get('content-type')]).toEqual([403, 'application/xml']);
  const xml = await expired.text();
  expect(xml).toContain('<Code>AccessDenied</Code><Message>Request has expired</Message>');
  const fresh = await read();
  expect(fresh.url).not.toBe(url);
  expect(fresh.url.split('?')[0]).toBe(url.split('?')[0]);
  expect((await fetch(fresh.url)).status).toBe(200);
});

it('refuses a URL of which anything was changed', async () => {
  const { url } = await read();
  const tampered = [
    url.replace('t.csv', 'u.csv'),
    url.replace('X-Amz-Expires=3', 'X-Amz-Expires=999'),
    url.replace(/Security-Token=\w+/, 'Security-Token=zzzzzzzzz'),
    url.replace(/Signature=./, (start) => start.slice(0, -1) + (start.endsWith('0') ? '1' : '0')),
    `${url}0`,
    url.split('?')[0]!,
    `${emulator.filesUrl}/`,
  ];
  for (const candidate of tampered) expect((await fetch(candidate)).status).toBe(403);
  expect(await (await fetch(tampered[0]!)).text()).toContain('SignatureDoesNotMatch');
});

it('answers 404 with XML for a file that is gone', async () => {
  emulator.state.removeFile('a b/t.csv');
  const gone = await fetch((await read()).url);
  expect(gone.status).toBe(404);
  expect(await gone.text()).toContain('<Code>NoSuchKey</Code>');
});

it('damages a file by one bit', async () => {
  emulator.state.damageFile('a b/t.csv');
  const text = await (await fetch((await read()).url)).text();
  expect(text).toHaveLength(8);
  expect(text).not.toBe('x,y\n1,2\n');
});

it('remembers what the file host was sent, and that no key came along', async () => {
  const { url } = await read();
  await fetch(url, { headers: { 'X-Canary': 'tweet' } });
  const lines = [...emulator.stats.fileHeaderLines];
  expect(lines).toContain('x-canary: tweet');
  expect(lines.some((line) => line.includes('demo-key'))).toBe(false);
  expect([...emulator.stats.apiHeaderLines]).toContain('x-pd-api-key: demo-key');
  expect(emulator.stats.fileRequests).toBe(1);
});
