import { afterEach, beforeEach, expect, it } from 'vitest';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import { EmulatorCaller } from '../../support/http/emulator-caller.js';

let emulator: Emulator;
let caller: EmulatorCaller;

beforeEach(async () => {
  emulator = await startEmulator({
    users: 2,
    sessions: 1,
    apiKeys: { 'demo-key': 'demo', 'other-key': 'other' },
  });
  caller = new EmulatorCaller(emulator);
});
afterEach(() => emulator.close());

const DATASETS = '/v2/team/datasets';

function seeded(index = 0): { id: string; creator: string; name: string } {
  return emulator.state.datasets()[index]!;
}

it('lists all datasets of the project, whoever made them, and none of another project', async () => {
  const list = await caller.get(DATASETS, { page_size: 100 });
  expect(list.body.data.total_items).toBe(emulator.state.datasets().length);
  expect(Object.keys(list.body.data.records[0])).toEqual(['id', 'name', 'description']);
  const other = new EmulatorCaller(emulator, caller.userId, { 'x-pd-api-key': 'other-key' });
  expect((await other.get(DATASETS)).body.data.total_items).toBe(0);
  expect((await other.get(`${DATASETS}/${seeded().id}/status`)).body.code).toBe(300003);
});

it('searches names and descriptions', async () => {
  await caller.post(DATASETS, { name: 'Xylophone', description: 'Instruments' });
  await caller.post(DATASETS, { name: 'Other', description: 'a Xylophone too' });
  await caller.post(DATASETS, { name: 'Xyl', description: 'ophone' });
  const found = await caller.get(DATASETS, { search: 'Xylophone' });
  expect(found.body.data.total_items).toBe(2);
  expect((await caller.get(DATASETS, { search: 'x'.repeat(129) })).body.code).toBe(300001);
});

it('the overview has a plain code where other clients expect it, in refusals, too', async () => {
  emulator.faults.overviewCode = 'plain';
  const { body } = await caller.get(`${DATASETS}/${seeded().id}/overview`);
  expect(body.code).toBe(0);
  expect((await caller.get(`${DATASETS}/none/overview`)).body.code).toBe(300003);
  emulator.faults.overviewCode = 'nested';
});

it('the overview nests its code and carries no trace id', async () => {
  const { status, headers, body } = await caller.get(`${DATASETS}/${seeded().id}/overview`);
  expect([status, headers.get('x-pd-trace-id'), body.code]).toEqual([200, null, { code: 0 }]);
  expect(Object.keys(body.data)).toEqual([
    'id',
    'name',
    'description',
    'summary',
    'exploration_questions',
    'keywords',
  ]);
  expect(body.data.exploration_questions.length).toBeGreaterThan(0);
});

it('the overview nests the code of its failures too', async () => {
  const gone = await caller.get(`${DATASETS}/none/overview`);
  expect([gone.status, gone.body.code]).toEqual([200, { code: 300003 }]);
  const refused = await caller.get(`${DATASETS}/${seeded().id}/overview`, { user_id: null });
  expect([refused.status, refused.body.code]).toEqual([400, { code: 300001 }]);
});

it('counts data sources in the status', async () => {
  const { body } = await caller.get(`${DATASETS}/${seeded(6).id}/status`);
  expect(body.data).toEqual({ synched_count: 2, invalid_count: 0, synching_count: 2 });
});

it('creating a dataset needs a name, and an absent description is empty', async () => {
  expect((await caller.post(DATASETS, { description: 'a' })).body.code).toBe(300001);
  const { body } = await caller.post(DATASETS, { name: 'N' });
  const read = await caller.get(`${DATASETS}/${body.data.id}/overview`);
  expect(read.body.data).toMatchObject({ id: body.data.id, name: 'N', description: '' });
  const status = await caller.get(`${DATASETS}/${body.data.id}/status`);
  expect(status.body.data).toEqual({ synched_count: 0, invalid_count: 0, synching_count: 0 });
});

it('creating a dataset cuts a name at 128 and a description at 5000 characters when shown', async () => {
  const long = { name: 'é'.repeat(200), description: 'ü'.repeat(6000) };
  const { body } = await caller.post(DATASETS, long);
  const { data } = (await caller.get(`${DATASETS}/${body.data.id}/overview`)).body;
  expect([data.name.length, data.description.length]).toEqual([128, 5000]);
  emulator.faults.refuseLongNames = true;
  expect((await caller.post(DATASETS, { ...long, name: 'a' })).body.code).toBe(300001);
  expect((await caller.post(DATASETS, { ...long, description: 'a' })).body.code).toBe(300001);
});

it('modifying a dataset needs at least one of name and description', async () => {
  const { status, body } = await caller.post(`${DATASETS}/${seeded().id}`, {});
  expect([status, body.code]).toEqual([400, 300001]);
  expect(body.message).toContain('at least one of name and description');
});

it('modifying a dataset changes the one that is given', async () => {
  const dataset = seeded();
  const reply = await caller.post(`${DATASETS}/${dataset.id}`, { description: 'New words' });
  expect(reply.body).toEqual({ code: 0, data: {} });
  const { data } = (await caller.get(`${DATASETS}/${dataset.id}/overview`)).body;
  expect([data.name, data.description]).toEqual([dataset.name, 'New words']);
});

it('lets only its creator modify or delete a dataset', async () => {
  const dataset = emulator.state.datasets().find(({ creator }) => creator !== caller.userId)!;
  const path = `${DATASETS}/${dataset.id}`;
  expect((await caller.post(path, { name: 'mine' })).body.code).toBe(300002);
  expect((await caller.delete(path)).body.code).toBe(300002);
  expect((await caller.delete(path, { user_id: dataset.creator })).body).toEqual({
    code: 0,
    data: {},
  });
  expect((await caller.delete(path, { user_id: dataset.creator })).body.code).toBe(300003);
});
