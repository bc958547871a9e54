import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import { UsageError } from '../../../src/base/error.js';
import { EmulatorCaller } from '../../support/http/emulator-caller.js';

let folder: string;
let emulator: Emulator | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emulator-'));
});
afterEach(async () => {
  await emulator?.close();
  emulator = undefined;
  await rm(folder, { recursive: true });
});

const imported = async (text: string): Promise<EmulatorCaller> => {
  const path = join(folder, 'histories.json');
  await writeFile(path, text);
  emulator = await startEmulator({ users: 0, importFiles: [path] });
  return new EmulatorCaller(emulator, 'u1');
};

it('an imported history is served verbatim, with its files and every field of its session', async () => {
  const job = '{"job_id" : "j1",  "big": 12345678901234567890, "answer": {"blocks": []}}';
  const caller = await imported(`{
      "users": [{ "user_id": "u1", "sessions": [
        { "id": "s1", "name": "One", "colour": "red", "max_contextual_job_history": 76,
          "jobs": [${job}, {"job_id":"j2","content":{"url":"{{url:t.csv}}"}}] },
        { "id": "s2" }
      ]}],
      "files": { "t.csv": { "text": "a,b\\n" }, "p.png": { "base64": "iVBORw==" } },
      "datasets": [{ "id": "d1", "name": "D", "creator": "u1" }]
    }`);
  const { text, body } = await caller.get('/v2/team/sessions/s1/history');
  expect(text).toContain(`,${job}]`);
  const url = body.data.records[0].content.url as string;
  expect(await (await fetch(url)).text()).toBe('a,b\n');
  const list = await caller.get('/v2/team/sessions');
  expect(list.body.data.records).toEqual([
    { id: 's2', name: '' },
    { id: 's1', name: 'One', colour: 'red', max_contextual_job_history: 76 },
  ]);
  expect(emulator!.state.file('p.png')?.mediaType).toBe('image/png');
  expect((await caller.get('/v2/team/datasets')).body.data.total_items).toBe(1);
});

it.each([
  ['no JSON', '[', /is not JSON/],
  ['a user without an id', '{"users":[{"sessions":[]}]}', /users\.0\.user_id/],
  [
    'a job without an id',
    '{"users":[{"user_id":"u","sessions":[{"id":"s","jobs":[{}]}]}]}',
    /job_id/,
  ],
  ['an unknown field', '{"user":[]}', /user/],
])('an imported history with %s is refused in one sentence', async (_what, text, message) => {
  await expect(imported(text)).rejects.toThrow(message);
  await expect(imported(text)).rejects.toBeInstanceOf(UsageError);
});

it('an imported history that is not there is refused', async () => {
  const importFiles = [join(folder, 'none.json')];
  await expect(startEmulator({ importFiles })).rejects.toThrow(/cannot read .*none\.json/);
});

const SEED = { users: 2, sessions: 3, jobs: 4 };

it('says when a port is taken', async () => {
  emulator = await startEmulator(SEED);
  const port = Number(new URL(emulator.baseUrl).port);
  await expect(startEmulator({ ...SEED, port })).rejects.toThrow(
    `cannot listen on 127.0.0.1 port ${port}: the port is in use; give another one with --port, 0 takes a free one`,
  );
});
