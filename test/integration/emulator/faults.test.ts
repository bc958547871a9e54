import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { request } from 'undici';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import type { ApiFaultAnswer, FileFaultAnswer } from '../../../src/emulator/faults/faults.js';
import { EmulatorCaller } from '../../support/http/emulator-caller.js';

let emulator: Emulator;
let caller: EmulatorCaller;
let session: string;

beforeEach(async () => {
  emulator = await startEmulator({ users: 1, sessions: 1, jobs: 3, exactJobs: true });
  caller = new EmulatorCaller(emulator);
  [session = ''] = emulator.state.sessionIds(caller.userId);
});
afterEach(() => emulator.close());

const SESSIONS = '/v2/team/sessions';

/** Status, headers and what arrived of the body before anything broke. */
async function rawGet(url: string): Promise<{
  status: number;
  headers: Record<string, unknown>;
  body: Buffer;
  broken: string | undefined;
}> {
  const response = await request(url, { headers: { 'x-pd-api-key': 'demo-key' } });
  const chunks: Buffer[] = [];
  let broken: string | undefined;
  try {
    for await (const chunk of response.body) chunks.push(chunk as Buffer);
  } catch (error) {
    broken = (error as { code?: string }).code ?? String(error);
  }
  const body = Buffer.concat(chunks);
  return { status: response.statusCode, headers: response.headers, body, broken };
}

describe('of the API', () => {
  const strike = (answer: ApiFaultAnswer): void => {
    emulator.faults.api = [{ answer }];
  };
  const list = (): ReturnType<typeof rawGet> =>
    rawGet(`${emulator.baseUrl}${SESSIONS}?user_id=${caller.userId}`);

  it('answers with any status, code and Retry-After', async () => {
    const retryAfter = 'Wed, 21 Oct 2026 07:28:00 GMT';
    strike({ kind: 'error', status: 503, retryAfter });
    const gateway = await caller.get(SESSIONS);
    expect([gateway.status, gateway.text]).toEqual([503, '']);
    expect(gateway.headers.get('retry-after')).toBe(retryAfter);
    strike({ kind: 'error', status: 429, code: 201, message: 'slow', retryAfter: '2' });
    expect((await caller.get(SESSIONS)).body).toEqual({ code: 201, message: 'slow', data: null });
  });

  it('strikes only the first, every nth, or after some, and only matching requests', async () => {
    const answer = { kind: 'error', status: 500, code: 9999 } as const;
    const statuses = async (): Promise<number[]> => {
      const seen: number[] = [];
      for (let i = 0; i < 6; i++) seen.push((await caller.get(SESSIONS)).status);
      return seen;
    };
    emulator.faults.api = [{ answer, first: 2 }];
    expect(await statuses()).toEqual([500, 500, 200, 200, 200, 200]);
    emulator.faults.api = [{ answer, every: 3 }];
    expect(await statuses()).toEqual([200, 200, 500, 200, 200, 500]);
    emulator.faults.api = [{ answer, after: 1, first: 1 }];
    expect(await statuses()).toEqual([200, 500, 200, 200, 200, 200]);
    emulator.faults.api = [{ answer, operations: ['getHistory'] }];
    expect(await statuses()).toEqual([200, 200, 200, 200, 200, 200]);
    emulator.faults.api = [
      { answer, userId: 'someone else' },
      { answer, pathId: session },
    ];
    expect((await caller.get(SESSIONS)).status).toBe(200);
    expect((await caller.get(`${SESSIONS}/${session}`)).status).toBe(500);
  });

  it('resets the connection in the middle of a body', async () => {
    strike({ kind: 'reset', afterBytes: 20 });
    const { broken, body, headers } = await list();
    expect(broken).toBeDefined();
    expect(body.length).toBeLessThan(Number(headers['content-length']));
  });

  it('cuts a body of unknown length so that no client notices', async () => {
    strike({ kind: 'truncate', afterBytes: 25 });
    const { status, headers, body, broken } = await list();
    expect([status, headers['content-length'], broken]).toEqual([200, undefined, undefined]);
    expect(body.toString()).toBe('{"code":0,"data":{"page_n');
  });

  it('sends a login page, broken JSON, or anything else', async () => {
    strike({ kind: 'html' });
    expect((await list()).headers['content-type']).toBe('text/html');
    strike({ kind: 'invalid-json' });
    const broken = (await list()).body.toString();
    expect(broken).toMatch(/^\{"code":0,/);
    expect(() => JSON.parse(broken) as unknown).toThrow(SyntaxError);
    strike({ kind: 'body', body: '{"code":7}', status: 200 });
    expect((await list()).body.toString()).toBe('{"code":7}');
  });

  it('sends the right body in drops', async () => {
    strike({ kind: 'drip', bytes: 100, pauseMs: 1 });
    const { body, broken } = await list();
    expect(broken).toBeUndefined();
    expect(JSON.parse(body.toString())).toMatchObject({ code: 0 });
  });

  it('never answers, until the client gives up', async () => {
    strike({ kind: 'hang' });
    const url = `${emulator.baseUrl}${SESSIONS}?user_id=${caller.userId}`;
    const headers = { 'x-pd-api-key': 'demo-key' };
    const gone = fetch(url, { headers, signal: AbortSignal.timeout(50) });
    await expect(gone).rejects.toThrow(/timeout/);
  });

  it('redirects to another origin', async () => {
    strike({ kind: 'redirect', location: 'http://127.0.0.2:1/steal' });
    const reply = await caller.get(SESSIONS);
    expect([reply.status, reply.headers.get('location')]).toEqual([
      302,
      'http://127.0.0.2:1/steal',
    ]);
  });

  it('packs much white space into little', async () => {
    strike({ kind: 'padded', bytes: 5_000_000, gzip: true });
    const { body, headers } = await list();
    expect(headers['content-encoding']).toBe('gzip');
    expect(body.length).toBeLessThan(20_000);
    expect(gunzipSync(body).length).toBeGreaterThan(5_000_000);
  });

  it('carries an operation out and fails all the same', async () => {
    emulator.faults.deleteAnswers500AfterDeleting = true;
    const reply = await caller.delete(`${SESSIONS}/${session}`);
    expect([reply.status, reply.body.code]).toEqual([500, 9999]);
    expect(emulator.state.sessionIds(caller.userId)).toEqual([]);
    const answer = { kind: 'error', status: 502 } as const;
    emulator.faults.api = [{ answer, operations: ['createSession'], afterHandling: true }];
    expect((await caller.post(SESSIONS, { name: 'a' })).status).toBe(502);
    expect(emulator.state.sessionIds(caller.userId)).toHaveLength(1);
  });

  it('does not carry out what it fails, unless told to', async () => {
    strike({ kind: 'error', status: 500, code: 9999 });
    await caller.delete(`${SESSIONS}/${session}`);
    expect(emulator.state.sessionIds(caller.userId)).toEqual([session]);
  });

  it('answers 500 when a hook of the test throws', async () => {
    emulator.faults.beforeRequest = () => {
      throw new Error('hook');
    };
    expect((await caller.get(SESSIONS)).status).toBe(500);
  });

  it('draws probabilities from the seed', async () => {
    const draw = async (seed: number): Promise<number[]> => {
      const other = await startEmulator({ users: 1, sessions: 1, jobs: 1, seed });
      const answer = { kind: 'error', status: 500 } as const;
      other.faults.api = [{ answer, probability: 0.5 }];
      const statuses: number[] = [];
      for (let i = 0; i < 12; i++) {
        statuses.push((await new EmulatorCaller(other).get(SESSIONS)).status);
      }
      await other.close();
      return statuses;
    };
    const first = await draw(5);
    expect(await draw(5)).toEqual(first);
    expect(new Set(first)).toEqual(new Set([200, 500]));
  });
});

describe('of the file host', () => {
  let url: string;
  const csv = 'x,y\n'.padEnd(5000, '1,2\n');

  beforeEach(async () => {
    emulator.state.putFile('t.csv', csv);
    emulator.state.addJob(caller.userId, session, { job_id: 'f', url: '{{url:t.csv}}' });
    const { body } = await caller.get(`${SESSIONS}/${session}/history`, { page_size: 1 });
    url = body.data.records[0].url;
  });
  const strike = (answer: FileFaultAnswer): void => {
    emulator.faults.files = [{ key: 't.csv', answer }];
  };

  it('answers with any status', async () => {
    strike({ kind: 'status', status: 503, retryAfter: '1' });
    const { status, headers } = await rawGet(url);
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    strike({ kind: 'status', status: 404 });
    expect((await rawGet(url)).body.toString()).toContain('NoSuchKey');
    emulator.faults.files = [{ key: 'other', answer: { kind: 'html' } }];
    expect((await rawGet(url)).body.toString()).toBe(csv);
  });

  it('resets, cuts and drips a body', async () => {
    strike({ kind: 'reset', afterBytes: 1000 });
    expect((await rawGet(url)).broken).toBeDefined();
    strike({ kind: 'truncate', afterBytes: 1000 });
    expect((await rawGet(url)).body.toString()).toBe(csv.slice(0, 1000));
    strike({ kind: 'drip', bytes: 2000, pauseMs: 1 });
    expect((await rawGet(url)).body.toString()).toBe(csv);
  });

  it('throttles every file to so many bytes a second', async () => {
    emulator.faults.fileBytesPerSecond = 100_000; // 5,000 bytes every 50 ms
    expect((await rawGet(url)).body.toString()).toBe(csv);
  });

  it('sends a web page or an error document with status 200', async () => {
    strike({ kind: 'html' });
    expect((await rawGet(url)).body.toString()).toMatch(/^<!DOCTYPE html>/);
    strike({ kind: 'xml' });
    const xml = await rawGet(url);
    expect([xml.status, xml.body.toString().includes('AccessDenied')]).toEqual([200, true]);
    strike({ kind: 'body', contentType: 'image/svg+xml', body: '<svg/>', headers: { 'x-a': 'b' } });
    expect((await rawGet(url)).headers).toMatchObject({
      'x-a': 'b',
      'content-type': 'image/svg+xml',
    });
  });

  it('redirects in a chain, to a given place or to the file itself', async () => {
    const target = 'http://169.254.169.254/latest';
    strike({ kind: 'redirect', hops: 3, location: target });
    const places: string[] = [url];
    while (places.length < 6 && places.at(-1) !== target) {
      const { headers } = await rawGet(new URL(places.at(-1)!, emulator.filesUrl).href);
      places.push(headers['location'] as string);
    }
    expect(places.at(-1)).toBe(target);
    expect(places).toHaveLength(5);
    strike({ kind: 'redirect' });
    expect(await (await fetch(url)).text()).toBe(csv);
    strike({ kind: 'redirect', hops: 4 });
    expect(await (await fetch(url)).text()).toBe(csv);
  });

  it('never answers', async () => {
    strike({ kind: 'hang' });
    await expect(fetch(url, { signal: AbortSignal.timeout(50) })).rejects.toThrow(/timeout/);
  });
});

it('closes at once, whatever is still under way', async () => {
  emulator.faults.latencyMs = 60_000;
  const waiting = caller.get(SESSIONS).catch((error: unknown) => error);
  while (emulator.stats.totalRequests === 0) await new Promise(setImmediate);
  await emulator.close();
  expect(await waiting).toBeInstanceOf(Error);
});

it('delays many answers at a time without a warning', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  emulator.faults.latencyMs = 60_000;
  const waiting = Array.from({ length: 40 }, () => caller.get(SESSIONS).catch(() => undefined));
  while (emulator.stats.totalRequests < 40) await new Promise(setImmediate);
  await emulator.close();
  await Promise.all(waiting);
  await new Promise(setImmediate);
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
