/** An archive that is open, and everything that can be done with it. Each part is loaded when it is used. */
import type { Archive } from '../archive/archive.js';
import type { ArchiveIdentity } from '../archive/identity.js';
import type { CommitSigner } from '../archive/log/commit-signer.js';
import { openArchive as openIn } from '../archive/open-archive.js';
import type { Conversation } from '../archive/parts/conversation.js';
import type { ArchiveStatus, StatusOptions } from '../archive/state/archive-status.js';
import type { SessionStatus } from '../archive/state/user-status.js';
import type { VerifyOptions } from '../archive/verify/verify.js';
import type { VerifyReport } from '../archive/verify/verify-report.js';
import { runtimeOf, type Runtime, type RuntimeOptions } from '../base/runtime.js';
import { systemProcesses } from '../base/process-identity.js';
import { TOOL } from '../base/version.js';
import type { EvidenceOptions, EvidenceSummary } from '../evidence/write-evidence.js';
import type { RowFormat } from '../formats/format.js';
import { rowFormats } from '../formats/formats.js';
import type { ParquetCodec } from '../formats/parquet/parquet-codec.js';
import { asUserId } from '../model/ids.js';
import type { PlanChoices, PruneChoices } from '../prune/prune-archive.js';
import type { PrunePlan } from '../prune/plan-prune.js';
import type { PruneResult } from '../prune/run-prune.js';
import type { ArchiveViews } from '../query/archive-views.js';
import type { QueryOptions } from '../query/query-archive.js';
import type { QueryResult } from '../query/query-result.js';
import type { RepairOptions, RepairReport } from '../repair/repair.js';
import type { ReportOptions, ReportSummary } from '../report/write-report.js';
import type { CompactChoices, CompactSummary } from '../rewrite/compaction/compact.js';
import type { CopyChoices, CopySummary } from '../rewrite/copy-archive.js';
import type { EraseChoices, EraseSummary } from '../rewrite/erasure/erase-options.js';
import type { RewriteOptions } from '../rewrite/rewriting.js';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import type { Storage } from '../storage/storage.js';

export interface OpenOptions extends RuntimeOptions {
  /** How the archive's place is reached. */
  readonly storage?: StorageOptions | undefined;
  /** Signs the commits that are made; needed where the log is signed. Default: nobody does. */
  readonly signer?: CommitSigner | undefined;
  /** Of Parquet files that are written. Default `zstd`. */
  readonly parquetCodec?: ParquetCodec | undefined;
}

type Given = 'archive' | 'formats' | 'tool' | 'clock' | 'random' | 'signal';
type Choices<Options> = Omit<Options, Given>;

/**
 * @param location a directory, or `s3://bucket/prefix`
 * @throws {UsageError} there is no archive, or it needs a newer version
 * @throws {IntegrityError} its jobvault.json is damaged
 */
export async function openArchive(
  location: string,
  options: OpenOptions = {},
): Promise<OpenArchive> {
  const place = openStorage(location, options.storage);
  try {
    const runtime = runtimeOf(options);
    const archive = await openIn(place, { ...runtime, signer: options.signer });
    return new OpenArchive(archive, runtime, options);
  } catch (error) {
    await place.close();
    throw error;
  }
}

export class OpenArchive {
  readonly #archive: Archive;
  readonly #runtime: Runtime;
  readonly #options: OpenOptions;
  readonly #formats: readonly RowFormat[];

  /** Use `openArchive`. */
  constructor(archive: Archive, runtime: Runtime, options: OpenOptions) {
    this.#archive = archive;
    this.#runtime = runtime;
    this.#options = options;
    this.#formats = rowFormats({ parquet: { codec: options.parquetCodec ?? 'zstd' } });
  }

  get location(): string {
    return this.#archive.storage.location;
  }

  get identity(): ArchiveIdentity {
    return this.#archive.identity;
  }

  /** Reads the log, not the files. @throws {IntegrityError} */
  async status(options: Omit<StatusOptions, 'signal'> = {}): Promise<ArchiveStatus> {
    const { archiveStatus } = await import('../archive/state/archive-status.js');
    return archiveStatus(this.#archive, { ...options, signal: this.#runtime.signal });
  }

  /** A user's sessions, ordered by id; none of a stranger. @throws {IntegrityError} */
  async sessions(user: string): Promise<SessionStatus[]> {
    const { sessionStatuses } = await import('../archive/state/user-status.js');
    return sessionStatuses(await this.#archive.states.load(asUserId(user)));
  }

  /**
   * The newest version of a session and its jobs, the oldest job first.
   *
   * @throws {UsageError} the archive has no such session or job
   */
  async show(session: string, job?: string): Promise<Conversation> {
    const { conversationOf } = await import('../archive/parts/conversation.js');
    return conversationOf(this.#archive, this.#formats, { session, job });
  }

  /** Reads everything back; what is wrong is in the report, not thrown. */
  async verify(options: Choices<VerifyOptions> = {}): Promise<VerifyReport> {
    const { verifyArchive } = await import('../archive/verify/verify.js');
    return verifyArchive(this.#archive, { ...options, ...this.#reading });
  }

  /** Verifies, and mends what can be mended without inventing anything. */
  async repair(
    options: Choices<VerifyOptions> & Choices<RepairOptions> = {},
  ): Promise<RepairReport> {
    const { inspectArchive } = await import('../archive/verify/verify.js');
    const { repairArchive } = await import('../repair/repair.js');
    const given = { ...options, ...this.#reading };
    return repairArchive(this.#archive, await inspectArchive(this.#archive, given), {
      ...this.#runtime,
      ...given,
    });
  }

  /**
   * Asks in SQL. Needs the optional package `@duckdb/node-api`.
   *
   * @param use gets the result; it can be read until this resolves
   * @throws {QueryError} DuckDB refuses the SQL
   */
  async query<T>(
    sql: string,
    use: (result: QueryResult) => Promise<T>,
    options: Omit<Choices<QueryOptions>, 'sql'> = {},
  ): Promise<T> {
    const { queryArchive } = await import('../query/query-archive.js');
    const { signal } = this.#runtime;
    return queryArchive({ ...options, archive: this.#archive, sql, signal }, use);
  }

  /** The SQL of the tables and views that `query` has, for another DuckDB. */
  async views(): Promise<ArchiveViews> {
    const { archiveViews } = await import('../query/archive-views.js');
    return archiveViews(this.#archive, this.#runtime.signal);
  }

  /**
   * Makes a web page of the archive.
   *
   * @param out an empty place; nothing in it counts before this resolves
   * @throws {RewrittenMeanwhileError} the archive was rewritten: empty the place and call again
   */
  async report(
    out: string,
    options: Omit<Choices<ReportOptions>, 'target'> = {},
  ): Promise<ReportSummary> {
    const { writeReport } = await import('../report/write-report.js');
    return this.#into(out, (target) => writeReport({ ...options, ...this.#making(target) }));
  }

  /** Makes an evidence pack, a BagIt bag. @param out as that of `report` */
  async evidence(
    out: string,
    options: Omit<Choices<EvidenceOptions>, 'target'> = {},
  ): Promise<EvidenceSummary> {
    const { writeEvidence } = await import('../evidence/write-evidence.js');
    return this.#into(out, (target) => writeEvidence({ ...options, ...this.#making(target) }));
  }

  /** Merges the small part files of each table and day. @throws {SigningKeyError | IntegrityError} */
  async compact(choices: CompactChoices = {}): Promise<CompactSummary> {
    const { compact } = await import('../rewrite/compaction/compact.js');
    await this.#archive.log.assertMayAppend();
    return compact({ ...choices, ...this.#rewriting });
  }

  /**
   * Removes users or sessions for good: rows, records, files that nobody else has, and what the log tells
   * of them.
   *
   * @throws {UsageError} nobody is named, the archive has nothing of one that is, or its place keeps what is deleted
   * @throws {ErasureHeldError} one of them is on hold
   */
  async erase(choices: EraseChoices): Promise<EraseSummary> {
    const { erase } = await import('../rewrite/erasure/erase.js');
    const { eraseChoices } = await import('../rewrite/erasure/erase-options.js');
    const { assertErasable } = await import('../rewrite/erasure/erasable-place.js');
    const chosen = eraseChoices(choices);
    await this.#archive.log.assertMayAppend();
    const kept = await assertErasable(this.#archive.storage);
    return erase({ ...chosen, ...this.#rewriting, kept });
  }

  /**
   * Takes the archive to another place, or brings a copy up to date, and proves it.
   *
   * @throws {UsageError} the target is something else, or has commits of its own
   */
  async copyTo(target: string, choices: CopyChoices = {}): Promise<CopySummary> {
    const { copyArchive } = await import('../rewrite/copy-archive.js');
    const place = openStorage(target, choices.storage ?? this.#options.storage);
    try {
      return await copyArchive(this.#archive, place, { ...choices, ...this.#runtime });
    } finally {
      await place.close();
    }
  }

  /** What could be deleted from the service, and why not the rest. Changes nothing, here or there. */
  async planPrune(choices: PlanChoices = {}): Promise<PrunePlan> {
    const { planArchivePrune } = await import('../prune/prune-archive.js');
    return planArchivePrune({ ...choices, ...this.#pruning });
  }

  /**
   * Deletes from the service what the rules select and the archive provably holds. What ended the run
   * before its time is in the result's `error`.
   *
   * @throws {UsageError} it is the archive of another service, no rule chooses, or the plan has expired
   */
  async prune(choices: PruneChoices): Promise<PruneResult> {
    const { pruneArchive } = await import('../prune/prune-archive.js');
    return pruneArchive({ ...choices, ...this.#pruning });
  }

  async close(): Promise<void> {
    await this.#archive.storage.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #reading() {
    return { formats: this.#formats, signal: this.#runtime.signal };
  }

  get #pruning() {
    return { ...this.#runtime, archive: this.#archive, formats: this.#formats };
  }

  get #rewriting(): RewriteOptions & { readonly formats: readonly RowFormat[] } {
    return { ...this.#pruning, processes: systemProcesses, tool: TOOL };
  }

  #making(target: Storage) {
    const { clock, signal } = this.#runtime;
    return { archive: this.#archive, formats: this.#formats, target, tool: TOOL, clock, signal };
  }

  async #into<T>(out: string, make: (target: Storage) => Promise<T>): Promise<T> {
    const target = openStorage(out, this.#options.storage);
    try {
      return await make(target);
    } finally {
      await target.close();
    }
  }
}
