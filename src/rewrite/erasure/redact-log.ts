/** Prepares redacted commits and jobs manifests under `_erasures/`. */
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
  /** Redacted jobs manifests by commit number: they do not depend on the receipt. */
  readonly #jobs = new Map<number, JobsEntry | null>();
  readonly #archive: Archive;
  readonly #id: RunId;
  readonly #redaction: Redaction;

  constructor(archive: Archive, id: RunId, redaction: Redaction) {
    this.#archive = archive;
    this.#id = id;
    this.#redaction = redaction;
  }

  /** @param receipt number of the commit that will vouch for them */
  async prepare(receipt: number): Promise<RedactedLog> {
    const { storage, index } = this.#archive;
    const vouched: BegunErasure['commits'][number][] = [];
    const plan: ErasurePlan['commits'] = [];
    for await (const commit of index.walk({ through: receipt - 1 })) {
      const redacted = redactCommit(commit, this.#redaction);
      if (!redacted) continue;
      const jobs = await this.#redactJobs(commit);
      const bytes = encodeRedacted({ ...redacted, jobs, redacted_by: receipt });
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

  async #redactJobs({ number, jobs, sessions }: Commit): Promise<JobsEntry | null> {
    const { target } = this.#redaction;
    if (!jobs || !sessions.some((entry) => target.has(entry))) return jobs;
    const known = this.#jobs.get(number);
    if (known !== undefined) return known;
    const { storage } = this.#archive;
    async function* kept(entry: JobsEntry): AsyncGenerator<string> {
      for await (const line of readJobs(storage, entry)) {
        if (!target.has(line)) yield JSON.stringify(line);
      }
    }
    const staged = await storage.stage();
    try {
      const rows = await writeGzipLines(kept(jobs), staged);
      const { bytes, sha256 } = await staged.close();
      if (rows > 0) await staged.publish(redactedJobsPath(this.#id, number));
      const entry = rows > 0 ? { path: manifestPath(number, sha256), rows, bytes, sha256 } : null;
      this.#jobs.set(number, entry);
      return entry;
    } finally {
      await staged.discard();
    }
  }
}
