import { describe, expect, it } from 'vitest';
import { pageOf, refusal, scriptedApi, success } from '../../support/http/scripted-api.js';
import { failureOf, sessionId, testClient, userId } from '../../support/http/test-client.js';
import { fault } from '../../support/base/fault.js';

describe('a service that fails', () => {
  it('is not waited for longer than the budget allows', fault('F-5'), async () => {
    await using api = await scriptedApi({ status: 503, headers: { 'retry-after': '3600' } });
    await using client = testClient(api.url);
    const error = await failureOf(client.listSessions({ userId }));
    expect(error).toMatchObject({
      name: 'ServerFailureError',
      attempts: 1,
      retryAfterMs: 3_600_000,
    });
  });

  it('is asked again at once after a date that is past', fault('F-5'), async () => {
    const headers = { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' };
    await using api = await scriptedApi({ status: 503, headers }, pageOf([]));
    await using client = testClient(api.url, {
      random: { fraction: () => 0.99, bytes: () => new Uint8Array() },
    });
    await client.listSessions({ userId });
    expect(api.seen[1]!.atMs - api.seen[0]!.atMs).toBeLessThan(400);
  });

  it('is left alone by every caller until a Retry-After is over', fault('F-4'), async () => {
    await using api = await scriptedApi(
      { status: 429, headers: { 'retry-after': '0.3' }, body: { code: 201 } },
      pageOf([]),
    );
    await using client = testClient(api.url, { rate: 200 });
    await client.listSessions({ userId }).then(() => undefined);
    const [refused, ...later] = api.seen;
    expect(Math.min(...later.map(({ atMs }) => atMs)) - refused!.atMs).toBeGreaterThanOrEqual(295);
    expect(client.stats).toMatchObject({ requests: 2, retries: 1, rateLimited: 1 });
  });

  it('while others are waiting their turn holds them back too', fault('F-4'), async () => {
    await using api = await scriptedApi(
      { status: 429, headers: { 'retry-after': '0.3' }, body: { code: 201 } },
      pageOf([]),
    );
    await using client = testClient(api.url, { rate: 10 });
    await Promise.all(Array.from({ length: 4 }, () => client.listSessions({ userId })));
    const [refused, ...later] = api.seen;
    expect(later.filter(({ atMs }) => atMs - refused!.atMs < 295)).toEqual([]);
  });

  it('is not asked twice to create', async () => {
    await using api = await scriptedApi({ status: 502 });
    await using client = testClient(api.url);
    const error = await failureOf(client.createDataset({ userId, name: 'n' }));
    expect(error).toMatchObject({ name: 'ServerFailureError', attempts: 1 });
    expect(api.seen).toHaveLength(1);
  });

  it('is asked to create again when it was only too busy', async () => {
    const busy = { status: 429, headers: { 'retry-after': '0' }, body: { code: 201 } };
    await using api = await scriptedApi(busy, success({ id: 'new' }));
    await using client = testClient(api.url);
    expect(await client.createSession({ userId, name: 'n' })).toBe('new');
  });
});

it.each([
  ['an error', { status: 500 }],
  ['no JSON', { body: 'ok' }],
])(
  'a deletion that was answered with %s and then “not found” has worked',
  async (_what, answer) => {
    await using api = await scriptedApi(answer, refusal(300003));
    await using client = testClient(api.url);
    await expect(client.deleteSession({ userId, sessionId })).resolves.toBeUndefined();
    expect(api.seen).toHaveLength(2);
  },
);

it('a deletion of what was never there is not found', async () => {
  await using api = await scriptedApi(refusal(300003));
  await using client = testClient(api.url);
  expect(await failureOf(client.deleteSession({ userId, sessionId }))).toMatchObject({
    name: 'NotFoundError',
    attempts: 1,
  });
});

it('a deletion that only had to wait its turn before “not found” did nothing', async () => {
  const busy = { status: 429, headers: { 'retry-after': '0' }, body: { code: 201 } };
  await using api = await scriptedApi(busy, refusal(300003));
  await using client = testClient(api.url);
  const error = await failureOf(client.deleteSession({ userId, sessionId }));
  expect(error).toMatchObject({ name: 'NotFoundError', attempts: 2 });
});
