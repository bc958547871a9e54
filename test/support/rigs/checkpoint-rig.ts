/** A checkpointer over an archive in memory, jobs for it, and what readers find of them afterwards. */
import type { Archive } from '../../../src/archive/archive.js';
import type { Commit } from '../../../src/archive/log/commit.js';
import { silentLogger, type LogFields } from '../../../src/base/logger.js';
import {
  Checkpointer,
  type CheckpointerOptions,
} from '../../../src/export/checkpoint/checkpointer.js';
import type { CommittedCheckpoint } from '../../../src/export/checkpoint/checkpoint-tally.js';
import type { PreparedJob } from '../../../src/export/checkpoint/session-ledger.js';
import { SessionLedger } from '../../../src/export/checkpoint/session-ledger.js';
import { contentHash } from '../../../src/flatten/content-hash.js';
import { fileReferences, placeKey } from '../../../src/flatten/file-references.js';
import { type FileFacts } from '../../../src/flatten/file-facts.js';
import { asSessionId, asUserId } from '../../../src/model/ids.js';
import { NO_BOUNDS } from '../../../src/model/times/time-bounds.js';
import { job, makeJsonlArchive, reopened, runOf, userEntry } from '../store/archive-samples.js';
import { recordOf } from '../tables/flattened-job.js';
import { createMemoryStorage, type MemoryStorage } from '../store/memory-storage.js';

export const run = runOf('A');
export const day = '2026-11-05';
export const user = asUserId('u');
const LARGE = 1e9;
export const entryOfUser = userEntry(user);

/** A checkpointer over an archive in memory, with the list of its commits. */
export async function checkpointerOf(over: Partial<CheckpointerOptions> = {}, storage = memory()) {
  const archive = over.archive ?? (await makeJsonlArchive(storage));
  const committed: CommittedCheckpoint[] = [];
  const logged: [LogFields, string][] = [];
  const checkpointer = new Checkpointer({
    run,
    day,
    scope: () => ({ full: true }),
    commitsBefore: 4,
    sizeBytes: LARGE,
    base: 0,
    pending: { plannedFrom: () => 0 },
    service: { clockGapMs: 0 },
    after: { committed: (told) => Promise.resolve(void committed.push(told)) },
    ...over,
    archive: {
      ...archive,
      clock: { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() },
      logger: { ...silentLogger, info: (fields, text) => void logged.push([fields, text]) },
    },
  });
  return { checkpointer, archive, storage, committed, logged };
}

function memory(): MemoryStorage {
  return createMemoryStorage();
}

export async function commitsOf(archive: Archive): Promise<Commit[]> {
  const fresh = reopened(archive);
  const head = await fresh.log.head();
  const commits = [];
  for await (const commit of fresh.log.commits(1, head?.number ?? 0)) commits.push(commit);
  return commits;
}

/** Tables and artifacts that readers would find. */
export function published({ place }: MemoryStorage): string[] {
  return [...place.objects.keys()].filter((path) => /^(tables|artifacts)\//.test(path)).sort();
}

export function ledgerOf(id: string): SessionLedger {
  const text = JSON.stringify({ id, name: 'n' });
  return new SessionLedger(user, { value: { id: asSessionId(id), name: 'n' }, text }, undefined);
}

/** A job with a question, whose answer has these files, in as many blocks. */
export function prepared(
  sessionId: string,
  id: string,
  files: readonly FileFacts[] = [],
  content = 'Well?',
): PreparedJob {
  const blocks = files.map(() => ({ type: 'TABLE', url: 'https://files.example/x.csv' }));
  const question = { blocks: [{ type: 'MESSAGE', content }] };
  const record = recordOf(JSON.stringify({ job_id: id, question, answer: { blocks } }));
  const line = job('u', sessionId, id);
  const places = fileReferences(record).map(placeKey);
  const toWrite = {
    userId: user,
    sessionId: line.session,
    jobId: line.job,
    jobVersion: 1,
    runId: run,
    exportedAt: 5n,
    record,
    place: { index: 0, bounds: NO_BOUNDS },
    isSettled: true,
    contentHash: contentHash(record),
    files: new Map(files.map((facts, at) => [places[at] ?? '', facts])),
  };
  return { line, gaps: [], toWrite };
}

/** Only the log learns something of it. */
export function known(sessionId: string, id: string): PreparedJob {
  return { line: job('u', sessionId, id), gaps: [], toWrite: undefined };
}

export async function download(
  { pool }: Checkpointer,
  storage: MemoryStorage,
  text: string,
  suspicious: string | null = null,
): Promise<FileFacts> {
  const staged = await storage.stage();
  await staged.write(Buffer.from(text));
  const { bytes, sha256 } = await staged.close();
  const stored = await pool.accept({
    status: 'stored',
    staged,
    sha256,
    bytes,
    mediaType: 'text/csv',
    extension: 'csv',
    suspicious,
    rowCount: 1,
    columnCount: 1,
    width: null,
    height: null,
    sentName: null,
    encoding: null,
    separator: null,
    headingLine: null,
    tableText: null,
  });
  return { status: 'stored', reason: null, stored };
}

export const lost: FileFacts = { status: 'missing', reason: 'HTTP 404' };
