import { afterEach, expect, it } from 'vitest';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import type { EmulatorOptions } from '../../../src/emulator/options.js';
import { EmulatorCaller } from '../../support/http/emulator-caller.js';
import { FakeClock } from '../../support/base/fake-clock.js';

let emulator: Emulator;
afterEach(() => emulator.close());

async function started(options: EmulatorOptions = {}): Promise<EmulatorCaller> {
  emulator = await startEmulator({ users: 2, sessions: 2, jobs: 2, ...options });
  return new EmulatorCaller(emulator);
}

const SESSIONS = '/v2/team/sessions';
const keyed = (key: string, header = 'x-pd-api-key'): EmulatorCaller =>
  new EmulatorCaller(emulator, undefined, { [header]: key });

it('refuses a missing, an unknown and an expired key', async () => {
  await started({ expiredApiKeys: ['old-key'] });
  const replies = [
    await new EmulatorCaller(emulator, 'ana.silva', {}).get(SESSIONS),
    await keyed('wrong').get(SESSIONS),
    await keyed('old-key').get(SESSIONS),
  ];
  const codes = replies.map(({ status, body }) => [status, body.code as number]);
  expect(codes).toEqual([
    [403, 1004],
    [403, 1004],
    [403, 1002],
  ]);
  expect(replies.every(({ headers }) => headers.get('x-pd-trace-id') === null)).toBe(true);
});

it('takes the key from the header that is configured, and from no other', async () => {
  await started({ apiKeyHeader: 'X-My-Key' });
  expect((await keyed('demo-key', 'x-my-key').get(SESSIONS)).body.code).toBe(0);
  expect((await keyed('demo-key').get(SESSIONS)).body.code).toBe(1004);
});

it('shows nothing of one project to the key of another', async () => {
  const caller = await started({ apiKeys: { 'demo-key': 'demo', 'other-key': 'other' } });
  const [id = ''] = emulator.state.sessionIds(caller.userId);
  const other = keyed('other-key');
  expect((await other.get(SESSIONS)).body.data.total_items).toBe(0);
  expect((await other.get(`${SESSIONS}/${id}`)).body.code).toBe(300003);
  emulator.state.keys.setProject('other-key', 'demo');
  expect((await other.get(`${SESSIONS}/${id}`)).body.code).toBe(0);
});

it('refuses users on demand, with 1003 as 403 and 300002 as 200', async () => {
  const caller = await started();
  const [first = '', second = ''] = emulator.state.userIds();
  emulator.faults.refusedUsers = { [first]: 1003, [second]: 300002 };
  const a = await caller.get(SESSIONS);
  const b = await caller.get(SESSIONS, { user_id: second });
  expect([a.status, a.body.code, b.status, b.body.code]).toEqual([403, 1003, 200, 300002]);
});

it('gives a trace id on every answer with status 200, a refused one included', async () => {
  const caller = await started();
  const [id = ''] = emulator.state.sessionIds(caller.userId);
  const replies = [
    await caller.get(SESSIONS),
    await caller.get(`${SESSIONS}/${id}/history`),
    await caller.get(`${SESSIONS}/none`),
    await caller.get('/v2/team/datasets'),
    await caller.delete(`${SESSIONS}/${id}`),
  ];
  const ids = replies.map(({ headers }) => headers.get('x-pd-trace-id'));
  expect(ids.every((traceId) => traceId !== null && traceId.length > 0)).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
});

it('takes an external trace id of 128 characters and no longer', async () => {
  await started();
  const traced = (length: number): EmulatorCaller =>
    new EmulatorCaller(emulator, undefined, {
      'x-pd-api-key': 'demo-key',
      'x-pd-external-trace-id': 't'.repeat(length),
    });
  expect((await traced(128).get(SESSIONS)).body.code).toBe(0);
  expect((await traced(129).get(SESSIONS)).body.code).toBe(300001);
});

it('admits no more than the rate in a second, says when to come back, forgets refused ones', async () => {
  const clock = new FakeClock();
  const caller = await started({ rateLimit: 3, clock });
  const burst = async (): Promise<number[]> => {
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await caller.get(SESSIONS)).status);
    return statuses;
  };
  expect(await burst()).toEqual([200, 200, 200, 429, 429]);
  const limited = await caller.get(SESSIONS);
  expect([limited.body.code, limited.headers.get('retry-after')]).toEqual([201, '1']);
  await clock.advance(999);
  expect((await caller.get(SESSIONS)).status).toBe(429);
  await clock.advance(1);
  expect(await burst()).toEqual([200, 200, 200, 429, 429]);
  expect([emulator.stats.rateLimited, emulator.stats.requests.listSessions]).toEqual([6, 12]);
  expect(emulator.stats.maxPerSecond).toBe(7);
});

it('answers an unknown path with 404', async () => {
  const caller = await started();
  expect((await caller.get('/v2/team/nothing')).status).toBe(404);
});
