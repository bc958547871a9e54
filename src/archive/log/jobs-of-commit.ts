/** Reads the jobs manifest of a commit, also if an erasure has replaced it since the commit was read. */
import type { Storage } from '../../storage/storage.js';
import type { Commit, JobLine } from './commit.js';
import type { CommitLog } from './commit-log.js';
import { IntegrityError } from '../verify/integrity-error.js';
import { readJobs } from './jobs-manifest.js';

/**
 * Yields the jobs in the order written; none if the commit has no manifest.
 *
 * @throws {IntegrityError} as `readJobs`
 */
export async function* jobsOf(
  storage: Storage,
  log: Pick<CommitLog, 'reread'>,
  commit: Pick<Commit, 'number' | 'jobs'>,
): AsyncGenerator<JobLine> {
  if (!commit.jobs) return;
  try {
    yield* readJobs(storage, commit.jobs);
    return;
  } catch (error) {
    // thrown before the first line
    if (!(error instanceof IntegrityError && error.problem === 'missing')) throw error;
    const { jobs } = await log.reread(commit.number);
    if (jobs?.path === commit.jobs.path) throw error;
    if (jobs) yield* readJobs(storage, jobs);
  }
}
