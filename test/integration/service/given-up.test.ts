import { expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.js';
import { systemClock } from '../../../src/base/runtime.js';
import { scriptedApi } from '../../support/http/scripted-api.js';
import { failureOf, sessionId, testClient, userId } from '../../support/http/test-client.js';

const DOWN = { status: 503, body: 'down' };

it('requests that fail the same way are warned of once, and counted when the client closes', async () => {
  await using api = await scriptedApi(DOWN, DOWN, DOWN, DOWN, DOWN);
  const told: Record<'info' | 'warn', string[]> = { info: [], warn: [] };
  const logger = {
    ...silentLogger,
    info: (_fields: object, text: string) => void told.info.push(text),
    warn: (_fields: object, text: string) => void told.warn.push(text),
  };
  const clock = { now: () => Date.UTC(2026, 10, 27, 2, 40, 10, 500) };
  const client = testClient(api.url, {
    logger,
    maxAttempts: 1,
    clock: { ...systemClock, ...clock },
  });
  for (let user = 0; user < 3; user++)
    await failureOf(client.listSessions({ userId, pageSize: 1 }));
  for (let user = 0; user < 2; user++) await failureOf(client.getSession({ userId, sessionId }));
  const [first, other] = told.warn;
  expect([told.warn.length, told.info.length]).toEqual([2, 3]);
  expect(first).toMatch(/^could not list sessions: .*503.* \(our trace run-1-1\)$/);
  const reason = /sessions: (.*) \(our trace/.exec(first ?? '')?.[1];
  expect(other).toBe(`could not get session: ${reason} (our trace run-1-4)`);
  await client.close();
  await client.close();
  expect(told.warn.slice(2)).toEqual([
    `could not list sessions 2 times more, last at 2026-11-27T02:40:10Z: ${reason} (--log-level info names each)`,
    `could not get session once more, last at 2026-11-27T02:40:10Z: ${reason} (--log-level info names each)`,
  ]);
});
