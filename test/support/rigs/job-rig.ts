/** One job on its way into the archive: what a run knows of it, and what its files come to. */
import type { GapEntry } from '../../../src/archive/log/commit.js';
import { type JobState } from '../../../src/archive/state/user-state.js';
import { stateOf } from '../../../src/archive/state/archived-session.js';
import { FileSettler } from '../../../src/artifacts/file-settler.js';
import { SameImages } from '../../../src/export/jobs/same-images.js';
import { LiveHistory } from '../../../src/artifacts/live-history.js';
import type { PreparedJob } from '../../../src/export/checkpoint/session-ledger.js';
import { prepareJob, type JobToExport } from '../../../src/export/jobs/job-export.js';
import { fileReferences, placeKey } from '../../../src/flatten/file-references.js';
import { type FileFacts } from '../../../src/flatten/file-facts.js';
import { asSessionId, asUserId } from '../../../src/model/ids.js';
import { NO_BOUNDS } from '../../../src/model/times/time-bounds.js';
import type { JobRecord, Verbatim } from '../../../src/model/records.js';
import type { PlacedRecord } from '../../../src/service/page-reader.js';
import { recordOf, STORED } from '../tables/flattened-job.js';

export const NOW_MS = Date.UTC(2026, 10, 20, 12);
export const SETTLE_TIME_MS = 3_600_000;

/** Its answer has these blocks, each a JSON text. */
export function jobWith(...blocks: readonly string[]): Verbatim<JobRecord> {
  return recordOf(
    `{"job_id":"j","question":{"blocks":[]},"answer":{"blocks":[${blocks.join(',')}]}}`,
  );
}

export const RESPOND = '{"stage":"respond","type":"MESSAGE","content":"42"}';

/** A block that consists of this file. */
export function table(url: string): string {
  return `{"type":"TABLE","content":"${url}"}`;
}

/** A stored file with this content. */
export function stored(sha256: string, suspicious: string | null = null): FileFacts {
  const { stored: facts } = STORED;
  return { ...STORED, ...(facts && { stored: { ...facts, sha256, suspicious } }) };
}

export function lost(status: Exclude<FileFacts['status'], 'stored'>, reason = 'gone'): FileFacts {
  return { status, reason };
}

export interface JobStory {
  readonly record: Verbatim<JobRecord>;
  readonly known?: JobState | undefined;
  readonly knownGaps?: readonly GapEntry[];
  /** What each file comes to, by place; default: stored, as ever. */
  readonly files?: Readonly<Record<string, FileFacts>>;
  readonly nowMs?: number;
  /** How far our clock is ahead; null: nothing shows it. */
  readonly clockGapMs?: number | null;
  readonly stale?: string;
  /** What the id tells; null: nothing. */
  readonly createdAtMs?: number | null;
  readonly index?: number;
  /** The version that withdrew it from the session. */
  readonly withdrawn?: JobState | undefined;
  /** Called when files are asked for, with how many times they were. */
  readonly onSettle?: (history: LiveHistory, times: number) => void;
}

export interface JobOutcome {
  readonly prepared: PreparedJob | undefined;
  /** The places that were asked for, each time; `all` for all of them. */
  readonly asked: readonly (string | readonly string[])[];
  readonly history: LiveHistory;
}

export function placed(record: Verbatim<JobRecord>, stale?: string): PlacedRecord<JobRecord> {
  const served = { sentAtMonotonicMs: 0, dateMs: null, stale };
  return { id: 'j', record, position: 0, served, range: { pageNumber: 1, pageSize: 10 } };
}

export async function prepare(story: JobStory): Promise<JobOutcome> {
  const { record, known, knownGaps = [], files = {}, nowMs = NOW_MS, clockGapMs = 0 } = story;
  const { stale, createdAtMs = null, index = 0, onSettle } = story;
  const asked: (string | readonly string[])[] = [];
  const history = new LiveHistory(undefined as never);
  const settler = new FileSettler({} as never);
  settler.settle = (item, references) => {
    const places = references.map(placeKey);
    asked.push(references === fileReferences(item.record) ? 'all' : places.toSorted());
    onSettle?.(history, asked.length);
    return Promise.resolve(new Map(places.map((place) => [place, files[place] ?? STORED])));
  };
  const run = {
    archive: { clock: { now: () => nowMs } },
    service: { clockGapMs },
    settings: { settleTimeMs: SETTLE_TIME_MS },
    images: new SameImages(() => false),
    runId: 'run',
    exportedAt: 5n,
  } as unknown as JobToExport['run'];
  const time = createdAtMs === null ? null : ({ micros: BigInt(createdAtMs) * 1000n } as never);
  const prepared = await prepareJob({
    run,
    userId: asUserId('ann'),
    sessionId: asSessionId('s'),
    item: placed(record, stale),
    place: { index, isFromOldest: true, bounds: NO_BOUNDS, time },
    history,
    settler,
    known,
    withdrawn: story.withdrawn,
    knownGaps,
  });
  return { prepared, asked, history };
}

/** What the log has of it after a run. */
export async function archived(
  story: JobStory,
): Promise<{ readonly known: JobState; readonly knownGaps: readonly GapEntry[] }> {
  const { prepared } = await prepare(story);
  if (!prepared) throw new Error('nothing is new about it');
  return { known: stateOf(prepared.line), knownGaps: prepared.gaps };
}
