/** Every line of a run's log carries its id. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LogFields, Logger } from '../../../src/base/logger.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { pruneArchive } from '../../support/http/one-call.js';

let rig: ExportRig;

beforeEach(async () => {
  rig = await ExportRig.start({ users: 2, sessions: 3, jobs: 4 });
});
afterEach(() => rig[Symbol.asyncDispose]());

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
