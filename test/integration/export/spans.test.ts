/** What a run tells of itself while it is at work: spans, and lines that carry its id. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LogFields, Logger } from '../../../src/base/logger.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { recordingTracer, type RecordedSpan } from '../../support/base/recording-tracer.js';
import { pruneArchive } from '../../support/http/one-call.js';

let rig: ExportRig;

beforeEach(async () => {
  rig = await ExportRig.start({ users: 2, sessions: 3, jobs: 4 });
});
afterEach(() => rig[Symbol.asyncDispose]());

const names = (spans: readonly RecordedSpan[]) => new Set(spans.map(({ name }) => name));
const ancestors = (span: RecordedSpan): string[] =>
  span.within ? [span.within.name, ...ancestors(span.within)] : [];

it('the spans of an export lie in one run: users, with their requests and downloads, and checkpoints', async () => {
  const tracer = recordingTracer();
  const { requests, commits, run } = await rig.export({ tracer });
  const of = (name: string) => tracer.spans.filter((span) => span.name === name);
  expect(of('run')).toMatchObject([{ within: undefined, fields: { command: 'export', run } }]);
  const users = of('user').map(({ fields }) => String(fields['user']));
  expect(users.toSorted()).toEqual(rig.state.userIds().toSorted());
  expect(of('request')).toHaveLength(requests.api);
  expect(of('pace')).toHaveLength(requests.api);
  expect(of('download')).toHaveLength(requests.files);
  expect(of('checkpoint')).toHaveLength(commits.length);
  for (const span of tracer.spans) {
    expect(ancestors(span).at(-1) ?? span.name).toBe('run');
    if (span.name === 'download') expect(ancestors(span)).toContain('user');
  }
});

it('the spans of an export tell of a request its operation, its answer and both trace ids', async () => {
  const tracer = recordingTracer();
  const { run } = await rig.export({ tracer });
  const [, listing] = tracer.spans.filter(({ name }) => name === 'request');
  expect(listing?.fields).toMatchObject({
    operation: 'list sessions',
    attempt: 1,
    status: 200,
    externalTraceId: expect.stringMatching(`^jobvault-${run}-\\d+$`),
    traceId: expect.stringMatching(/./),
  });
});

it('the spans of an export hold no question, no URL and no key', async () => {
  const tracer = recordingTracer();
  await rig.export({ tracer });
  const told = JSON.stringify(tracer.spans.map(({ fields }) => fields));
  const questions = (await rig.rows('jobs')).map((row) => String(row['question_text']));
  expect(questions.length).toBeGreaterThan(0);
  for (const secret of ['demo-key', '://', '?', ...questions]) expect(told).not.toContain(secret);
});

it('the spans of an export show a request that failed and the wait before it was sent again', async () => {
  const tracer = recordingTracer();
  rig.emulator.faults.api = [{ first: 1, answer: { kind: 'error', status: 503 } }];
  await rig.export({ tracer });
  expect(names(tracer.spans)).toContain('backoff');
  const [failed] = tracer.spans.filter(({ name, error }) => name === 'request' && error);
  expect(failed?.fields['status']).toBe(503);
});

const collected = () => {
  const lines: LogFields[] = [];
  const note = (fields: LogFields) => void lines.push(fields);
  return { lines, logger: { debug: note, info: note, warn: note, error: note } as Logger };
};

it('every line of a run of an export carries its id', async () => {
  const { lines, logger } = collected();
  const { run } = await rig.export({ logger });
  expect(lines.length).toBeGreaterThan(10);
  expect(new Set(lines.map((fields) => fields['run']))).toEqual(new Set([run]));
});

it('every line of a run of a prune carries its id, which may be given', async () => {
  await rig.export();
  const { lines, logger } = collected();
  const runId = '01KAAAAAAAAAAAAAAAAAAAAAAA';
  const { summary } = await pruneArchive({
    archive: rig.out,
    baseUrl: rig.emulator.baseUrl,
    apiKey: 'demo-key',
    rate: 1000,
    rules: { all: true },
    logger,
    runId,
  });
  expect(summary.run).toBe(runId);
  expect(new Set(lines.map((fields) => fields['run']))).toEqual(new Set([runId]));
});

it('every line of a run names both trace ids where a request failed', async () => {
  const { lines, logger } = collected();
  rig.emulator.faults.api = [{ first: 1, answer: { kind: 'error', status: 503 } }];
  await rig.export({ logger });
  const [failed] = lines.filter((fields) => fields['waitMs'] !== undefined);
  expect(failed).toMatchObject({
    status: 503,
    attempt: 1,
    externalTraceId: expect.stringContaining('jobvault-'),
  });
});
