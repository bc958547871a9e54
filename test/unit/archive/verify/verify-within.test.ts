/** Checks of a part of the objects each night, which together read all of them in time. */
import { beforeEach, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import { SLICES_PATH } from '../../../../src/archive/paths.js';
import { credible, readSlices, sliceOf, SLICES } from '../../../../src/archive/verify/slices.js';
import { verifyArchive } from '../../../../src/archive/verify/verify.js';
import { verifyWithin } from '../../../../src/archive/verify/verify-within.js';
import type { Clock } from '../../../../src/base/runtime.js';
import {
  artifactFor,
  draft,
  makeArchive,
  putArtifact,
  putNaming,
  reopened,
  runOf,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage, type MemoryStorage } from '../../../support/store/memory-storage.js';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 10, 5, 3);
const WITHIN_MS = 30 * DAY_MS;
const NAMES = Array.from({ length: 150 }, (_, n) => `n\n${n}\n`);

let storage: MemoryStorage;
let archive: Archive;
let nowMs: number;
const clock: Clock = { now: () => nowMs, monotonic: () => nowMs, sleep: () => Promise.resolve() };

beforeEach(async () => {
  storage = createMemoryStorage();
  archive = await makeArchive(storage);
  nowMs = START_MS;
  await add(NAMES, 'A');
});

async function add(texts: readonly string[], run: string): Promise<void> {
  const artifacts = await Promise.all(texts.map((text) => putArtifact(storage, text)));
  const files = [await putNaming(storage, artifacts, { run: runOf(run) })];
  const base = archive.index.through;
  await archive.log.append(draft({ base, run: runOf(run), files }));
  await archive.index.refresh();
}

/** Problems, the slices that were due, and the artifacts that were read. */
async function check(in_: Archive = archive) {
  storage.calls.clear();
  const report = await verifyWithin({ ...in_, clock }, { withinMs: WITHIN_MS });
  const read = [...storage.calls.keys()]
    .map((call) => /(?<!tables\/)artifacts\/\S+/.exec(call)?.[0])
    .filter((path) => path !== undefined);
  return { ...report, paths: new Set(read) };
}

function damage(text: string): string {
  const { path, content } = artifactFor(text);
  storage.place.objects.set(path, Buffer.from(content).fill(65, 0, 1));
  return path;
}

const sliceNamed = (text: string): number => sliceOf(artifactFor(text).entry, SLICES);

it('the first night reads everything, later ones each object within the time', async () => {
  expect((await check()).paths.size).toBe(150);
  const lastRead = new Map(NAMES.map((text) => [artifactFor(text).path, nowMs]));
  let mostInANight = 0;
  let sum = 0;
  for (let night = 1; night <= 100; night++) {
    nowMs += DAY_MS + (((night * 7919) % 20) - 10) * 60_000;
    const { paths, problems, slices } = await check();
    expect(problems).toEqual([]);
    for (const path of paths) lastRead.set(path, nowMs);
    const oldestMs = Math.min(...lastRead.values());
    expect(nowMs - oldestMs).toBeLessThanOrEqual(WITHIN_MS);
    expect(Date.parse(slices.oldest ?? '')).toBe(oldestMs);
    mostInANight = Math.max(mostInANight, slices.read.length);
    sum += slices.read.length;
  }
  expect(mostInANight).toBeLessThanOrEqual(2);
  expect(sum).toBeLessThan(110);
});

it('After a pause as many slices are read as the nights that were missed', async () => {
  await check();
  nowMs += DAY_MS;
  await check();
  nowMs += 7 * DAY_MS;
  expect((await check()).slices.read).toHaveLength(7);
  nowMs += 60 * DAY_MS;
  expect((await check()).slices.read).toHaveLength(30);
  nowMs += 60_000; // again by hand: there is nothing to do
  expect(await check()).toMatchObject({
    slices: { read: [] },
    problems: [],
    bytes: 0,
    unread: 151,
  });
});

it('What was committed since the last check is read by the next one, whatever its slice', async () => {
  await check();
  nowMs += DAY_MS;
  const texts = NAMES.map((text) => `new ${text}`);
  await add(texts, 'B');
  const { paths } = await check();
  expect(texts.filter((text) => !paths.has(artifactFor(text).path))).toEqual([]);
  expect(paths.size).toBeLessThan(texts.length + 15);
});

it('Damage is told by every check until one finds the slice whole', async () => {
  await check();
  const text = NAMES.find((name) => sliceNamed(name) === 17) ?? '';
  const path = damage(text);
  const told: number[] = [];
  for (let night = 1; night <= 31; night++) {
    nowMs += DAY_MS;
    const { problems, slices } = await check();
    if (problems.length === 0) continue;
    told.push(night);
    expect(problems).toMatchObject([{ path, problem: 'digest' }]);
    expect(slices.damaged).toEqual([17]);
  }
  const [first = 0] = told;
  expect(first).toBeLessThanOrEqual(30);
  expect(told).toEqual(Array.from({ length: 32 - first }, (_, n) => first + n));
  await putArtifact(storage, text);
  nowMs += DAY_MS;
  expect(await check()).toMatchObject({ problems: [], slices: { damaged: [] } });
});

it('What is missing is found by the next check, and the log is read whole, whatever is due', async () => {
  await check();
  nowMs += DAY_MS;
  const gone = artifactFor(NAMES.find((name) => sliceNamed(name) === 30) ?? '').path;
  storage.place.objects.delete(gone);
  expect((await check()).problems).toMatchObject([{ path: gone, problem: 'missing' }]);
  const before = storage.place.objects.get(SLICES_PATH);
  storage.place.objects.set('_commits/000000000001.json', Buffer.from('{}'));
  const { problems, slices } = await check(reopened(archive));
  expect(problems.map(({ path }) => path)).toContain('_commits/000000000001.json');
  expect(slices.unrecorded).toBe('the log is damaged');
  expect(storage.place.objects.get(SLICES_PATH)).toEqual(before);
});

// I-55 in FORMAT.md
it.each([
  ['has dates that are still to come', (text: string) => text.replaceAll('"2026-', '"2036-')],
  [
    'is of a commit that the log does not have',
    (text: string) => text.replace('"through": 1', '"through": 9'),
  ],
  [
    'is of another log',
    (text: string) => text.replace(/"through_digest": "..../, '"through_digest": "0000'),
  ],
  ['has fewer slices', (text: string) => text.replace(/\{[^{}]*\},/, '')],
  ['has a key that nobody knows', (text: string) => text.replace('"format"', '"x": 1, "format"')],
  ['is no JSON', () => '{'],
])('A record that %s is not believed: everything is read', async (_what, edit) => {
  await check();
  const text = Buffer.from(storage.place.objects.get(SLICES_PATH) ?? []).toString();
  expect(edit(text)).not.toBe(text);
  storage.place.objects.set(SLICES_PATH, Buffer.from(edit(text)));
  nowMs += DAY_MS;
  expect((await check()).paths.size).toBe(150);
  expect((await check()).paths.size).toBe(0);
});

it('of two checks at once neither forgets what the other has read or found damaged', async () => {
  await check();
  nowMs += DAY_MS;
  // while this check reads, another one finds a new file damaged
  const slow = reopened(archive);
  const text = 'another\n';
  let isOther = false;
  const get = storage.get.bind(storage);
  storage.get = async (path) => {
    const bytes = await get(path);
    if (path === SLICES_PATH && !isOther) {
      isOther = true;
      await add([text], 'C');
      damage(text);
      expect((await check()).slices.damaged).toEqual([sliceNamed(text)]);
    }
    return bytes;
  };
  await verifyWithin({ ...slow, clock }, { withinMs: WITHIN_MS });
  const { record } = await readSlices(storage);
  await archive.index.refresh();
  const { through, slices } = credible(record, archive.index, nowMs);
  expect(through).toBe(2);
  expect(slices.flatMap(({ isDamaged }, n) => (isDamaged ? [n + 1] : []))).toEqual([
    sliceNamed(text),
  ]);
});

it('Thirty slices are together the whole archive, and who reads one of them writes nothing', async () => {
  const paths: string[] = [];
  for (let nth = 1; nth <= 30; nth++) {
    storage.calls.clear();
    await verifyArchive(archive, { slice: { nth, of: 30 } });
    paths.push(
      ...[...storage.calls.keys()].flatMap(
        (call) => /(?<!tables\/)artifacts\/\S+/.exec(call) ?? [],
      ),
    );
  }
  expect(paths.sort()).toEqual(NAMES.map((text) => artifactFor(text).path).sort());
  expect(storage.place.objects.has(SLICES_PATH)).toBe(false);
});

it('A check whose record cannot be kept says so', async () => {
  storage.putIfAbsent = () => Promise.reject(new Error('read-only'));
  expect((await check()).slices.unrecorded).toBe('read-only');
});
