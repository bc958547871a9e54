/** Prepares one job for the archive: decides whether it is new, settles its files, flattens it. */
import type { GapEntry, JobLine } from '../../archive/log/commit.js';
import { isSettled, type JobState } from '../../archive/state/user-state.js';
import { stateOf } from '../../archive/state/archived-session.js';
import { canonicalJson } from '../../base/text/canonical-json.js';
import type { FileSettler } from '../../artifacts/file-settler.js';
import type { LiveHistory } from '../../artifacts/live-history.js';
import { contentHash } from '../../flatten/content-hash.js';
import { textHash } from '../../flatten/text-hash.js';
import { fileReferences, placeKey, type FileRole } from '../../flatten/file-references.js';
import { differingParameters, urlTraces } from '../../flatten/url-traces.js';
import { isSuspicious, type FileFacts, filesDigest } from '../../flatten/file-facts.js';
import type { JobToFlatten } from '../../flatten/flatten-job.js';
import { blocksOf } from '../../flatten/job-blocks.js';
import { isAnswered } from '../../model/blocks/answered.js';
import { asJobId, type JobId, type SessionId, type UserId } from '../../model/ids.js';
import type { JobRecord, Verbatim } from '../../model/records.js';
import { earlierNowMs } from '../../service/clock-gap.js';
import type { PlacedRecord } from '../../service/page-reader.js';
import type { PreparedJob } from '../checkpoint/session-ledger.js';
import type { ExportRun } from '../export-run.js';
import type { JobPlace } from '../history/job-places.js';

export interface JobToExport {
  readonly run: ExportRun;
  readonly userId: UserId;
  readonly sessionId: SessionId;
  readonly item: PlacedRecord<JobRecord>;
  /** With the number of the job as its index. */
  readonly place: JobPlace;
  readonly history: LiveHistory;
  readonly settler: FileSettler;
  readonly known: JobState | undefined;
  /** The version that withdrew it from the session; then it is not known. */
  readonly withdrawn?: JobState | undefined;
  readonly knownGaps: readonly GapEntry[];
}

/** Restarts for a job that changes while its files are downloaded; the next run reads later changes. */
const MAX_RESTARTS = 3;

/**
 * Undefined if nothing about the job is new. What a cache gave from its memory may be older than what is archived: then
 * only a job that the archive does not have is new.
 *
 * @throws only what ends the session's export
 */
export async function prepareJob(job: JobToExport): Promise<PreparedJob | undefined> {
  const jobId = asJobId(job.item.id);
  const { known } = job;
  if (known && isStale(job)) return undefined;
  if (known && isAsArchived(job, known)) {
    return withoutRewriting(job, jobId, known, job.knownGaps);
  }
  const hash = contentHash(job.item.record);
  job.history.track(job.item);
  try {
    if (known?.hash !== hash) return await rewrite(job, jobId, hash);
    const files = await compareFiles(job, known);
    if (files.verdict === 'changed') return await rewrite(job, jobId, hash, files.found);
    if (job.run.images.isSettled(known)) return await rewrite(job, jobId, hash);
    return withoutRewriting(job, jobId, known, files.gaps);
  } finally {
    job.history.release(jobId);
  }
}

function isStale({ item }: JobToExport): boolean {
  return item.served.stale !== undefined;
}

/** Whether the record's text is unchanged. A file that is lost or in doubt is requested again even so. */
function isAsArchived({ item, knownGaps }: JobToExport, known: JobState): boolean {
  return (
    known.text_hash !== null &&
    knownGaps.length === 0 &&
    known.same_images === undefined &&
    known.text_hash === textHash(item.record.text)
  );
}

type FileComparison =
  | { readonly verdict: 'changed'; readonly found: ReadonlyMap<string, FileFacts> }
  /** Keeps the archived job; `gaps` are all its gaps as of now. */
  | { readonly verdict: 'unchanged'; readonly gaps: readonly GapEntry[] };

/**
 * Whether the files of an archived record are still the archived ones. Lost files are tried again. If the stable
 * part of a URL has changed, the bytes are compared. If they cannot be downloaded, the file is a gap, because
 * it is unknown whether it has changed.
 */
async function compareFiles(job: JobToExport, known: JobState): Promise<FileComparison> {
  const { settler, knownGaps, item } = job;
  const hasOtherUrls = differingParameters(known.urls, urlTraces(item.record)).length > 0;
  const unchanged = { verdict: 'unchanged', gaps: knownGaps } as const;
  const references = fileReferences(item.record);
  if (!hasOtherUrls && known.same_images === undefined) {
    const lost = new Set(knownGaps.flatMap((gap) => placeOfGap(gap) ?? []));
    if (lost.size === 0) return unchanged;
    // only the lost files; the others are downloaded again if one of these succeeds
    const lostFiles = references.filter((reference) => lost.has(placeKey(reference)));
    const tried = await settler.settle(item, lostFiles);
    if (![...tried.values()].some(({ status }) => status === 'stored')) {
      return stillLost(job, tried);
    }
  }
  const files = await settler.settle(item, references);
  const gaps = gapsOf(asJobId(item.id), item.record, files);
  if (filesDigest(references, files) === known.files) return { verdict: 'unchanged', gaps };
  const lostInRows = new Set(
    knownGaps.filter(({ status }) => status !== 'doubtful').map(placeOfGap),
  );
  const newlyLost = gaps.filter((gap) => !lostInRows.has(placeOfGap(gap)));
  if (newlyLost.length === 0) return { verdict: 'changed', found: files };
  // only its images were in doubt, and they are archived: they stay as they are
  if (!hasOtherUrls && knownGaps.length === 0) return unchanged;
  const inDoubt = gaps.map((gap) => (newlyLost.includes(gap) ? doubtfulGap(gap) : gap));
  return { verdict: 'unchanged', gaps: inDoubt };
}

/**
 * Tells lost files none of which has come: the log has why it is lost now. The rows stay as they are, with what was known
 * when they were written: else a night in which a host is out of reach would write every such job again.
 */
function stillLost(
  { knownGaps }: JobToExport,
  tried: ReadonlyMap<string, FileFacts>,
): FileComparison {
  const gaps = knownGaps.map((gap) => {
    const facts = tried.get(placeOfGap(gap) ?? '');
    if (facts === undefined || gap.status === 'doubtful') return gap;
    return { ...gap, status: facts.status, reason: facts.reason ?? '' };
  });
  return { verdict: 'unchanged', gaps };
}

/** The file is stored, but may no longer be the service's. */
function doubtfulGap(gap: GapEntry): GapEntry {
  const reason = `its URL has changed, and it is unknown whether the file has changed: ${gap.reason}`;
  return { ...gap, status: 'doubtful', reason };
}

function withoutRewriting(
  job: JobToExport,
  jobId: JobId,
  known: JobState,
  gaps: readonly GapEntry[],
): PreparedJob | undefined {
  const settled = known.settled || settledNow(job, job.item.record, known.seen_at);
  const isKnown = canonicalJson(gaps) === canonicalJson(job.knownGaps);
  if (settled === known.settled && isKnown) return undefined;
  const state = stateOf({ ...known, settled, gaps: gaps.length });
  return { line: lineOf(job, jobId, state), gaps, toWrite: undefined };
}

async function rewrite(
  job: JobToExport,
  jobId: JobId,
  hash: string,
  found?: ReadonlyMap<string, FileFacts>,
): Promise<PreparedJob> {
  let current = job.item;
  let files = found ?? (await job.settler.settle(current, fileReferences(current.record)));
  for (let restart = 0; restart < MAX_RESTARTS; restart++) {
    const latest = job.history.latest(jobId) ?? current;
    if (latest === current) break;
    const latestHash = contentHash(latest.record);
    if (latestHash === hash) break;
    // the answer changed meanwhile: the newer one is archived, whole
    current = latest;
    hash = latestHash;
    files = await job.settler.settle(current, fileReferences(current.record));
  }
  return preparedJob(job, current.record, hash, files);
}

function preparedJob(
  job: JobToExport,
  record: Verbatim<JobRecord>,
  hash: string,
  settled: ReadonlyMap<string, FileFacts>,
): PreparedJob {
  const { run, userId, sessionId, known, place } = job;
  const jobId = asJobId(job.item.id);
  const { files, sameImages } = run.images.marked({ userId, sessionId, jobId }, record, {
    files: settled,
    known,
  });
  const sameContent = known?.hash === hash ? known : undefined;
  const seenAt = sameContent?.seen_at ?? nowText(job);
  const gaps = gapsOf(jobId, record, files);
  const state: JobState = {
    version: ((known ?? job.withdrawn)?.version ?? 0) + 1,
    hash,
    text_hash: textHash(record.text),
    urls: urlTraces(record),
    files: filesDigest(fileReferences(record), files),
    settled: settledNow(job, record, seenAt),
    seen_at: seenAt,
    index: place.index,
    gaps: gaps.length,
    suspicious: [...files.values()].filter(isSuspicious).length,
    ...(sameImages.length > 0 && { same_images: sameImages }),
  };
  const toWrite: JobToFlatten = {
    userId,
    sessionId,
    jobId,
    jobVersion: state.version,
    runId: run.runId,
    exportedAt: run.exportedAt,
    record,
    place,
    isSettled: state.settled,
    contentHash: hash,
    files,
  };
  return { line: lineOf(job, jobId, state), gaps, toWrite };
}

function nowMsOf({ run }: JobToExport): number {
  return earlierNowMs(run.archive.clock.now(), run.service.clockGapMs);
}

function nowText(job: JobToExport): string {
  return new Date(nowMsOf(job)).toISOString();
}

function settledNow(job: JobToExport, record: Verbatim<JobRecord>, seenAt: string): boolean {
  if (isStale(job)) return false;
  const nowMs = nowMsOf(job);
  const { time } = job.place;
  return isSettled({
    isAnswered: () => isAnswered(blocksOf(record)),
    createdAtMs: time ? Number(time.micros / 1000n) : null,
    unchangedForMs: nowMs - Date.parse(seenAt),
    nowMs,
    settleTimeMs: job.run.settings.settleTimeMs,
  });
}

function gapsOf(
  jobId: JobId,
  record: Verbatim<JobRecord>,
  files: ReadonlyMap<string, FileFacts>,
): GapEntry[] {
  return fileReferences(record).flatMap((reference) => {
    const facts = files.get(placeKey(reference));
    if (!facts || facts.status === 'stored') return [];
    return [
      {
        job: jobId,
        role: reference.role,
        block_index: reference.blockIndex,
        file_index: reference.fileIndex,
        kind: reference.kind,
        status: facts.status,
        reason: facts.reason ?? '',
      },
    ];
  });
}

/** The key as from `placeKey`; undefined for a gap without a file. */
function placeOfGap({ role, block_index: block, file_index: file }: GapEntry): string | undefined {
  if (role === null || block === null || file === null) return undefined;
  return placeKey({ role: role as FileRole, blockIndex: block, fileIndex: file });
}

function lineOf(job: JobToExport, jobId: JobId, state: JobState): JobLine {
  return { user: job.userId, session: job.sessionId, job: jobId, ...state };
}
