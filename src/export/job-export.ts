/** Makes one job ready for the archive: decides whether it is new, settles its files, flattens it. */
import type { GapEntry, JobLine } from '../archive/commit.js';
import type { JobState } from '../archive/user-state.js';
import { contentHash } from '../flatten/content-hash.js';
import type { FileFacts } from '../flatten/file-facts.js';
import { fileReferences } from '../flatten/file-references.js';
import { flattenJob } from '../flatten/flatten-job.js';
import { blocksOf, hasRespondBlock, type Block } from '../flatten/job-blocks.js';
import { createdAtOf } from '../model/created-at.js';
import { asJobId, type JobId, type SessionId, type UserId } from '../model/ids.js';
import type { JobRecord } from '../model/records.js';
import type { FreshPage, PlacedRecord } from '../service/read-all.js';
import type { ReadyJob } from './checkpointer.js';
import type { ExportRun } from './export-run.js';
import type { FileSettler } from './file-settler.js';
import type { LiveHistory, LiveRecord } from './live-history.js';
import { isSettled } from './settled.js';

export interface JobToExport {
  readonly run: ExportRun;
  readonly userId: UserId;
  readonly sessionId: SessionId;
  readonly item: PlacedRecord<JobRecord>;
  readonly page: FreshPage<JobRecord>;
  readonly history: LiveHistory;
  readonly settler: FileSettler;
  readonly known: JobState | undefined;
  readonly knownGaps: readonly GapEntry[];
}

export type PreparedJob =
  | { readonly kind: 'unchanged' }
  /** Only the log learns something. */
  | {
      readonly kind: 'settled';
      readonly jobId: JobId;
      readonly entry: JobLine;
      readonly state: JobState;
    }
  | {
      readonly kind: 'written';
      readonly jobId: JobId;
      readonly ready: ReadyJob;
      readonly state: JobState;
      readonly gaps: readonly GapEntry[];
    };

/** Restarts for a job whose answer changes while its files are fetched; the next run sees the rest. */
const MAX_RESTARTS = 3;

/** @throws only what ends the session's export */
export async function prepareJob(job: JobToExport): Promise<PreparedJob> {
  const jobId = asJobId(job.item.id);
  const hash = contentHash(job.item.record);
  const live = job.history.admit(jobId, job.item.record, job.page);
  try {
    if (job.known?.hash === hash && !(await canFillGap(job, live))) {
      return withoutRewriting(job, jobId, job.known);
    }
    return await rewrite(job, jobId, live, hash);
  } finally {
    job.history.release(jobId);
  }
}

/** Tries only the files that were lost; the others are fetched again if one of these comes. */
async function canFillGap(job: JobToExport, live: LiveRecord): Promise<boolean> {
  const blocks = job.knownGaps.flatMap((gap) =>
    gap.block_index === null ? [] : [gap.block_index],
  );
  if (blocks.length === 0) return false;
  const files = await job.settler.settle(job.item.id, live, new Set(blocks));
  return [...files.values()].some(({ status }) => status === 'stored');
}

function withoutRewriting(job: JobToExport, jobId: JobId, known: JobState): PreparedJob {
  const settled = known.settled || settledNow(job, blocksOf(job.item.record), known.seenAt);
  if (settled === known.settled) return { kind: 'unchanged' };
  const state = { ...known, settled, index: job.item.position };
  return { kind: 'settled', jobId, state, entry: entryOf(job, jobId, state) };
}

async function rewrite(
  job: JobToExport,
  jobId: JobId,
  live: LiveRecord,
  hash: string,
): Promise<PreparedJob> {
  let current = live;
  let files = await job.settler.settle(jobId, current);
  for (let restart = 0; restart < MAX_RESTARTS; restart++) {
    const latest = job.history.latest(jobId) ?? current;
    const latestHash = contentHash(latest.record);
    if (latestHash === hash) break;
    // the answer has changed under our hands: what is archived is the newer one, whole
    current = latest;
    hash = latestHash;
    files = await job.settler.settle(jobId, current);
  }
  return written(job, jobId, current, hash, files);
}

function written(
  job: JobToExport,
  jobId: JobId,
  live: LiveRecord,
  hash: string,
  files: ReadonlyMap<number, FileFacts>,
): PreparedJob {
  const { run, userId, sessionId, known, item } = job;
  const blocks = blocksOf(live.record);
  const seenAt = known?.hash === hash ? known.seenAt : new Date(run.clock.now()).toISOString();
  const gaps = gapsOf(jobId, blocks, files);
  const state: JobState = {
    version: (known?.version ?? 0) + 1,
    hash,
    settled: settledNow(job, blocks, seenAt),
    seenAt,
    index: item.position,
    gaps: gaps.length,
  };
  const flattened = flattenJob({
    userId,
    sessionId,
    jobId,
    jobVersion: state.version,
    runId: run.runId,
    exportedAt: run.exportedAt,
    record: live.record,
    jobIndex: item.position,
    isSettled: state.settled,
    contentHash: hash,
    files,
  });
  const ready: ReadyJob = {
    entry: entryOf(job, jobId, state),
    ...flattened,
    files: [...files.values()].map(({ status, stored }) => ({ status, sha256: stored?.sha256 })),
  };
  return { kind: 'written', jobId, ready, state, gaps };
}

function settledNow(job: JobToExport, blocks: readonly Block[], seenAt: string): boolean {
  const nowMs = job.run.clock.now();
  const createdAt = createdAtOf(job.item.id);
  return isSettled({
    hasRespondBlock: hasRespondBlock(blocks),
    createdAtMs: createdAt ? Number(createdAt.micros / 1000n) : null,
    unchangedForMs: nowMs - Date.parse(seenAt),
    nowMs,
    settleTimeMs: job.run.settings.settleTimeMs,
  });
}

function gapsOf(
  jobId: JobId,
  blocks: readonly Block[],
  files: ReadonlyMap<number, FileFacts>,
): GapEntry[] {
  return fileReferences(blocks).flatMap(({ blockIndex, kind }) => {
    const facts = files.get(blockIndex);
    if (!facts || facts.status === 'stored') return [];
    return [
      {
        job: jobId,
        block_index: blockIndex,
        kind,
        status: facts.status,
        reason: facts.reason ?? '',
      },
    ];
  });
}

function entryOf(job: JobToExport, jobId: JobId, state: JobState): JobLine {
  return {
    user: job.userId,
    session: job.sessionId,
    job: jobId,
    version: state.version,
    hash: state.hash,
    settled: state.settled,
    seen_at: state.seenAt,
    index: state.index,
    gaps: state.gaps,
  };
}
