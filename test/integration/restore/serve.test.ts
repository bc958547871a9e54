/** `serve --from`: a client of the service reads from an archive what the service had, files included. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openArchive, type OpenArchive } from '../../../src/index.js';
import type { ServedArchive } from '../../../src/restore/serve-archive.js';
import {
  AuthenticationError,
  asDatasetId,
  asSessionId,
  asUserId,
  NotFoundError,
  PermissionDeniedError,
  Listings,
  readAll,
  type ServiceClient,
} from '../../../src/service.js';
import type { Row } from '../../../src/model/table-schema.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { CliProcess } from '../../support/programs/cli-process.js';
import { testClient, type TestClient } from '../../support/http/test-client.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

let rig: ExportRig;
let archive: OpenArchive;
let served: ServedArchive;
let client: TestClient;
let deleted: string;

beforeAll(async () => {
  rig = await ExportRig.start({ users: 3, sessions: 7, jobs: 9, odd: true, gaps: true });
  await rig.export({ withDatasets: true });
  const [user = ''] = rig.state.userIds();
  const [first = '', second = ''] = rig.state.sessionIds(user);
  rig.state.growAnswer(user, first, rig.state.jobIds(user, first)[0] ?? '', 'a later block');
  deleted = second;
  rig.state.deleteSession(user, second);
  rig.state.addJobs(user, first, 3);
  await rig.export({ full: true });
  archive = await openArchive(rig.out);
  served = await archive.serve();
  client = testClient(served.baseUrl, { apiKey: served.apiKey });
});
afterAll(async () => {
  await client.close();
  await served.close();
  await archive.close();
  await rig[Symbol.asyncDispose]();
});

/** The newest versions, by user, session and job. */
async function newest(table: string): Promise<Map<string, Row[]>> {
  const found = new Map<string, Row[]>();
  for (const row of await rig.rows(table)) {
    const key = JSON.stringify([row['user_id'], row['session_id'], row['job_id']]);
    const version = Number(row['job_version'] ?? row['session_version']);
    const known = found.get(key) ?? [];
    const best = Number(known[0]?.['job_version'] ?? known[0]?.['session_version'] ?? 0);
    if (version > best) found.set(key, [row]);
    else if (version === best) known.push(row);
  }
  return found;
}

async function everything(service: ServiceClient) {
  const jobs = new Map<string, { text: string; value: unknown }>();
  const sessions = new Map<string, Record<string, unknown>>();
  for (const user of rig.state.userIds()) {
    const userId = asUserId(user);
    // small pages: there are several
    const listings = new Listings({ service, pageSize: 4 });
    for await (const { items } of readAll(listings.sessionsOf(userId))) {
      for (const { record } of items) {
        const sessionId = record.value.id;
        sessions.set(JSON.stringify([user, sessionId]), record.value);
        for await (const page of readAll(listings.historyOf(userId, sessionId))) {
          for (const { record: job } of page.items) {
            jobs.set(JSON.stringify([user, sessionId, job.value.job_id]), job);
          }
        }
      }
    }
  }
  return { jobs, sessions };
}

/** Without URLs, and without the times at which they expire. */
function withoutUrls(json: string): unknown {
  const strip = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(/https?:\/\/[^\s"'<>)]+/g, 'URL');
    if (Array.isArray(value)) return value.map(strip);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, member]) => [
      name,
      name === 'expires_at' ? 'TIME' : strip(member),
    ]);
    return Object.fromEntries(members) as unknown;
  };
  return strip(JSON.parse(json));
}

it('a served archive has every session and job, also those that the service has dropped', async () => {
  const { jobs, sessions } = await everything(client);
  const records = await newest('raw_jobs');
  expect(jobs.size).toBeGreaterThan(50);
  expect([...jobs.keys()].toSorted()).toEqual([...records.keys()].toSorted());
  expect([...sessions.keys()].some((key) => key.includes(deleted))).toBe(true);
  for (const [key, { text }] of jobs) {
    expect(withoutUrls(text)).toEqual(withoutUrls(String(records.get(key)?.[0]?.['record'])));
  }
  const rows = await newest('sessions');
  for (const row of [...rows.values()].flat()) {
    const shown = sessions.get(JSON.stringify([row['user_id'], row['session_id']])) ?? {};
    expect(shown).toMatchObject({ id: row['session_id'], name: row['name'] });
    expect([shown['output_language'] ?? null, shown['job_mode'] ?? null]).toEqual([
      row['output_language'],
      row['job_mode'],
    ]);
    for (const [name, value] of Object.entries(JSON.parse(String(row['extra_json'] ?? '{}')))) {
      expect(shown[name]).toEqual(value);
    }
  }
});

it('a served archive has every file under a URL that works, and no other URL leads on', async () => {
  const { jobs } = await everything(client);
  const files = await newest('artifacts');
  let count = 0;
  let lost = 0;
  for (const [key, { value }] of jobs) {
    const urls = new Set<string>();
    JSON.stringify(value, (_name, member: unknown) => {
      if (typeof member !== 'string') return member;
      for (const [url] of member.matchAll(/http:\/\/127\.0\.0\.1:\d+\/session-files[^\s"'<>)]+/g)) {
        urls.add(url.replaceAll('&amp;', '&').replaceAll('\\', ''));
      }
      return member;
    });
    const found = new Set<string>();
    for (const url of urls) {
      expect(url.startsWith(served.filesUrl)).toBe(true);
      const answer = await fetch(url);
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (answer.status === 200) found.add(createHash('sha256').update(bytes).digest('hex'));
      else lost++;
    }
    const stored = (files.get(key) ?? []).filter(({ status }) => status === 'stored');
    expect([...found].toSorted()).toEqual(
      [...new Set(stored.map(({ sha256 }) => String(sha256)))].toSorted(),
    );
    count += found.size;
  }
  expect([count > 100, lost > 0]).toEqual([true, true]);
});

it('a served archive has datasets as they were', async () => {
  const [row] = await rig.rows('datasets');
  const id = asDatasetId(String(row?.['dataset_id']));
  const userId = asUserId(rig.state.userIds()[0] ?? '');
  const list = await client.listDatasets({ userId });
  expect(list.totalItems).toBe(rig.state.datasets().length);
  const overview = await client.getDatasetOverview({ userId, datasetId: id });
  expect(overview.value).toMatchObject({ id, name: row?.['name'], summary: row?.['summary'] });
  expect(overview.value.keywords).toEqual(JSON.parse(String(row?.['keywords'])));
  const status = await client.getDatasetStatus({ userId, datasetId: id });
  expect(status).toMatchObject({ synched_count: row?.['synched_count'] });
});

it('a served archive refuses operations that write, other keys, and URLs not its own', async () => {
  const [user = '', other = ''] = rig.state.userIds();
  const userId = asUserId(user);
  const sessionId = asSessionId(deleted);
  const datasetId = asDatasetId(rig.state.datasets()[0]?.id ?? '');
  const writing = [
    client.createSession({ userId, name: 'new' }),
    client.modifySession({ userId, sessionId, name: 'new' }),
    client.deleteSession({ userId, sessionId }),
    client.createDataset({ userId, name: 'new' }),
    client.modifyDataset({ userId, datasetId, name: 'new' }),
    client.deleteDataset({ userId, datasetId }),
  ];
  for (const outcome of await Promise.allSettled(writing)) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { serviceCode: 300002 } });
  }
  const of = (one: string, id: string) =>
    client.getSession({ userId: asUserId(one), sessionId: asSessionId(id) });
  await expect(of(other, deleted)).rejects.toThrow(PermissionDeniedError);
  await expect(of(user, 'nothing')).rejects.toThrow(NotFoundError);
  for (const apiKey of ['demo-key', '', `${served.apiKey}x`].filter(Boolean)) {
    await using stranger = testClient(served.baseUrl, { apiKey });
    await expect(stranger.listSessions({ userId })).rejects.toThrow(AuthenticationError);
  }
  const page = await client.getHistory({
    userId,
    sessionId: asSessionId(rig.state.sessionIds(user)[0] ?? ''),
  });
  const [url = ''] = /http:\/\/127[^\s"]+session-files[^\s"]+/.exec(JSON.stringify(page)) ?? [];
  const statuses = [
    url.replace(/.$/, ''),
    url.replace(/\?.*/, ''),
    url.replace('/artifacts/', '/jobvault.json/'),
  ];
  for (const wrong of statuses) expect((await fetch(wrong)).status).toBe(403);
});

it('answers nothing more once it is erased from: what was read may be of the erased', async () => {
  await using own = await ExportRig.start({ users: 2, sessions: 1, jobs: 1 });
  await own.export();
  const [gone = '', other = ''] = own.state.userIds();
  await using opened = await openArchive(own.out);
  const server = await opened.serve();
  await using reader = testClient(server.baseUrl, { apiKey: server.apiKey });
  const listOf = (user: string) => reader.listSessions({ userId: asUserId(user) });
  try {
    expect((await listOf(gone)).totalItems).toBe(1);
    await cli(['erase', own.out, '--user', gone, '--reason', 'asked for', '--yes']);
    for (const user of [gone, other]) {
      const failure = (): Promise<unknown> => listOf(user).catch((error: unknown) => error);
      await expect.poll(failure, { timeout: 20_000 }).toMatchObject({
        serviceCode: 9999,
        message: expect.stringMatching(/was erased/) as string,
      });
    }
  } finally {
    await server.close();
  }
});

it('jobvault serve --from answers with the key of the file alone, which it does not print', async () => {
  const key = join(rig.directory, 'key');
  await writeFile(key, 'a-key-of-my-own-1234\n', { mode: 0o600 });
  const words = ['serve', '--from', rig.out, '--port', '0', '--key-file', key];
  const serving = new CliProcess(words);
  const told = await serving.untilStdout(/ends it\.\n/);
  expect(told.replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')).toBe(
    `${rig.out} answers at http://HOST (files at http://HOST), read-only, as of commit 2.\n` +
      `3 users, 21 sessions. API key: the one in ${key}\nCtrl-C ends it.\n`,
  );
  const [, baseUrl = ''] = /answers at (\S+)/.exec(told) ?? [];
  await using mine = testClient(baseUrl, { apiKey: 'a-key-of-my-own-1234' });
  const userId = asUserId(rig.state.userIds()[0] ?? '');
  expect((await mine.listSessions({ userId })).totalItems).toBe(7);
  await using other = testClient(baseUrl, { apiKey: 'demo-key' });
  await expect(other.listSessions({ userId })).rejects.toThrow(AuthenticationError);
  serving.kill('SIGTERM');
  expect(await serving.ended).toMatchObject({ exitCode: 0, stderr: '' });
});

it('serve --from refuses flags of made-up data and a short key; without it, its own', async () => {
  const key = join(rig.directory, 'short');
  await writeFile(key, 'short\n');
  for (const [words, why] of [
    [['--from', rig.out, '--users', '3'], '--users does not go with --from'],
    [['--from', rig.out, '--key-file', key], 'at least 16 characters'],
    [['--key-file', key], '--key-file goes with --from'],
    [['--from', rig.directory], 'is not a jobvault archive'],
  ] as const) {
    const { exitCode, stderr } = await cli(['serve', ...words]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(why)]);
  }
});

it('cuts the answer where a file was altered, so that no client takes it for whole', async () => {
  const row = (await rig.rows('artifacts')).find(
    ({ status, bytes }) => status === 'stored' && Number(bytes) > 0,
  );
  const path = join(rig.out, String(row?.['path']));
  const before = await readFile(path);
  const altered = Buffer.from(before);
  altered[altered.length >> 1]! ^= 1;
  await writeFile(path, altered);
  try {
    const userId = asUserId(String(row?.['user_id']));
    const sessionId = asSessionId(String(row?.['session_id']));
    const page = await client.getHistory({ userId, sessionId, pageSize: 100 });
    const text = page.records.map((record) => record.text).join('\n');
    const all = text.matchAll(/http:\/\/127[^\s"\\)]+session-files[^\s"\\)]+/g);
    const urls = [...all].map(([url]) => url).filter((url) => url.includes(String(row?.['path'])));
    expect(urls).not.toEqual([]);
    await expect(fetch(urls[0] ?? '').then((answer) => answer.arrayBuffer())).rejects.toThrow();
  } finally {
    await writeFile(path, before);
  }
});
