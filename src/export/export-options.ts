/** The inputs of a run: its services as objects, and validated settings. */
import type { Archive } from '../archive/archive.js';
import type { SnapshotPace } from '../archive/snapshots/write-snapshot.js';
import type { CommitScope } from '../archive/log/commit.js';
import type { ArtifactFetcher } from '../artifacts/artifact-fetcher.js';
import type { Clock, Random } from '../base/runtime.js';
import type { Logger, Tracer } from '../base/logger.js';
import type { RowFormat } from '../formats/format.js';
import type { RunId, UserId } from '../model/ids.js';
import type { ServiceClient } from '../service/service-client.js';
import type { Processes } from '../base/process-identity.js';
import type { RunBudget } from './budget/run-budget.js';
import type { ExportObserver } from './export-observer.js';
import type { RunSettings } from './export-run.js';
import type { UserSource } from './users/pending-users.js';

export interface ExportOptions {
  /** Whether the archive gets Delta logs where it has none. Default: no; those that are there are kept up to date. */
  readonly beginsDelta?: boolean | undefined;
  /** A ULID; a new one by default. */
  readonly runId?: RunId;
  readonly archive: Archive;
  readonly service: ServiceClient;
  readonly fetcher: ArtifactFetcher;
  /** The archive's row formats. */
  readonly formats: readonly RowFormat[];
  readonly withWorkbook: boolean;
  /** Users; duplicates are ignored. */
  readonly users: readonly UserId[];
  /** The shard of all users that these are: `3/16`. */
  readonly shard?: string;
  /** Adds users while the run is under way. */
  readonly source?: UserSource | undefined;
  /** Further selection settings for the commits to record; no secrets. */
  readonly scope?: CommitScope | undefined;
  readonly settings: RunSettings;
  /** Limits the run's requests; default: no limit. */
  readonly budget?: RunBudget | undefined;
  /** Sessions at a time, of all users together. */
  readonly concurrency: number;
  /** The page size requested at first; the service may grant less. */
  readonly pageSize: number;
  readonly checkpointBytes: number;
  readonly checkpointIntervalMs: number;
  /** How much of the log readers may have to read; default: see `SnapshotPace`. */
  readonly snapshotPace?: SnapshotPace | undefined;
  readonly leases: {
    readonly processes: Processes;
    /** Default 30 s. */
    readonly termMs?: number | undefined;
    /** Fail instead of waiting for another run that works on the same user. */
    readonly noWait: boolean;
  };
  /** Name and version, as commits record it: `jobvault 0.1.0`. */
  readonly tool: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly observer: ExportObserver;
  /** Default: no observer. */
  readonly tracer?: Tracer | undefined;
  /** Stops the run; finished work is committed. */
  readonly signal: AbortSignal;
}
