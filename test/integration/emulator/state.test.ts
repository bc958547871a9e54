import { afterEach, beforeEach, expect, it } from 'vitest';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import { createdAtOf } from '../../../src/model/times/created-at.js';
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

interface Job {
  readonly job_id: string;
  readonly note?: string;
  readonly question: unknown;
  readonly answer: { readonly blocks: readonly unknown[] };
}

async function history(): Promise<Job[]> {
  const { body } = await caller.get(`/v2/team/sessions/${session}/history`);
  return body.data.records as Job[];
}

it('adds jobs at the new end, whose files can be had', async () => {
  const [first = '', second = ''] = emulator.state.addJobs(caller.userId, session, 2);
  expect((await history()).map(({ job_id }) => job_id).slice(0, 2)).toEqual([second, first]);
  for (const key of emulator.state.fileKeys(caller.userId, session, first)) {
    expect(emulator.state.file(key)).toBeDefined();
  }
});

it('serves a job given as text verbatim', async () => {
  const text = '{ "job_id":"v", "n": 9007199254740993, "__proto__": {"a":1}, "e": 1.0e2 }';
  emulator.state.addJob(caller.userId, session, text);
  const { text: page } = await caller.get(`/v2/team/sessions/${session}/history`);
  expect(page).toContain(`[${text},`);
});

it('changes one job and no other', async () => {
  const before = await history();
  const id = before[1]!.job_id;
  emulator.state.changeJob(caller.userId, session, id, (record) => ({ ...record, note: 'x' }));
  const after = await history();
  expect(after[1]!.note).toBe('x');
  expect(after.map(({ job_id }) => job_id)).toEqual(before.map(({ job_id }) => job_id));
  expect(after[0]!.question).toEqual(before[0]!.question);
});

it('lets an answer grow', async () => {
  const id = (await history())[0]!.job_id;
  const count = (await history())[0]!.answer.blocks.length;
  emulator.state.growAnswer(caller.userId, session, id, 'More to say');
  const blocks = (await history())[0]!.answer.blocks;
  expect(blocks).toHaveLength(count + 1);
  expect(blocks.at(-1)).toMatchObject({ content: 'More to say', stage: 'Respond' });
});

it('deletes jobs and sessions', async () => {
  const id = (await history())[0]!.job_id;
  emulator.state.deleteJob(caller.userId, session, id);
  expect((await history()).map(({ job_id }) => job_id)).not.toContain(id);
  emulator.state.deleteSession(caller.userId, session);
  expect((await caller.get(`/v2/team/sessions/${session}`)).body.code).toBe(300003);
});

it('makes job ids that tell their time', () => {
  const atMs = Date.UTC(2026, 9, 1, 12);
  expect(createdAtOf(emulator.state.newJobId(atMs))).toEqual({
    micros: BigInt(atMs) * 1000n,
    source: 'cuid',
  });
});

it('tells how much there is', async () => {
  const blocks = (await history()).flatMap(({ answer }) => answer.blocks);
  expect(emulator.state.totals()).toEqual({
    users: 1,
    sessions: 1,
    jobs: 3,
    answerBlocks: blocks.length,
  });
});

it('says which id is unknown', () => {
  expect(() => emulator.state.addJob(caller.userId, 'none')).toThrow(/has no session none/);
  expect(() => emulator.state.deleteJob(caller.userId, session, 'nil')).toThrow(/has no job nil/);
});

it('counts requests by operation and remembers their order', async () => {
  await history();
  await caller.get('/v2/team/sessions/none');
  const seen = emulator.stats.arrivals.map(({ operation, status }) => `${operation} ${status}`);
  expect(seen).toEqual(['getHistory 200', 'getSession 200']);
  expect(emulator.stats.totalRequests).toBe(2);
  emulator.stats.reset();
  expect(emulator.stats.totalRequests).toBe(0);
});
