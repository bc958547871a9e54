/** An archive that is open, and everything that can be done with it. Each part is loaded when it is used. */
/// <reference lib="esnext.disposable" preserve="true" />
import type { Archive } from '../archive/archive.js';
import type { HoldChoices, ReleaseChoices } from '../archive/change-holds.js';
import type { HoldRecord } from '../archive/log/hold-history.js';
import type { ArchiveIdentity } from '../archive/identity.js';
import type { FileEntry } from '../archive/log/commit.js';
import type { Conversation } from '../archive/parts/conversation.js';
import type { ArchiveStatus, StatusOptions } from '../completeness/archive-status.js';
import type { SessionStatus } from '../completeness/user-status.js';
import type { VerifyOptions } from '../archive/verify/verify.js';
import type { VerifyReport } from '../archive/verify/verify-report.js';
import type { DoubtCounts } from '../completeness/scope-doubts.js';
import type { EvidenceOptions, EvidenceSummary } from '../evidence/write-evidence.js';
import type { ExportChoices } from '../export/export-request.js';
import type { ExportResult } from '../export/run-tally.js';
import { asUserId } from '../model/ids.js';
import type { PlanChoices, PruneChoices } from '../prune/prune-archive.js';
import type { PrunePlan } from '../prune/plan-prune.js';
import type { PruneResult } from '../prune/run-prune.js';
import type { ArchiveViews } from '../query/archive-views.js';
import type { QueryOptions } from '../query/query-archive.js';
import type { QueryResult } from '../query/query-result.js';
import type { CompareChoices } from '../repair/compare-with-service.js';
import type { Comparison } from '../repair/difference.js';
import type { RepairChoices, RepairReport } from '../repair/repair.js';
import type { ReportOptions, ReportSummary } from '../report/write-report.js';
import type { CompactChoices, CompactSummary } from '../rewrite/compaction/compact.js';
import type { CopyChoices, CopySummary } from '../rewrite/copy-archive.js';
import type { EraseChoices, EraseSummary } from '../rewrite/erasure/erase-options.js';
import type { ExpireChoices, ExpireSummary } from '../rewrite/expiry/expire-options.js';
import type { SearchChoice, SearchOptions, SearchResult } from '../search/search-archive.js';
import { openStorage } from '../storage/open-storage.js';
import type { WorkbookOptions, WorkbookSummary } from '../workbook/write-workbook.js';
import type { CallContext, Given } from './call-context.js';

type Choices<Options> = Omit<Options, Given>;
type Making<Options> = Omit<Options, Given | 'target'>;

export class OpenArchive {
  readonly #context: CallContext;

  /** Use `openArchive`. */
  constructor(context: CallContext) {
    this.#context = context;
  }

  get #archive(): Archive {
    return this.#context.archive;
  }

  get location(): string {
    return this.#archive.storage.location;
  }

  get identity(): ArchiveIdentity {
    return this.#archive.identity;
  }

  /** Reads the log, not the files. @throws {IntegrityError} */
  async status(options: Omit<StatusOptions, 'signal'> = {}): Promise<ArchiveStatus> {
    const { archiveStatus } = await import('../completeness/archive-status.js');
    return archiveStatus(this.#archive, { ...options, signal: this.#context.runtime.signal });
  }

  /** A user's sessions, ordered by id; none of a stranger. @throws {IntegrityError} */
  async sessions(user: string): Promise<SessionStatus[]> {
    const { sessionStatuses } = await import('../completeness/user-status.js');
    return sessionStatuses(await this.#archive.states.load(asUserId(user)));
  }

  /** Sessions with their names, the newest first. @throws {UsageError} there is no such user */
  async conversations({ user }: { readonly user?: string | undefined } = {}) {
    const { listSessions } = await import('../archive/parts/session-list.js');
    return listSessions(this.#archive, await this.#context.formats(), user);
  }

  /** A session's newest version and its jobs, the oldest first. @throws {UsageError} there is none */
  async show(session: string, job?: string): Promise<Conversation> {
    const { conversationOf } = await import('../archive/parts/conversation.js');
    return conversationOf(this.#archive, await this.#context.formats(), { session, job });
  }

  /** The part files of a table, ordered by path. @throws {UsageError} there is no such table */
  async files(table: string): Promise<FileEntry[]> {
    const { filesOfTable } = await import('../archive/archive.js');
    return filesOfTable(this.#archive, table);
  }

  /** Reads everything back; what is wrong is in the report, not thrown. */
  async verify(options: Choices<VerifyOptions> = {}): Promise<VerifyReport> {
    const { verifyArchive } = await import('../archive/verify/verify.js');
    return verifyArchive(this.#archive, { ...options, ...(await this.#context.reading()) });
  }

  /**
   * Verifies, and mends what can be mended without inventing anything.
   *
   * @param options.service lost files are fetched again from it; default: they are not
   * @throws {UsageError} it is another service than the archive's
   */
  async repair(options: RepairChoices = {}): Promise<RepairReport> {
    const { verifyAndRepair } = await import('../repair/repair.js');
    return verifyAndRepair(this.#archive, options, {
      ...this.#context.runtime,
      formats: await this.#context.formats(),
    });
  }

  /** Lists what the service has and the archive has not, and the reverse. @throws {UsageError} another service */
  async compare(choices: CompareChoices): Promise<Comparison> {
    const { compareArchive } = await import('../repair/compare-with-service.js');
    return compareArchive(this.#archive, choices, this.#context.runtime);
  }

  /** Every hold that was ever set, in that order. @throws {IntegrityError} */
  async holds(): Promise<readonly HoldRecord[]> {
    await this.#archive.index.refresh();
    return this.#archive.index.holds;
  }

  /** Puts users or sessions on hold: nothing of theirs is deleted or erased before the release. @throws {UsageError} */
  async hold(choices: HoldChoices): Promise<HoldRecord[]> {
    const { addHolds } = await import('../archive/change-holds.js');
    return addHolds(this.#archive, { ...choices, ...this.#context.runtime });
  }

  /** Ends holds. @throws {UsageError} one that is named has none, or several and `all` is not given */
  async release(choices: ReleaseChoices): Promise<HoldRecord[]> {
    const { releaseHolds } = await import('../archive/change-holds.js');
    return releaseHolds(this.#archive, { ...choices, ...this.#context.runtime });
  }

  /**
   * Asks in SQL. Needs the optional package `@duckdb/node-api`.
   *
   * @param use gets the result; it can be read until this resolves
   * @throws {QueryError} DuckDB cannot answer the query
   */
  async query<T>(
    sql: string,
    use: (result: QueryResult) => Promise<T>,
    options: Omit<Choices<QueryOptions>, 'sql'> = {},
  ): Promise<T> {
    const { queryArchive } = await import('../query/query-archive.js');
    const { signal } = this.#context.runtime;
    return queryArchive({ ...options, archive: this.#archive, sql, signal }, use);
  }

  /** The SQL of the tables and views that `query` has, for another DuckDB. */
  async views(): Promise<ArchiveViews> {
    const { archiveViews } = await import('../query/archive-views.js');
    return archiveViews(this.#archive, this.#context.runtime.signal);
  }

  /** Finds jobs by their words: `"net revenue" rome OR berlin -draft`. Needs DuckDB, as `query` does. @throws {UsageError} */
  async search(
    words: string,
    options: Omit<Choices<SearchOptions>, 'match'> = {},
  ): Promise<SearchResult> {
    const { searchArchive } = await import('../search/search-archive.js');
    const { signal } = this.#context.runtime;
    return searchArchive({ ...options, archive: this.#archive, match: words, signal });
  }

  /** What a search cannot find: counts sessions with gaps, and users not proven complete. Default: everybody. */
  async doubts(scope: Pick<SearchOptions, 'users' | 'sessions'> = {}): Promise<DoubtCounts> {
    const { doubtsIn } = await import('../completeness/scope-doubts.js');
    const { UserListings } = await import('../completeness/user-listings.js');
    const archive = this.#archive;
    await archive.index.refresh();
    const listings = await UserListings.of(archive);
    const asked = { users: scope.users ?? [], sessions: scope.sessions ?? [] };
    return doubtsIn(archive.index, listings, asked).counts;
  }

  /** Makes a web page of the archive. @param out a new or empty place; an earlier report in a directory is replaced */
  async report(out: string, options: Making<ReportOptions> = {}): Promise<ReportSummary> {
    const { REPORT_ENTRIES, REPORT_MARK } = await import('../report/report-mark.js');
    const { writeReport } = await import('../report/write-report.js');
    const replaceable = { mark: REPORT_MARK, entries: REPORT_ENTRIES };
    return this.#context.making(out, (made) => writeReport({ ...options, ...made }), replaceable);
  }

  /** Makes an evidence pack, a BagIt bag. @param out a new or empty place @throws {UsageError} */
  async evidence(out: string, options: Making<EvidenceOptions> = {}): Promise<EvidenceSummary> {
    const { writeEvidence } = await import('../evidence/write-evidence.js');
    return this.#context.making(out, (made) =>
      writeEvidence({ signer: this.#context.options.signer, ...options, ...made }),
    );
  }

  /** Makes one person's workbook. @param out `FILE.xlsx`; one that is there is replaced @throws {UsageError} */
  async workbook(
    out: string,
    choices: Pick<WorkbookOptions, 'user' | keyof SearchChoice>,
  ): Promise<WorkbookSummary> {
    const { makeWorkbook } = await import('../workbook/make-workbook.js');
    const { user, match, from, to } = choices;
    const given = { ...(await this.#context.given()), user, match, from, to };
    return makeWorkbook(out, given, this.#context.options.storage);
  }

  /** Merges the small part files of each table and day. @throws {SigningKeyError | IntegrityError} */
  async compact(choices: CompactChoices = {}): Promise<CompactSummary> {
    const { compact } = await import('../rewrite/compaction/compact.js');
    await this.#archive.log.assertMayAppend();
    return compact({ ...choices, ...(await this.#context.rewriting()) });
  }

  /** Exports users from the archive's service to it. @throws {UsageError} an option makes no sense */
  async export(choices: ExportChoices): Promise<ExportResult> {
    const { exportToArchive } = await import('../export/export-to-archive.js');
    const { base_url: baseUrl, project } = this.identity.service;
    return exportToArchive({
      ...this.#context.options,
      ...this.#context.runtime,
      ...choices,
      baseUrl,
      project: project ?? undefined,
      out: this.location,
    });
  }

  /**
   * Removes users or sessions for good: rows, records, files that nobody else has, and what the log tells
   * of them.
   *
   * @throws {UsageError} nobody is named, the archive has nothing of one that is, or its place keeps what is deleted
   * @throws {ErasureHeldError} one of them is on hold
   */
  async erase(choices: EraseChoices): Promise<EraseSummary> {
    const { eraseFromArchive } = await import('../rewrite/erasure/erase-from-archive.js');
    return eraseFromArchive(await this.#context.rewriting(), choices);
  }

  /** Plans which sessions are older; with `execute` erases them, with one receipt for all. @throws {UsageError} */
  async expire(choices: ExpireChoices): Promise<ExpireSummary> {
    const { expire } = await import('../rewrite/expiry/expire.js');
    return expire(await this.#context.rewriting(), choices);
  }

  /**
   * Takes the archive to another place, or brings a copy up to date, and proves it.
   *
   * @throws {UsageError} the target is something else, or has commits of its own
   */
  async copyTo(target: string, choices: CopyChoices = {}): Promise<CopySummary> {
    const { copyArchive } = await import('../rewrite/copy-archive.js');
    const { options, runtime } = this.#context;
    const place = openStorage(target, choices.storage ?? options.storage, options.logger);
    try {
      return await copyArchive(this.#archive, place, { ...choices, ...runtime });
    } finally {
      await place.close();
    }
  }

  /** What could be deleted from the service, and why not the rest. Changes nothing, here or there. */
  async planPrune(choices: PlanChoices = {}): Promise<PrunePlan> {
    const { planArchivePrune } = await import('../prune/prune-archive.js');
    return planArchivePrune({ ...choices, ...(await this.#context.given()) });
  }

  /**
   * Deletes from the service what the rules select and the archive provably holds. What ended the run
   * before its time is in the result's `error`.
   *
   * @throws {UsageError} it is the archive of another service, no rule chooses, or the plan has expired
   */
  async prune(choices: PruneChoices): Promise<PruneResult> {
    const { pruneArchive } = await import('../prune/prune-archive.js');
    return pruneArchive({ ...choices, ...(await this.#context.given()) });
  }

  async close(): Promise<void> {
    await this.#archive.storage.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
