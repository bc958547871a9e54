/** A prune that dies at any step: the next one finishes the work, and records each deletion once. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.js';
import { ulid } from '../../../src/base/ulid.js';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import { pruneRules } from '../../../src/prune/prune-rules.js';
import { runPrune, type PruneResult } from '../../../src/prune/run-prune.js';
import { createServiceClient } from '../../../src/service/create-service-client.js';
import { asRunId } from '../../../src/model/ids.js';
import type { Storage } from '../../../src/storage/storage.js';
import { systemClock } from '../../../src/base/runtime.js';
import { dyingAfter, everybodyElseIsDead } from '../../support/store/dying-storage.js';
import { impatient } from '../../support/rigs/export-rig.js';
import { createMemoryStorage, type MemoryStorage } from '../../support/store/memory-storage.js';
import {
  namedRows,
  oldJob,
  piecedExport,
  pieceOf,
  problemsOf,
} from '../../support/programs/pieced-export.js';
import { testFetcher } from '../../support/http/test-fetcher.js';
import { fault } from '../../support/base/fault.js';

const SESSIONS = ['a1', 'a2', 'a3'];
const OLD_MS = 48 * 3_600_000;

let emulator: Emulator;
let storage: MemoryStorage;

beforeEach(async () => {
  emulator = await startEmulator({ users: 0 });
  storage = createMemoryStorage();
  for (const id of SESSIONS) {
    const job = oldJob(emulator.state.newJobId(Date.now() - OLD_MS));
    emulator.state.addSession('ann', { id }, [job]);
  }
  await piecedExport({ emulator, storage, users: ['ann'] });
});
afterEach(() => emulator.close());

async function prune(place: Storage): Promise<PruneResult> {
  const common = { clock: systemClock, random: impatient, logger: silentLogger };
  const { baseUrl } = emulator;
  const service = createServiceClient({
    ...common,
    baseUrl,
    apiKey: 'demo-key',
    traceId: 'test',
    rate: 10_000,
  });
  const fetcher = testFetcher();
  try {
    return await runPrune({
      runId: asRunId(ulid(systemClock, impatient)),
      archive: { ...(await pieceOf(place, emulator)), processes: everybodyElseIsDead },
      service,
      fetcher,
      rules: pruneRules({ all: true }),
      pageSize: 100,
      noWait: false,
      signal: new AbortController().signal,
    });
  } finally {
    await Promise.all([service.close(), fetcher.close()]);
  }
}

async function intents(): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path } of storage.list('_intents/')) paths.push(path);
  return paths;
}

async function recorded(): Promise<string[]> {
  const rows = await namedRows(await pieceOf(storage, emulator), 'deletions');
  return rows.map((row) => String(row['session_id'])).sort();
}

describe('a prune that is killed', () => {
  // I-38 in FORMAT.md
  it(
    'leaves what the next one needs to finish; nothing is deleted twice or unrecorded',
    fault('F-28'),
    async () => {
      let [steps, failed] = [0, 0];
      for (; ; steps++) {
        const dying = dyingAfter(storage, steps);
        const first = await prune(dying);
        const gone = SESSIONS.filter((id) => !emulator.state.sessionIds('ann').includes(id));
        const told = new Set([...(await recorded()), ...(await sessionsOfIntents())]);
        expect(gone.filter((id) => !told.has(id))).toEqual([]);
        if (first.error !== undefined) failed++;

        const second = await prune(storage);
        expect(second.error, `after step ${steps}`).toBeUndefined();
        expect(second.summary.status).toBe('complete');
        expect(emulator.state.sessionIds('ann')).toEqual([]);
        expect(await recorded()).toEqual(SESSIONS);
        expect(await intents()).toEqual([]);
        expect(await problemsOf(await pieceOf(storage, emulator))).toEqual([]);
        if (!dying.isDead()) break;
        await startAgain();
      }
      // leases, three intents, a part file, the commit, three intents less, and a state
      expect(failed).toBeGreaterThan(11);
    },
  );

  it('between the DELETE and the look at what came of it is made good', fault('F-36'), async () => {
    emulator.faults.api = [
      { operations: ['getSession'], after: 1, answer: { kind: 'error', status: 401, code: 1002 } },
    ];
    const { error, summary } = await prune(storage);
    expect(error).toMatchObject({ failure: 'authentication' });
    expect(summary).toMatchObject({ status: 'failed', deletions: { deleted: 0, refused: 1 } });
    expect(emulator.state.sessionIds('ann')).toEqual(['a2', 'a3']);
    expect(await sessionsOfIntents()).toEqual(['a1']);

    emulator.faults.api = [];
    expect((await prune(storage)).summary).toMatchObject({ deletions: { deleted: 3, refused: 0 } });
    expect(await recorded()).toEqual(SESSIONS);
    expect(await intents()).toEqual([]);
  });
});

async function sessionsOfIntents(): Promise<string[]> {
  const paths = await intents();
  const texts = await Promise.all(paths.map((path) => storage.get(path)));
  return texts.map((bytes) => {
    const intent = JSON.parse(Buffer.from(bytes).toString()) as { session: string };
    return intent.session;
  });
}

/** The same sessions and an archive of them, as if nothing had happened. */
async function startAgain(): Promise<void> {
  storage = createMemoryStorage();
  for (const id of SESSIONS) {
    const job = oldJob(emulator.state.newJobId(Date.now() - OLD_MS));
    emulator.state.addSession('ann', { id }, [job]);
  }
  await piecedExport({ emulator, storage, users: ['ann'] });
}
