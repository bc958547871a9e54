/** Prepares what will stand in place of the commits that tell of the erased, beside the archive's own. */
import type { Archive } from '../../archive/archive.js';
import { encodeRedacted } from '../../archive/log/commit-codec.js';
import type { BegunErasure, Commit, JobsEntry } from '../../archive/log/commit.js';
import { redactedJobsPath, redactedPath, type ErasurePlan } from './erasure-plan.js';
import { writeGzipLines } from '../../archive/parts/gzip-lines.js';
import { readJobs } from '../../archive/log/jobs-manifest.js';
import { manifestPath } from '../../archive/paths.js';
import { sha256Hex } from '../../base/digest.js';
import type { RunId } from '../../model/ids.js';
import { redactCommit, type Redaction } from './redact-commit.js';

export interface RedactedLog {
  readonly vouched: BegunErasure['commits'];
  readonly plan: ErasurePlan['commits'];
}

export class LogRedaction {
  /** What is left of lists of jobs, by the number of their commit: they do not depend on the receipt. */
  readonly #jobs = new Map<number, JobsEntry | null>();
  readonly #archive: Archive;
  readonly #id: RunId;
  readonly #redaction: Redaction;

  constructor(archive: Archive, id: RunId, redaction: Redaction) {
    this.#archive = archive;
    this.#id = id;
    this.#redaction = redaction;
  }

  /** @param receipt the number that vouches for them */
  async prepare(receipt: number): Promise<RedactedLog> {
    const { storage, index } = this.#archive;
    const vouched: BegunErasure['commits'][number][] = [];
    const plan: ErasurePlan['commits'] = [];
    for await (const commit of index.walk({ through: receipt - 1 })) {
      const left = redactCommit(commit, this.#redaction);
      if (!left) continue;
      const jobs = await this.#jobsLeft(commit);
      const bytes = encodeRedacted({ ...left, jobs, redacted_by: receipt });
      const { number } = commit;
      await storage.put(redactedPath(this.#id, number), bytes);
      vouched.push({ number, sha256: sha256Hex(bytes), jobs_sha256: jobs?.sha256 ?? null });
      const isNew = jobs?.path !== commit.jobs?.path;
      plan.push({
        number,
        jobs: isNew ? (jobs?.path ?? null) : null,
        oldJobs: isNew ? (commit.jobs?.path ?? null) : null,
      });
    }
    return { vouched, plan };
  }

  async #jobsLeft({ number, jobs, sessions }: Commit): Promise<JobsEntry | null> {
    const { subject } = this.#redaction;
    if (!jobs || !sessions.some((entry) => subject.has(entry))) return jobs;
    const known = this.#jobs.get(number);
    if (known !== undefined) return known;
    const { storage } = this.#archive;
    async function* kept(entry: JobsEntry): AsyncGenerator<string> {
      for await (const line of readJobs(storage, entry)) {
        if (!subject.has(line)) yield JSON.stringify(line);
      }
    }
    const staged = await storage.stage();
    try {
      const rows = await writeGzipLines(kept(jobs), staged);
      const { bytes, sha256 } = await staged.close();
      if (rows > 0) await staged.publish(redactedJobsPath(this.#id, number));
      const left = rows > 0 ? { path: manifestPath(number, sha256), rows, bytes, sha256 } : null;
      this.#jobs.set(number, left);
      return left;
    } finally {
      await staged.discard();
    }
  }
}
