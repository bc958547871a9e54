import { exec } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFile, cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bagInfoOf, bagProblems } from '../../support/tables/bag-validator.js';
import { handOver, type Handover } from '../../support/rigs/evidence-rig.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { sortedJson } from '../../support/base/sorted-json.js';

let rig: ExportRig;
let handover: Handover;

beforeAll(async () => {
  rig = await ExportRig.start({ users: 2, sessions: 3, jobs: 4 });
  await rig.export({ formats: ['parquet', 'xlsx'], project: 'demo' });
  const [user = ''] = rig.state.userIds();
  const [session = ''] = rig.state.sessionIds(user);
  rig.state.growAnswer(user, session, rig.state.addJob(user, session), 'More was found.');
  const [, changed = ''] = rig.state.sessionIds(user);
  const [job] = rig.state.jobIds(user, changed);
  if (job === undefined) rig.state.addJob(user, changed);
  else rig.state.growAnswer(user, changed, job, 'What was said is mended.');
  await rig.export({ full: true });
  handover = await handOver(rig, '--organization', 'Example Ltd');
});
afterAll(() => rig[Symbol.asyncDispose]());

it('an evidence pack of everybody is complete, and counts what the archive has', async () => {
  expect([handover.exitCode, handover.stderr]).toEqual([0, '']);
  const records = await rig.rows('raw_jobs');
  const { users, sessions, jobs } = rig.state.totals();
  const stored = await rig.files('artifacts');
  const { pack } = handover;
  const payload = (await pack.files()).filter((path) => path.startsWith('data/'));
  expect(handover.summary()).toMatchObject({
    status: 'complete',
    users,
    sessions,
    jobs,
    records: records.length,
    artifacts: stored.length,
    files: payload.length,
    commits: { whole: 2, extracts: 0, others: 0 },
    archive: rig.out,
    out: pack.directory,
  });
  expect(records.length).toBeGreaterThan(jobs);
});

it('the pack has manifests that sha256sum accepts, every file of the payload among them', async () => {
  const { pack } = handover;
  const accepted = await pack.sha256sum('manifest-sha256.txt');
  const payload = (await pack.files()).filter((path) => path.startsWith('data/'));
  const expected = payload.map((path) => `${path}: OK`);
  expect(accepted.trim().split('\n').toSorted()).toEqual(expected.toSorted());
  expect((await pack.sha256sum('tagmanifest-sha256.txt')).split('\n').toSorted()).toEqual([
    '',
    'bag-info.txt: OK',
    'bagit.txt: OK',
    'manifest-sha256.txt: OK',
  ]);
});

it('an evidence pack of everybody has a check command that prints nothing, but what fails', async () => {
  const { pack } = handover;
  const readme = await pack.text('data/README.txt');
  const [command = ''] = /^ *sha256sum .*$/m.exec(readme) ?? [];
  const check = (directory: string) => promisify(exec)(command, { cwd: directory });
  expect(await check(pack.directory)).toEqual({ stdout: '', stderr: '' });
  const altered = join(rig.directory, 'altered');
  await cp(pack.directory, altered, { recursive: true });
  await appendFile(join(altered, 'data/index.csv'), 'x');
  await expect(check(altered)).rejects.toMatchObject({ stdout: 'data/index.csv: FAILED\n' });
});

it('the pack is a valid bag that says who hands it over, of which archive and commit', async () => {
  expect(await bagProblems(handover.pack.directory)).toEqual([]);
  const archive = await rig.open();
  const head = await archive.log.head();
  const info = new Map(await bagInfoOf(handover.pack.directory));
  expect(Object.fromEntries(info)).toMatchObject({
    'Source-Organization': 'Example Ltd',
    'Internal-Sender-Identifier': archive.identity.id,
    'Head-Commit': '2',
    'Head-Digest': head?.digest,
  });
  expect(
    Math.max(...[...info].map(([label, value]) => label.length + value.length + 2)),
  ).toBeLessThan(80);
});

it('an evidence pack of everybody holds every version of every job to the letter', async () => {
  const { pack } = handover;
  const rows = await rig.rows('raw_jobs');
  const items = (await pack.page('items')).filter(({ item }) => item === 'job');
  expect(items).toHaveLength(rows.length);
  const keyOf = (...key: unknown[]) => key.join(' ');
  const byKey = new Map(
    items.map((item) => [
      keyOf(item['user_id'], item['session_id'], item['job_id'], item['version']),
      item,
    ]),
  );
  for (const row of rows) {
    const key = keyOf(row['user_id'], row['session_id'], row['job_id'], row['job_version']);
    expect((await pack.item(byKey.get(key) ?? {})).toString()).toBe(row['record']);
  }
  const superseded = items.filter((item) => item['is_newest'] === 'no');
  expect(superseded.length).toBeGreaterThan(0);
  expect(new Set(superseded.map(({ status }) => status))).toEqual(new Set(['superseded']));
});

it('the records of a conversation are a list, where its transcript says which is whose', async () => {
  const { pack } = handover;
  const rows = await rig.rows('raw_jobs');
  const conversations = await pack.page('index');
  const files = (await pack.files()).filter((path) => path.startsWith('data/records/'));
  expect(files).toHaveLength(conversations.length);
  let records = 0;
  for (const { transcript = '', session_id: session } of conversations) {
    const text = await pack.text(transcript);
    const questions = text.matchAll(/^question .* of the conversation, (\S+)$/gm);
    const told = text.matchAll(/^record: number (\d+) in (\S+)$/gm);
    const jobs = [...questions].map(([, job]) => job);
    const places = [...told];
    const [[, , path = ''] = []] = places;
    const list = JSON.parse(await pack.text(path)) as Record<string, unknown>[];
    const named = places.map(([, number]) => JSON.stringify(list[Number(number) - 1]));
    for (const [at, job] of jobs.entries()) expect(named[at]).toContain(`"${job}"`);
    expect(list).toHaveLength(rows.filter((row) => row['session_id'] === session).length);
    records += list.length;
  }
  expect(records).toBe(rows.length);
});

it("the pack names each item with its file's digest and its place in the archive", async () => {
  const { pack } = handover;
  const archived = new Set(await rig.files());
  for (const item of await pack.page('items')) {
    if (item['is_newest'] === 'no' && item['item'] === 'session') continue;
    const bytes = await pack.item(item);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(item['sha256']);
    expect(bytes.length).toBe(Number(item['bytes']));
    expect(archived.has(item['archive_path'] ?? '')).toBe(true);
  }
});

it('the pack has a row for each file that an answer refers to, and each file once', async () => {
  const { pack } = handover;
  const rows = await rig.rows('artifacts');
  const items = (await pack.page('items')).filter(({ item }) => item === 'artifact');
  expect(items).toHaveLength(rows.length);
  const inPack = (await pack.files()).filter((path) => path.startsWith('data/artifacts/'));
  expect(new Set(items.map((item) => item['pack_path']))).toEqual(new Set(inPack));
  const urls = new Set((await pack.page('locations')).map((row) => row['original_url']));
  for (const { url } of rows) expect(urls.has(String(url))).toBe(true);
});

it('the pack tells each session as a text: questions, answers, files, oldest first', async () => {
  const { pack } = handover;
  const jobs = await rig.rows('jobs');
  const sessions = (await pack.page('items')).filter(({ item }) => item === 'session');
  for (const { session_id: id, pack_path: path = '', is_newest: isNewest } of sessions) {
    if (isNewest === 'no') continue;
    const text = await pack.text(path);
    const order = rig.state
      .userIds()
      .flatMap((user) => rig.state.sessionIds(user).map((session) => ({ user, session })))
      .filter(({ session }) => session === id)
      .flatMap(({ user, session }) => rig.state.jobIds(user, session));
    const places = order.map((job) => text.indexOf(` of the conversation, ${job}\n`));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    for (const job of jobs.filter(({ session_id: session }) => session === id)) {
      const [firstLine = ''] = String(job['question_text'] ?? '').split(/\r?\n/);
      expect(text).toContain(firstLine);
    }
  }
  expect(await pack.filesWith('What was said is mended.')).not.toEqual([]);
});

it('the pack holds the commits as they stand, in a chain that can be computed again', async () => {
  const { pack } = handover;
  const chain = await pack.page('commits/chain');
  let before = '';
  for (const { number, digest, previous, file = '' } of chain) {
    expect(previous).toBe(before);
    const { digest: own, ...body } = await pack.json(file);
    expect(own).toBe(digest);
    expect(createHash('sha256').update(sortedJson(body)).digest('hex')).toBe(digest);
    expect(body['number']).toBe(Number(number));
    before = digest ?? '';
  }
  expect(chain).toHaveLength(2);
  expect(before).toBe(handover.summary().head?.digest);
  const companions = (await pack.files()).filter((path) => path.endsWith('.jobs.jsonl.gz'));
  expect(companions).toHaveLength(2);
  expect(await pack.text('data/jobvault.json')).toContain((await rig.open()).identity.id);
});

it('an evidence pack of everybody sums up each user, and says what settings chose the data', async () => {
  const summary = await handover.pack.page('summary');
  expect(summary.map((row) => row['user_id']).toSorted()).toEqual(rig.state.userIds().toSorted());
  for (const row of summary) {
    const user = row['user_id'] ?? '';
    const sessions = rig.state.sessionIds(user);
    const jobs = sessions.flatMap((session) => rig.state.jobIds(user, session));
    expect(row).toMatchObject({ sessions: String(sessions.length), jobs: String(jobs.length) });
    expect(row).toMatchObject({ gaps: '0', complete: 'yes' });
    expect(Date.parse(row['first_exported_at'] ?? '')).toBeGreaterThan(0);
  }
  const settings = await handover.pack.page('settings');
  const full = settings.filter(({ setting }) => setting === 'full');
  expect(full.map(({ commit, value }) => [commit, value])).toEqual([
    ['1', 'false'],
    ['2', 'true'],
  ]);
  expect(settings.filter(({ of }) => of === 'pack').map(({ value }) => value)).toEqual([
    '(all)',
    '(all)',
  ]);
});

it.each<[string, (directory: string) => Promise<unknown>]>([
  ['a changed file', (at) => appendFile(join(at, 'data/README.txt'), ' ')],
  ['a lost file', (at) => rm(join(at, 'data/summary.csv'))],
  ['a file too many', (at) => writeFile(join(at, 'data/more.txt'), '')],
  ['a changed tag file', (at) => appendFile(join(at, 'bag-info.txt'), 'More: text\n')],
  ['a lost declaration', (at) => rm(join(at, 'bagit.txt'))],
  ['a lost manifest', (at) => rm(join(at, 'manifest-sha256.txt'))],
  ['a renamed file', (at) => rename(join(at, 'data/gaps.csv'), join(at, 'data/gap.csv'))],
])('the validator of these tests refuses a bag with %s', async (_what, spoil) => {
  const { pack } = await handOver(rig);
  expect(await bagProblems(pack.directory)).toEqual([]);
  await spoil(pack.directory);
  expect(await bagProblems(pack.directory)).not.toEqual([]);
});

it('the place of a pack may be an empty directory', async () => {
  const place = join(rig.directory, 'empty');
  await mkdir(place);
  const { exitCode } = await handOver(rig, '--out', place);
  expect(exitCode).toBe(0);
  expect(await bagProblems(place)).toEqual([]);
});

it('the place of a pack may lie in directories that are not there yet', async () => {
  const place = join(rig.directory, 'new/and/deep');
  const { exitCode } = await handOver(rig, '--out', place);
  expect([exitCode, await bagProblems(place)]).toEqual([0, []]);
});
