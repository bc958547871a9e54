import { afterEach, beforeEach, expect, it } from 'vitest';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import { EmulatorCaller } from '../../support/http/emulator-caller.js';

let emulator: Emulator;
let caller: EmulatorCaller;

beforeEach(async () => {
  emulator = await startEmulator({ users: 2, sessions: 3, jobs: 4 });
  caller = new EmulatorCaller(emulator);
});
afterEach(() => emulator.close());

const SESSIONS = '/v2/team/sessions';

it('creating a session returns its id, and the defaults show when it is read', async () => {
  const { body } = await caller.post(SESSIONS, { name: 'Quarter' });
  expect(body.code).toBe(0);
  const read = await caller.get(`${SESSIONS}/${body.data.id}`);
  expect(read.body.data).toEqual({
    id: body.data.id,
    name: 'Quarter',
    output_language: 'AUTO',
    job_mode: 'AUTO',
    max_contextual_job_history: 10,
  });
});

it('creating a session keeps every setting that is given', async () => {
  const settings = {
    name: 'Alles',
    output_language: 'ZH-TW',
    job_mode: 'DATA_ANALYTICS',
    max_contextual_job_history: 0,
    agent_id: 'DATA_ANALYSIS_AGENT',
  };
  const { body } = await caller.post(SESSIONS, settings);
  const read = await caller.get(`${SESSIONS}/${body.data.id}`);
  expect(read.body.data).toEqual({ id: body.data.id, ...settings });
});

it.each([
  ['no name', {}],
  ['an empty name', { name: '' }],
  ['a name that is no text', { name: 7 }],
  ['an unknown language', { name: 'a', output_language: 'XX' }],
  ['an unknown mode', { name: 'a', job_mode: 'auto' }],
  ['another agent', { name: 'a', agent_id: 'OTHER' }],
  ['a history above 10', { name: 'a', max_contextual_job_history: 11 }],
  ['a history below 0', { name: 'a', max_contextual_job_history: -1 }],
  ['a broken history', { name: 'a', max_contextual_job_history: 1.5 }],
  ['a history in quotes', { name: 'a', max_contextual_job_history: '5' }],
  ['no user', { name: 'a', user_id: null }],
  ['an empty user', { name: 'a', user_id: '' }],
])('creating a session refuses %s with 300001', async (_what, input) => {
  const { status, body } = await caller.post(SESSIONS, input);
  expect([status, body.code, body.data]).toEqual([400, 300001, null]);
  expect(body.message).toMatch(/must|required/);
});

it('creating a session refuses a body that is no JSON object', async () => {
  for (const text of ['{"name":', '[]', '"a"', '']) {
    const { status, body } = await caller.send('POST', SESSIONS, text);
    expect([status, body.code]).toEqual([400, 300001]);
  }
});

it('creating a session stops at 150 sessions, and goes on when one is deleted', async () => {
  for (let count = 3; count < 150; count++) {
    emulator.state.addSession(caller.userId);
  }
  const refused = await caller.post(SESSIONS, { name: 'one more' });
  expect([refused.status, refused.body.code]).toEqual([200, 300009]);
  await caller.delete(`${SESSIONS}/${emulator.state.sessionIds(caller.userId)[0]!}`);
  expect((await caller.post(SESSIONS, { name: 'one more' })).body.code).toBe(0);
});

it('a name beyond 128 characters is kept, found by its end, cut when shown, an emoji as one', async () => {
  const name = `${'🙂'.repeat(130)}end`;
  const { body } = await caller.post(SESSIONS, { name });
  const found = await caller.get(SESSIONS, { search: 'end' });
  expect(found.body.data.records).toHaveLength(1);
  expect(found.body.data.records[0].name).toBe('🙂'.repeat(128));
  const read = await caller.get(`${SESSIONS}/${body.data.id}`);
  expect(read.body.data.name).toBe('🙂'.repeat(128));
});

it('names longer than 128 characters are refused on demand', async () => {
  emulator.faults.refuseLongNames = true;
  expect((await caller.post(SESSIONS, { name: 'é'.repeat(128) })).body.code).toBe(0);
  expect((await caller.post(SESSIONS, { name: 'é'.repeat(129) })).body.code).toBe(300001);
});

it('listing sessions shows only those of the user', async () => {
  const [first = '', second = ''] = emulator.state.userIds();
  const list = await caller.get(SESSIONS, { user_id: second });
  const ids = list.body.data.records.map(({ id }: { id: string }) => id);
  expect(ids.toSorted()).toEqual(emulator.state.sessionIds(second).toSorted());
  expect(ids).not.toContain(emulator.state.sessionIds(first)[0]);
});

it('listing sessions is empty for a user nobody has heard of', async () => {
  const { body } = await caller.get(SESSIONS, { user_id: 'stranger' });
  expect(body.data).toEqual({ page_number: 1, page_size: 10, total_items: 0, records: [] });
});

it('listing sessions searches the names; an empty word finds all', async () => {
  await caller.post(SESSIONS, { name: 'needle in hay' });
  const found = await caller.get(SESSIONS, { search: 'dle in' });
  expect(found.body.data.total_items).toBe(1);
  expect((await caller.get(SESSIONS, { search: 'no such thing' })).body.data.records).toEqual([]);
  expect((await caller.get(SESSIONS, { search: '' })).body.data.total_items).toBe(4);
});

it('listing sessions takes a search word of 128 characters and no longer', async () => {
  expect((await caller.get(SESSIONS, { search: 'é'.repeat(128) })).body.code).toBe(0);
  expect((await caller.get(SESSIONS, { search: 'é'.repeat(129) })).body.code).toBe(300001);
});

it('listing sessions needs the user', async () => {
  const { status, body } = await caller.get(SESSIONS, { user_id: null });
  expect([status, body.code, body.message]).toEqual([400, 300001, 'user_id is required']);
});

it('modifying a session changes what is given and leaves the rest', async () => {
  const [id = ''] = emulator.state.sessionIds(caller.userId);
  const before = (await caller.get(`${SESSIONS}/${id}`)).body.data;
  const { body } = await caller.post(`${SESSIONS}/${id}`, { name: 'New', output_language: 'TR' });
  expect(body).toEqual({ code: 0, data: {} });
  const after = (await caller.get(`${SESSIONS}/${id}`)).body.data;
  expect(after).toEqual({ ...before, name: 'New', output_language: 'TR' });
});

it('modifying a session needs a name', async () => {
  const [id = ''] = emulator.state.sessionIds(caller.userId);
  const { status, body } = await caller.post(`${SESSIONS}/${id}`, { job_mode: 'AUTO' });
  expect([status, body.code]).toEqual([400, 300001]);
});

it('modifying a session answers with null data on demand', async () => {
  emulator.faults.emptyData = 'null';
  const [id = ''] = emulator.state.sessionIds(caller.userId);
  expect((await caller.post(`${SESSIONS}/${id}`, { name: 'a' })).body.data).toBeNull();
  expect((await caller.delete(`${SESSIONS}/${id}`)).body).toEqual({ code: 0, data: null });
});

it('deleting a session is for good: afterwards nothing of it is found', async () => {
  const [id = '', ...rest] = emulator.state.sessionIds(caller.userId);
  expect((await caller.delete(`${SESSIONS}/${id}`)).body).toEqual({ code: 0, data: {} });
  for (const path of [`${SESSIONS}/${id}`, `${SESSIONS}/${id}/history`]) {
    const { status, body } = await caller.get(path);
    expect([status, body.code]).toEqual([200, 300003]);
  }
  expect((await caller.delete(`${SESSIONS}/${id}`)).body.code).toBe(300003);
  expect(emulator.state.sessionIds(caller.userId)).toEqual(rest);
});

it('refuses the session of another user with 300002, whatever is asked of it', async () => {
  const [, other = ''] = emulator.state.userIds();
  const [id = ''] = emulator.state.sessionIds(other);
  const replies = [
    await caller.get(`${SESSIONS}/${id}`),
    await caller.get(`${SESSIONS}/${id}/history`),
    await caller.post(`${SESSIONS}/${id}`, { name: 'mine' }),
    await caller.delete(`${SESSIONS}/${id}`),
  ];
  expect(replies.map(({ status, body }) => [status, body.code as number])).toEqual(
    replies.map(() => [200, 300002]),
  );
  expect(emulator.state.sessionIds(other)).toContain(id);
});
