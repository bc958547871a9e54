import { afterEach, beforeEach, expect, it } from 'vitest';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import { EmulatorCaller } from '../../support/http/emulator-caller.js';

let emulator: Emulator;
let caller: EmulatorCaller;
let history: string;
let oldestFirst: string[];

beforeEach(async () => {
  emulator = await startEmulator({ users: 1, sessions: 1, jobs: 25, maxPageSize: 20 });
  caller = new EmulatorCaller(emulator);
  const [id = ''] = emulator.state.sessionIds(caller.userId);
  history = `/v2/team/sessions/${id}/history`;
  oldestFirst = emulator.state.jobIds(caller.userId, id);
});
afterEach(() => emulator.close());

async function idsOf(pageNumber: number, pageSize: number): Promise<string[]> {
  const { body } = await caller.get(history, { page_number: pageNumber, page_size: pageSize });
  return (body.data.records as { job_id: string }[]).map(({ job_id }) => job_id);
}

it('starts with page 1 of size 10, newest first', async () => {
  const { body } = await caller.get(history);
  const { page_number, page_size, total_items, records } = body.data;
  expect({ page_number, page_size, total_items }).toEqual({
    page_number: 1,
    page_size: 10,
    total_items: 25,
  });
  expect(records.map(({ job_id }: { job_id: string }) => job_id)).toEqual(
    oldestFirst.toReversed().slice(0, 10),
  );
});

it('covers everything once, and is empty beyond the end', async () => {
  const pages = [await idsOf(1, 9), await idsOf(2, 9), await idsOf(3, 9), await idsOf(4, 9)];
  expect(pages.map(({ length }) => length)).toEqual([9, 9, 7, 0]);
  expect(pages.flat().toReversed()).toEqual(oldestFirst);
});

it('clamps a larger page to the maximum, echoes that and cuts by it', async () => {
  const { body } = await caller.get(history, { page_number: 2, page_size: 1000 });
  expect([body.data.page_size, body.data.records.length]).toEqual([20, 5]);
  emulator.faults.clampPageSize = 4;
  expect((await caller.get(history, { page_size: 1000 })).body.data.page_size).toBe(4);
});

it.each([
  ['page_number', '0'],
  ['page_number', '-1'],
  ['page_number', 'two'],
  ['page_number', '1.5'],
  ['page_size', '0'],
  ['page_size', ''],
  ['page_size', '1e3'],
])('refuses %s %s with 300001', async (name, value) => {
  const { status, body } = await caller.get(history, { [name]: value });
  expect([status, body.code]).toEqual([400, 300001]);
  expect(body.message).toContain(name);
});

it('refuses a parameter that is given twice', async () => {
  const { status } = await caller.send(
    'GET',
    `${history}?user_id=${caller.userId}&page_size=1&page_size=2`,
  );
  expect(status).toBe(400);
});

it('on demand refuses large pages with 300001', async () => {
  emulator.faults.refusePageSizeAbove = 10;
  expect((await caller.get(history, { page_size: 10 })).body.code).toBe(0);
  const refused = await caller.get(history, { page_size: 11 });
  expect([refused.status, refused.body.code]).toEqual([400, 300001]);
});

it('on demand shows the oldest first', async () => {
  emulator.faults.order = 'oldest';
  expect(await idsOf(1, 20)).toEqual(oldestFirst.slice(0, 20));
});

it('on demand shuffles anew for every request, losing nothing on a page that holds all', async () => {
  emulator.faults.order = 'shuffled';
  emulator.faults.clampPageSize = 0;
  const [first, second] = [await idsOf(1, 20), await idsOf(1, 20)];
  expect(first).not.toEqual(second);
  expect(new Set(first).size).toBe(20);
});

it('on demand tells a wrong total', async () => {
  const totals: unknown[] = [];
  for (const total of ['page', 'absent', 'growing', 'growing'] as const) {
    emulator.faults.totalItems = total;
    totals.push((await caller.get(history, { page_size: 5 })).body.data.total_items);
  }
  expect(totals).toEqual([5, undefined, 26, 27]);
});

it('on demand repeats the first page for ever', async () => {
  emulator.faults.repeatPage = true;
  expect(await idsOf(7, 5)).toEqual(await idsOf(1, 5));
});

it('on demand lets jobs come and go between two pages', async () => {
  const [sessionId = ''] = emulator.state.sessionIds(caller.userId);
  emulator.faults.beforeRequest = ({ operation, nth }) => {
    if (operation === 'getHistory' && nth === 2) {
      emulator.state.addJob(caller.userId, sessionId);
    }
  };
  const [first, second] = [await idsOf(1, 10), await idsOf(2, 10)];
  expect(second[0]).toBe(first[9]);
});
