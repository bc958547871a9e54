/** What a run needs: its services as objects, and validated settings. */
import type { Archive } from '../archive/archive.js';
import type { CommitScope } from '../archive/log/commit.js';
import type { ArtifactFetcher } from '../artifacts/artifact-fetcher.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { Random } from '../base/random.js';
import type { Tracer } from '../base/tracer.js';
import type { RowFormat } from '../formats/format.js';
import type { RunId, UserId } from '../model/ids.js';
import type { ServiceClient } from '../service/service-client.js';
import type { Processes } from '../base/process-identity.js';
import type { RunBudget } from './budget/run-budget.js';
import type { ExportObserver } from './export-observer.js';
import type { RunSettings } from './export-run.js';
import type { UserSource } from './users/user-source.js';

export interface ExportOptions {
  /** A ULID; a new one by default. */
  readonly runId?: RunId;
  readonly archive: Archive;
  readonly service: ServiceClient;
  readonly fetcher: ArtifactFetcher;
  /** The archive's row formats; the workbook is made from the first. */
  readonly formats: readonly RowFormat[];
  readonly withWorkbook: boolean;
  /** Each once is enough; repetitions do no harm. */
  readonly users: readonly UserId[];
  /** Which share of all users these are: `3/16`. */
  readonly shard?: string;
  /** Where more users come from while the run is under way. */
  readonly source?: UserSource | undefined;
  /** More that commits are to say of what chose the data; no secrets. */
  readonly scope?: CommitScope | undefined;
  readonly settings: RunSettings;
  /** What the run may ask of the service; default: as much as there is to ask. */
  readonly budget?: RunBudget | undefined;
  /** Sessions at a time, over all users. */
  readonly concurrency: number;
  /** What is asked for at first; the service may grant fewer. */
  readonly pageSize: number;
  readonly checkpointBytes: number;
  readonly checkpointIntervalMs: number;
  readonly leases: {
    readonly processes: Processes;
    /** Default 30 s. */
    readonly termMs?: number | undefined;
    /** Fail instead of waiting for a run that works on the same user. */
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
