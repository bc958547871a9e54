import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

const SEED = { users: 2, sessions: 3, jobs: 4 };

describe('a data file', () => {
  const restarted = async (options = SEED): Promise<Emulator> => {
    await emulator?.close();
    emulator = await startEmulator({ ...options, dataFile: join(folder, 'data.json') });
    return emulator;
  };

  it('keeps every kind of change over a restart', async () => {
    const first = await restarted();
    const [ana = '', jonas = ''] = first.state.userIds();
    const caller = new EmulatorCaller(first, ana);
    const [one = '', two = '', three = ''] = first.state.sessionIds(ana);
    await caller.post('/v2/team/sessions', { name: 'Made by request' });
    await caller.post(`/v2/team/sessions/${one}`, { name: 'Renamed' });
    await caller.delete(`/v2/team/sessions/${two}`);
    const [job = ''] = first.state.jobIds(ana, three);
    first.state.growAnswer(ana, three, job, 'grown');
    first.state.addJob(ana, one);
    first.state.addJob(ana, one, '{"job_id":"v","n":9007199254740993}');
    const [key = ''] = first.state.fileKeys(ana, three, job);
    first.state.putFile('new.csv', 'a\n');
    first.state.removeFile(key);
    await caller.post('/v2/team/datasets', { name: 'Mine' });
    const look = async (one: Emulator): Promise<unknown> => ({
      sessions: (await new EmulatorCaller(one, ana).get('/v2/team/sessions')).body.data as unknown,
      others: one.state.sessionIds(jonas),
      jobs: one.state
        .sessionIds(ana)
        .map((id) => one.state.jobIds(ana, id).map((jobId) => one.state.jobText(ana, id, jobId))),
      datasets: one.state.datasets(),
      files: [one.state.file('new.csv')?.bytes.toString(), one.state.file(key)],
    });
    const before = await look(first);
    expect(JSON.stringify(before)).toContain('9007199254740993');
    expect(await look(await restarted())).toEqual(before);
    expect(await readdir(folder)).toEqual(['data.json']);
  });

  it('gives new ids after a restart, never an old one again', async () => {
    const [user = ''] = (await restarted()).state.userIds();
    const first = emulator!.state.addSession(user);
    await restarted();
    expect(emulator!.state.addSession(user)).not.toBe(first);
    expect(emulator!.state.sessionIds(user)).toHaveLength(5);
  });

  it('stays small: untouched seed data is not in it', async () => {
    const [user = ''] = (await restarted()).state.userIds();
    await new EmulatorCaller(emulator!, user).get('/v2/team/sessions');
    await restarted();
    const { users } = JSON.parse(await readFile(join(folder, 'data.json'), 'utf8')) as {
      users: unknown[];
    };
    expect(users).toEqual([]);
  });

  it('is refused under other seed settings, and left alone', async () => {
    await restarted();
    await emulator?.close();
    const before = await readFile(join(folder, 'data.json'), 'utf8');
    await expect(restarted({ ...SEED, users: 5 })).rejects.toThrow(/made with other seed settings/);
    expect(await readFile(join(folder, 'data.json'), 'utf8')).toBe(before);
  });

  it.each([
    ['no JSON', '{', /is not JSON/],
    ['another document', '{"a":1}', /is not a data file of the emulator: format: /],
  ])('is refused when it is %s', async (_what, text, message) => {
    await writeFile(join(folder, 'data.json'), text);
    await expect(restarted()).rejects.toThrow(message);
    await expect(restarted()).rejects.toBeInstanceOf(UsageError);
  });

  it('says so when it cannot be written', async () => {
    const path = join(folder, 'no such folder', 'data.json');
    const refused = startEmulator({ ...SEED, dataFile: path });
    await expect(refused).rejects.toThrow(/cannot write the data file/);
  });
});

describe('an imported history', () => {
  const imported = async (text: string): Promise<EmulatorCaller> => {
    const path = join(folder, 'histories.json');
    await writeFile(path, text);
    emulator = await startEmulator({ users: 0, importFiles: [path] });
    return new EmulatorCaller(emulator, 'u1');
  };

  it('is served verbatim, with its files and every field of its session', async () => {
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
  ])('with %s is refused in one sentence', async (_what, text, message) => {
    await expect(imported(text)).rejects.toThrow(message);
    await expect(imported(text)).rejects.toBeInstanceOf(UsageError);
  });

  it('that is not there is refused', async () => {
    const importFiles = [join(folder, 'none.json')];
    await expect(startEmulator({ importFiles })).rejects.toThrow(/cannot read .*none\.json/);
  });
});

it('says when a port is taken', async () => {
  emulator = await startEmulator(SEED);
  const port = Number(new URL(emulator.baseUrl).port);
  await expect(startEmulator({ ...SEED, port })).rejects.toThrow(
    `cannot listen on 127.0.0.1 port ${port}: the port is in use; give another one with --port, 0 takes a free one`,
  );
});
