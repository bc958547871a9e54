/** Looks at the log itself: no number left out, each commit sound and following on the one before. */
import type { Storage } from '../storage/storage.js';
import { ObjectNotFoundError } from '../storage/object-not-found-error.js';
import type { Commit, JobsEntry } from './commit.js';
import { decodeCommit } from './commit-codec.js';
import { assertFollows, type CommitLog } from './commit-log.js';
import { IntegrityError } from './integrity-error.js';
import { LogIndex } from './log-index.js';
import { commitNumberOf, commitPath, COMMITS_PREFIX } from './paths.js';
import { numbers, readAhead } from './read-ahead.js';
import type { Findings } from './verify-report.js';

export interface LogFindings {
  readonly commits: number;
  /** The newest number that stands, sound or not. */
  readonly newest: number;
  /** Whether every commit is there and sound, so that states can be replayed from it. */
  readonly isSound: boolean;
  /** Of the sound ones. */
  readonly index: LogIndex;
  /** The companions that commits name, by path. */
  readonly companions: ReadonlyMap<string, JobsEntry>;
}

const READ_AHEAD = 8;

/** Reads every commit from the storage itself. @param log for the index that comes of it */
export async function verifyLog(
  storage: Storage,
  log: CommitLog,
  findings: Findings,
  signal?: AbortSignal,
): Promise<LogFindings> {
  const newest = await newestNumber(storage);
  const index = new LogIndex(log);
  const companions = new Map<string, JobsEntry>();
  let before: Commit | undefined;
  let commits = 0;
  let isSound = true;
  const read = (number: number): Promise<Commit | IntegrityError> => tryRead(storage, number);
  for await (const commit of readAhead(numbers(1, newest), READ_AHEAD, read)) {
    signal?.throwIfAborted();
    const broken = commit instanceof IntegrityError ? commit : chainError(commit, before);
    if (broken) {
      isSound = false;
      findings.add(broken);
    }
    before = commit instanceof IntegrityError ? undefined : commit;
    if (commit instanceof IntegrityError) continue;
    commits++;
    index.add(commit);
    if (commit.jobs) companions.set(commit.jobs.path, commit.jobs);
  }
  return { commits, newest, isSound, index, companions };
}

async function tryRead(storage: Storage, number: number): Promise<Commit | IntegrityError> {
  try {
    return decodeCommit(number, await storage.get(commitPath(number)));
  } catch (error) {
    if (error instanceof IntegrityError) return error;
    if (!(error instanceof ObjectNotFoundError)) throw error;
    return new IntegrityError(commitPath(number), 'missing', 'is missing from the log');
  }
}

function chainError(commit: Commit, before: Commit | undefined): IntegrityError | undefined {
  try {
    assertFollows(commit, before);
    return undefined;
  } catch (error) {
    if (error instanceof IntegrityError) return error;
    throw error;
  }
}

async function newestNumber(storage: Storage): Promise<number> {
  let newest = 0;
  for await (const { path } of storage.list(COMMITS_PREFIX)) {
    newest = Math.max(newest, commitNumberOf(path) ?? 0);
  }
  return newest;
}
