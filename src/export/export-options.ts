/** The inputs of a run: its services as objects, and validated settings. */
import type { ArchiveTask } from '../archive/archive.js';
import type { UsersListRule } from '../archive/reading/users/users-list.js';
import type { SnapshotPace } from '../archive/snapshots/write-snapshot.js';
import type { CommitScope } from '../archive/log/commit.js';
import type { ArtifactFetcher } from '../artifacts/artifact-fetcher.js';
import type { RunId, UserId } from '../model/ids.js';
import type { ServiceClient } from '../service/service-client.js';
import type { RunBudget } from './export-summary.js';
import type { RunSettings } from './export-run.js';
import type { ExportObserver } from './export-observer.js';
import type { LapScope } from './laps/run-lap.js';
import type { UserSource } from './users/user-source.js';

export interface ExportOptions extends ArchiveTask {
  /** Whether the archive gets Delta logs where it has none. Default: no; those that are there are kept up to date. */
  readonly beginsDelta?: boolean | undefined;
  /** A ULID; a new one by default. */
  readonly runId?: RunId;
  readonly service: ServiceClient;
  readonly fetcher: ArtifactFetcher;
  /** Users; duplicates are ignored. */
  readonly users: readonly UserId[];
  /** The shard of all users that these are: `3/16`. */
  readonly shard?: string;
  /** Adds users while the run is under way. */
  readonly source?: UserSource | undefined;
  /** Further selection settings for the commits to record; no secrets. */
  readonly scope?: CommitScope | undefined;
  /** What makes a list of everybody doubtful. Default: no list is. */
  readonly list?: UsersListRule | undefined;
  readonly settings: RunSettings;
  /** Whether the service may list none of the archived conversations. Default: a run of such a service ends. */
  readonly allowOtherConversations?: boolean | undefined;
  /** The lap that the run has part in; default: none. */
  readonly lap?: LapScope | undefined;
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
  /** Fail instead of waiting for another run that works on the same user. */
  readonly noWait: boolean;
  readonly observer: ExportObserver;
}
