import { expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.js';
import { scriptedApi, success } from '../../support/http/scripted-api.js';
import { sessionId, testClient, userId } from '../../support/http/test-client.js';

it.each([
  ['an answer', success({ id: 'session-1' })],
  ['that nothing is found', { body: '{"code":300003,"message":"gone"}' }],
])(
  'A request that a cache answers from its memory with %s is sent once more',
  async (_, answer) => {
    const stale = { ...answer, headers: { age: '7', date: 'Mon, 02 Nov 2026 00:00:00 GMT' } };
    await using api = await scriptedApi(stale, success({ id: 'session-1' }));
    const warnings: string[] = [];
    const warn = (fields: object, words: string) =>
      void warnings.push(`${words} ${JSON.stringify(fields)}`);
    const client = testClient(api.url, { logger: { ...silentLogger, warn } });
    expect((await client.getSession({ userId, sessionId })).value.id).toBe('session-1');
    // an old date says nothing about this machine's clock
    expect(Math.abs(client.clockGapMs ?? Infinity)).toBeLessThan(60_000);
    expect(client.stats).toEqual({
      ...{ requests: 2, retries: 0, rateLimited: 0 },
      ...{ stale: 1, staleBecause: 'Age: 7' },
    });
    await client.close();
    await client.close();
    expect(warnings).toEqual([
      'a cache between jobvault and the service gave 1 of 2 answers from its memory (Age: 7), though jobvault asks past it: they prove nothing; let requests to /v2/team pass it {"requests":2,"stale":1}',
    ]);
  },
);
