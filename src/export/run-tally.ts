/** Counts what a run has committed, and how it ended. */
import type { Clock } from '../base/clock.js';
import type { FailureKind } from '../base/error.js';
import type { ArtifactFetcher } from '../artifacts/artifact-fetcher.js';
import type { ServiceClient } from '../service/service-client.js';
import { emptySummary, hasGaps, type ExportSummary } from './export-summary.js';
import { failureBehindGap, type Gap } from './jobs/gap.js';
import { UnfinishedUsers } from './unfinished-users.js';
import type { UserOutcome } from './users/user-export.js';

export interface ExportResult {
  readonly summary: ExportSummary;
  /** What ended the run before its time; undefined for a run that went through all its users. */
  readonly error: unknown;
  /** The kinds of failure behind the gaps. */
  readonly failures: ReadonlySet<FailureKind>;
}

export interface RunTallyOptions {
  readonly location: string;
  readonly run: string;
  readonly shard: string | undefined;
  /** Users that are known when the run begins. */
  readonly users: number;
  /** Those that the run has made already. */
  readonly commits: readonly number[];
  readonly service: ServiceClient;
  readonly fetcher: ArtifactFetcher;
  readonly clock: Clock;
}

export class RunTally {
  readonly summary: ExportSummary;
  readonly unfinished = new UnfinishedUsers();
  readonly #failures = new Set<FailureKind>();
  readonly #startedAt: number;
  readonly #options: RunTallyOptions;

  constructor(options: RunTallyOptions) {
    this.#options = options;

    const { location, run, shard, users, commits, clock } = options;
    this.summary = { ...emptySummary(location, run), ...(shard === undefined ? {} : { shard }) };
    this.summary.commits.push(...commits);
    this.summary.users.total = users;
    this.#startedAt = clock.monotonic();
  }

  /** A user's outcome counts once a commit holds it. */
  add({ entry, gaps, errors, isNeverSeen }: UserOutcome): void {
    const { users, sessions } = this.summary;
    if (isNeverSeen) this.summary.never_seen.push(entry.user);
    this.unfinished.finished(entry.user);
    if (entry.error !== null) users.failed++;
    else if (entry.complete) users.complete++;
    sessions.listed += entry.listed;
    sessions.new += entry.sessions.new;
    sessions.changed += entry.sessions.changed;
    sessions.unchanged += entry.sessions.unchanged;
    sessions.failed += entry.sessions.failed;
    this.addGaps(gaps, errors);
  }

  /** @param errors what is behind them */
  addGaps(gaps: readonly Gap[], errors: readonly unknown[]): void {
    this.summary.gaps.push(...gaps);
    errors.forEach((error) => this.#failures.add(failureBehindGap(error)));
  }

  /** @param error what ended the run before its time */
  result(error: unknown, { isInterrupted }: { readonly isInterrupted: boolean }): ExportResult {
    const { service, fetcher, clock } = this.#options;
    const { summary } = this;
    this.unfinished.addTo(summary);
    summary.requests = {
      api: service.stats.requests,
      files: fetcher.stats.requests,
      retries: service.stats.retries + fetcher.stats.retries,
      rate_limited: service.stats.rateLimited,
    };
    summary.duration_ms = Math.round(clock.monotonic() - this.#startedAt);
    if (isInterrupted) summary.status = 'interrupted';
    else if (error !== undefined) summary.status = 'failed';
    else summary.status = hasGaps(summary) ? 'gaps' : 'complete';
    return { summary, error: isInterrupted ? undefined : error, failures: this.#failures };
  }
}
