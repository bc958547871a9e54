import { createHash } from 'node:crypto';
import { PNG } from 'pngjs';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { createdAtOf } from '../../../src/model/times/created-at.js';
import { EMULATOR_DEFAULTS } from '../../../src/emulator/options.js';
import type { SeedPlan } from '../../../src/emulator/seed/seed-plan.js';
import { answersIn, SEED_LANGUAGES, topics } from '../../../src/emulator/fixtures.js';
import { SeededWorld } from '../../../src/emulator/seed/seeded-world.js';

interface Block {
  readonly type: string;
  readonly content?: unknown;
  readonly stage?: string;
  readonly group_id?: unknown;
}
interface Job {
  readonly job_id: string;
  readonly question: { readonly blocks: readonly Block[] };
  readonly answer: { readonly blocks: readonly Block[] };
}

const world = new SeededWorld(EMULATOR_DEFAULTS);
const texts = textsOf(world);
const jobs = texts.map((text) => JSON.parse(text) as Job);
const blocks = jobs.flatMap((job) => job.answer.blocks);
const files = new Map([...new Set(texts.flatMap(keysOf))].map((key) => [key, world.file(key)]));

function textsOf(one: SeededWorld): string[] {
  return one.userIds.flatMap((_, user) =>
    Array.from({ length: one.sessionCount }, (_, session) =>
      Array.from({ length: one.jobCount(user, session) }, (_, job) =>
        one.job({ user, session, job }),
      ),
    ).flat(),
  );
}

function keysOf(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(/\{\{url:([^{}"\\]+)\}\}/g), ([, key = '']) => key))];
}

function digestOf(some: readonly string[], fileOf: SeededWorld['file']): string {
  const hash = createHash('sha256');
  for (const text of some) {
    hash.update(text);
    for (const key of keysOf(text)) hash.update(fileOf(key)!.bytes);
  }
  return hash.digest('hex');
}

it('the seed decides every byte of texts, tables and pictures', () => {
  const again = new SeededWorld({ ...EMULATOR_DEFAULTS });
  const drawnAgain = digestOf(textsOf(again).slice(0, 20), (key) => again.file(key));
  expect(drawnAgain).toBe(digestOf(texts.slice(0, 20), (key) => files.get(key)));
  expect(again.datasets()).toEqual(world.datasets());
  const other = new SeededWorld({ ...EMULATOR_DEFAULTS, seed: 2 });
  expect(textsOf(other)[0]).not.toBe(texts[0]);
});

it('the seed gives a job the same content whatever was made before it', () => {
  const place = { user: 2, session: 4, job: 3 };
  expect(new SeededWorld(EMULATOR_DEFAULTS).job(place)).toBe(world.job(place));
});

it('the seed makes ids that are unique and times that lie before October 2026', () => {
  const ids = jobs.map(({ job_id }) => job_id);
  expect(new Set(ids).size).toBe(ids.length);
  const times = ids.flatMap((id) => createdAtOf(id)?.micros ?? []);
  expect(times.length).toBeGreaterThan(ids.length / 2);
  const [first, last] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 9, 1)].map(
    (ms) => BigInt(ms) * 1000n,
  );
  expect(times.every((micros) => micros >= first! && micros < last!)).toBe(true);
});

it('the default seed has every file that it refers to, and none that needs another place', () => {
  for (const text of texts) {
    expect(keysOf(text).every((key) => files.get(key) !== undefined)).toBe(true);
  }
  const located = blocks.filter(({ type }) => ['TABLE', 'IMAGE', 'CHART_INFO'].includes(type));
  const urls = located.map(({ content }) =>
    typeof content === 'string' ? content : (content as { url: string }).url,
  );
  expect(urls.every((url) => /^\{\{url:[^}]+\}\}$/.test(url))).toBe(true);
});

it('the default seed shows every block type, stage and kind of group', () => {
  const types = new Set(blocks.map(({ type }) => type));
  for (const type of ['MESSAGE', 'CODE', 'TABLE', 'IMAGE', 'SOURCE', 'SOURCES', 'QUESTIONS']) {
    expect(types).toContain(type);
  }
  for (const type of ['TASK', 'CHART_INFO', 'TRIGGER', 'HOLOGRAM']) expect(types).toContain(type);
  expect(new Set(blocks.map(({ stage }) => stage))).toEqual(
    new Set(['Analyze', 'Respond', undefined]),
  );
  const groups = new Set(blocks.map(({ group_id }) => group_id));
  for (const group of ['', '-1', -1, undefined]) expect(groups).toContain(group);
});

it('the default seed holds the shapes that are hard to keep', () => {
  const all = texts.join('\n');
  expect(all).toContain('"sequence":9007199254740993');
  expect(all).toContain('\\u0000');
  expect(all).toContain('=HYPERLINK(');
  expect(all).toContain('<script>');
  expect(all).toContain('](' + '{{url:');
  expect(blocks.some(({ content }) => content === null)).toBe(true);
  expect(blocks.some((block) => !('content' in block))).toBe(true);
  expect(blocks.some(({ content }) => content === '')).toBe(true);
  expect(blocks.some(({ content }) => String(content).length > 40_000)).toBe(true);
  expect(blocks.some(({ type, content }) => type === 'TABLE' && typeof content === 'string')).toBe(
    true,
  );
  expect(jobs.some(({ question }) => question.blocks.some(({ type }) => type === 'CODE'))).toBe(
    true,
  );
  const contents = [...files.values()].map((file) => file!.bytes);
  expect(contents.some(({ length }) => length === 0)).toBe(true);
  const isWindows = (bytes: Uint8Array): boolean =>
    Buffer.from(bytes).toString().startsWith('\ufeff') && bytes.includes(13);
  expect(contents.some(isWindows)).toBe(true);
  const sessions = [0, 1, 2].flatMap((user) =>
    Array.from({ length: 8 }, (_, session) => world.session(user, session)),
  );
  expect(sessions.map((session) => session['max_contextual_job_history'])).toContain(76);
  expect(sessions.some(({ name }) => Array.from(name).length > 128)).toBe(true);
});

it('the default seed refers to the same file in Analyze and in Respond', () => {
  const { answer } = jobs.find(({ answer }) => answer.blocks.some(({ type }) => type === 'IMAGE'))!;
  const stages = answer.blocks.filter(({ type }) => type === 'IMAGE').map(({ stage }) => stage);
  expect(stages.slice(0, 2)).toEqual(['Analyze', 'Respond']);
  const urls = answer.blocks.flatMap(({ type, content }) =>
    type === 'IMAGE' ? (content as { url: string }).url : [],
  );
  expect(urls[0]).toBe(urls[1]);
});

describe('tables and charts', () => {
  const text = texts.find((one) => one.includes('"## Revenue by region'))!;

  it('have the numbers of the answer', () => {
    const total = Number(/Total: ([\d,]+)/.exec(text)![1]!.replaceAll(',', ''));
    const table = keysOf(text).find((key) => key.endsWith('/revenue_by_region.csv'))!;
    const rows: string[][] = parse(Buffer.from(world.file(table)!.bytes));
    const sum = rows.slice(1).reduce((all, row) => all + Number(row[1]), 0);
    expect(sum).toBe(total);
  });

  it('are fixtures with bytes of their own, so that no two files are the same', () => {
    const charts = [...files].filter(([key]) => key.endsWith('.png'));
    const tables = [...files].filter(([key]) => key.endsWith('_by_plan.csv'));
    for (const some of [charts, tables]) {
      const digests = some.map(([, file]) => createHash('sha256').update(file!.bytes).digest());
      expect(new Set(digests.map((digest) => digest.toString('hex'))).size).toBe(some.length);
    }
    expect(new Set(charts.map(([, file]) => file!.bytes.length))).toEqual(new Set([8000]));
    // before the padding begins
    const pictures = charts.map(([, file]) => Buffer.from(file!.bytes).toString('latin1', 0, 900));
    expect(new Set(pictures).size).toBe(6);
  });

  it('are pictures with ink on them', () => {
    const key = keysOf(text).find((one) => one.endsWith('.png'))!;
    const { bytes, mediaType } = world.file(key)!;
    const { width, height, data } = PNG.sync.read(Buffer.from(bytes));
    expect([width, height, mediaType]).toEqual([800, 450, 'image/png']);
    const white = data.filter((value, at) => at % 4 === 0 && value === 255).length;
    expect(white).toBeGreaterThan(0.3 * width * height);
    expect(white).toBeLessThan(0.95 * width * height);
  });
});

it.each([...new Set(SEED_LANGUAGES)])(
  'the fixtures have an answer to each topic in %s',
  (language) => {
    expect(answersIn(language).map(({ topic }) => topic)).toEqual(topics().map(({ id }) => id));
    for (const answer of answersIn(language)) {
      const { questions, follow_ups, ...words } = answer;
      const texts = [...questions, ...follow_ups, ...Object.values(words)];
      expect(texts.length).toBeGreaterThan(7);
      for (const one of texts) expect(one).toMatch(/^[^{}]+$/u);
    }
  },
);

it.each([
  [20, 1],
  [3, 1],
  [40, 12],
  [12, 0],
])('load data has exactly %i blocks and %i files a job', (blocksPerJob, artifactsPerJob) => {
  const plan: SeedPlan = {
    ...EMULATOR_DEFAULTS,
    jobs: 4,
    exactJobs: true,
    blocksPerJob,
    artifactsPerJob,
  };
  const one = new SeededWorld(plan);
  expect(one.jobCount(2, 5)).toBe(4);
  for (let job = 0; job < 4; job++) {
    const text = one.job({ user: 1, session: 5, job });
    expect((JSON.parse(text) as Job).answer.blocks).toHaveLength(blocksPerJob);
    expect(keysOf(text)).toHaveLength(artifactsPerJob);
    expect(keysOf(text).every((key) => one.file(key) !== undefined)).toBe(true);
  }
});

it('adds gaps when asked to', () => {
  const all = textsOf(new SeededWorld({ ...EMULATOR_DEFAULTS, gaps: true })).join('\n');
  expect(all).toContain('"url":"tables/2026/kept.csv"');
  expect(all).toContain('{{url:gone.csv}}');
  expect(all).toContain('page.csv');
});
