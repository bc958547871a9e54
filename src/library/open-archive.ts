/** An open archive with all its operations. The code of each operation is loaded when it is called. */
import type { Archive } from '../archive/archive.js';
import type { AcceptChoices, withdrawGaps as WithdrawGaps, ListedGap } from '../archive/gaps.js';
import type { ArchiveChanges, ChangesOptions } from '../archive/changes.js';
import type { RetentionChange, RetentionChoices } from '../archive/notes/change-retention.js';
import type * as Suppressions from '../archive/notes/set-suppressions.js';
import type { HoldChoices, ReleaseChoices } from '../archive/holds/change-holds.js';
import type { ObjectChecksum } from '../archive/objects/checksums.js';
import type * as Requests from '../archive/notes/change-requests.js';
import type { WhyHeldChoices } from '../archive/holds/held-sessions.js';
import type { BindingHold } from '../archive/holds/holds.js';
import type { HoldRecord } from '../archive/log/notes.js';
import type { DrillRecord } from '../archive/log/drill-history.js';
import type { RequestRecord } from '../archive/log/request-history.js';
import type { AcceptedGap } from '../archive/log/accepted-gaps.js';
import type { ListedErasure } from '../archive/erasing/erasures.js';
import type { ArchiveIdentity } from '../archive/identity.js';
import type { FileEntry } from '../archive/log/commit.js';
import { absolutePeriod } from '../model/times/period.js';
import type {
  Conversation,
  ConversationChoice,
  ConversationRows,
} from '../archive/reading/conversation.js';
import type { ArchiveStatus, StatusOptions } from '../completeness/archive-status.js';
import type { SessionStatus, UserStatus } from '../completeness/user-status.js';
import type { VerifyOptions, VerifyReport } from '../archive/verify/verify.js';
import type { SlicesReport, WithinOptions } from '../archive/verify/verify-within.js';
import type { Caveat } from '../archive/reading/caveats/caveat.js';
import type { GivenScope } from '../archive/reading/scope.js';
import type { ListedSessions, ListScope } from '../archive/reading/session-list.js';
import type { EvidenceSummary } from '../evidence/write-evidence.js';
import type { ExportChoices } from '../export/export-request.js';
import type { ExportResult } from '../export/run-tally.js';
import type { PlanOptions, PruneChoices } from '../prune/prune-choices.js';
import type { PrunePlan } from '../prune/plan/plan-prune.js';
import type { OtherSpelling } from '../archive/reading/users/listed-again.js';
import type { PruneResult } from '../prune/run-prune.js';
import type { ArchiveViews, ViewsOptions } from '../query/views/archive-views.js';
import type { QueryChoices } from '../query/query-archive.js';
import type { QueryRow } from '../query/result-objects.js';
import type { OpenMaking } from '../making/open-making.js';
import type { QueryResult } from '../query/query-result.js';
import type { CompareChoices } from '../repair/compare-with-service.js';
import type { Comparison } from '../repair/difference.js';
import type { RepairChoices, RepairReport } from '../repair/repair.js';
import type { ReportSummary } from '../report/report-options.js';
import type { CompactChoices, CompactSummary } from '../rewrite/compaction/compact.js';
import type { CopyChoices, CopySummary } from '../rewrite/copy-archive.js';
import type { EraseChoices, EraseSummary } from '../rewrite/erasure/erase-options.js';
import type { SuppressChoices, SuppressSummary } from '../rewrite/erasure/suppress-only.js';
import type { ExpireChoices, ExpireSummary } from '../rewrite/expiry/expire-options.js';
import type { DrillOptions, DrillReport } from '../restore/drill.js';
import type { ServeArchiveOptions, ServedArchive } from '../restore/serve-archive.js';
import type { SearchOptions, SearchResult } from '../search/search-archive.js';
import type { SearchChoice } from '../search/search-choice.js';
import type { WorkbookSummary } from '../workbook/write-workbook.js';
import { AcceptedImages } from './accepted-images.js';
import type { RestOfRequest } from '../archive/reading/requests/rest-of-request.js';
import type { PseudonymisedChoices, PseudonymiseSummary } from './copies.js';
import type { CallContext, ContextOption } from './call-context.js';
import type { MakingChoices } from './making.js';
import type { EvidenceChoices, ReportChoices, SearchChoices, WorkbookChoices } from './products.js';

type Choices<Options> = Omit<Options, ContextOption>;

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
  async status(options: Choices<StatusOptions> = {}): Promise<ArchiveStatus> {
    const { archiveStatus } = await import('../completeness/archive-status.js');
    const { archive, signal } = this.#context.reading;
    return archiveStatus(archive, { ...options, signal });
  }

  /** What the log says of a user; a session that another spelling lists counts here, too. @param among spellings of which it counts for one @throws {UsageError} there is no such user @throws {IntegrityError} */
  async userStatus(user: string, among?: readonly string[]): Promise<UserStatus> {
    const { statusOfUser } = await import('../completeness/user-status.js');
    const { archive, signal } = this.#context.reading;
    return statusOfUser(archive, user, { among, signal });
  }

  /** What the log says of a user's sessions, ordered by id; empty for an unknown user. @param among as that of `userStatus` @throws {IntegrityError} */
  async sessionStatuses(user: string, among?: readonly string[]): Promise<SessionStatus[]> {
    const { sessionStatusesOf } = await import('../completeness/user-status.js');
    return sessionStatusesOf(this.#context.reader, user, among);
  }

  /** Sessions with their names, newest first. @param scope default: all users; of a period those with a job that was asked in it @throws {UsageError} */
  async sessions(scope: ListScope = {}): Promise<ListedSessions> {
    const { listArchivedSessions } = await import('../archive/reading/session-list.js');
    return listArchivedSessions(this.#context.reading, scope);
  }

  /**
   * The sessions that a person means: by whole id, by the beginning of an id (six characters or more), or by exact name.
   *
   * @returns whole ids; what means no session stays as it is
   * @throws {UsageError} a text means several sessions; they are named
   */
  async resolveSessions({
    users = [],
    sessions = [],
  }: Pick<SearchOptions, 'users' | 'sessions'>): Promise<string[]> {
    const { resolveSessions } = await import('../archive/reading/resolve-sessions.js');
    return resolveSessions(this.#context.reading, { users, sessions });
  }

  /**
   * Every conversation with its rows, user by user: the newest version of each job, oldest job first. Each part file is
   * read once, before the first conversation comes; the others wait in a temporary directory, so that memory holds a few.
   *
   * @param scope default: all users; of a period only jobs that were asked in it
   * @param rows of which tables, and of which versions
   * @throws {UsageError} there is no such user, session or table
   */
  async *conversations(
    scope: GivenScope = {},
    rows: ConversationRows = {},
  ): AsyncGenerator<Conversation> {
    const { conversationsIn } = await import('./making.js');
    yield* conversationsIn(this.#context, scope, rows);
  }

  /**
   * What a product of your own is made of: people, counts, conversations and caveats of one commit. Each part file is read
   * once, before this resolves; the rows wait in a temporary directory until `close`.
   *
   * @param choices.request an open request: users, words and period are taken from it, and what was decided for it is withheld or redacted. That something is made for it is not recorded
   * @throws {UsageError} there is no such user, session, table or open request, or the words or the period make no sense
   */
  async making(choices: MakingChoices = {}): Promise<OpenMaking> {
    const { openMaking } = await import('./making.js');
    return openMaking(this.#context, choices);
  }

  /** A session's newest version and its jobs, oldest first. @throws {UsageError} there is no such session or job, or none of the users has it */
  async show(
    session: string,
    choices: Omit<ConversationChoice, 'session'> = {},
  ): Promise<Conversation> {
    const { conversationOf } = await import('../archive/reading/conversation.js');
    return conversationOf(this.#context.reading, { ...choices, session });
  }

  /** The part files of a table, ordered by path. @throws {UsageError} there is no such table */
  async files(table: string): Promise<FileEntry[]> {
    const { filesOfTable } = await import('../archive/archive.js');
    return filesOfTable(this.#context.reader, table);
  }

  /** The SHA-256 of every object of the archive, ordered by path. Reads the log and rows, not the files. @throws {IntegrityError} */
  async *checksums(): AsyncGenerator<ObjectChecksum> {
    const { archiveChecksums } = await import('../archive/objects/checksums.js');
    yield* archiveChecksums(this.#archive, this.#context.signal);
  }

  /** What came, changed and went since a commit, for a program that loads the tables. @throws {UsageError} there is no such commit or time, or not exactly one beginning is given @throws {ErasureUnfinishedError | IntegrityError} */
  async changes(options: Omit<ChangesOptions, 'signal'>): Promise<ArchiveChanges> {
    const { archiveChanges } = await import('../archive/changes.js');
    return archiveChanges(this.#context.reader, { ...options, signal: this.#context.signal });
  }

  /**
   * Reads everything back. Problems are in the report, not thrown. Where `verifyWithin` is used, too, damage is noted for
   * its next call, if the storage lets itself be written.
   */
  async verify(options: Omit<Choices<VerifyOptions>, 'choose'> = {}): Promise<VerifyReport> {
    const { verifyBesideSlices } = await import('../archive/verify/verify-within.js');
    return verifyBesideSlices(this.#archive, { ...options, signal: this.#context.signal });
  }

  /** The same, but reads back only a part of the files, and notes which: regular calls read all of them in `withinMs`. */
  async verifyWithin(
    withinMs: number,
    options: Omit<Choices<WithinOptions>, 'withinMs'> = {},
  ): Promise<VerifyReport & { readonly slices: SlicesReport }> {
    const { verifyWithin } = await import('../archive/verify/verify-within.js');
    return verifyWithin(this.#archive, { ...options, withinMs, signal: this.#context.signal });
  }

  /** Verifies the archive and repairs what existing data allow. @param options.service where lost files are fetched from; default: they are not fetched @throws {UsageError} it is another service than the archive's */
  async repair(options: RepairChoices = {}): Promise<RepairReport> {
    const { verifyAndRepair } = await import('../repair/repair.js');
    return verifyAndRepair(this.#archive, options, this.#context.signal);
  }

  /** Lists the differences between the service and the archive. @throws {UsageError} it is another service than the archive's */
  async compare(choices: CompareChoices): Promise<Comparison> {
    const { compareArchive } = await import('../repair/compare-with-service.js');
    return compareArchive(this.#context.reader, choices, this.#context.signal);
  }

  /** All holds that were ever set, oldest first. @throws {IntegrityError} */
  async holds(): Promise<readonly HoldRecord[]> {
    const { index } = this.#context.reader;
    await index.refresh();
    return index.holds;
  }

  /** The same, each with the users whom it binds beside the one it names: they have conversations in common, directly or through others, and count as the same person. @throws {IntegrityError} */
  async bindingHolds(): Promise<readonly BindingHold[]> {
    const { bindingHolds } = await import('../archive/holds/held-sessions.js');
    await this.#context.reader.index.refresh();
    return bindingHolds(this.#context.reader);
  }

  /** Why a hold of the log or a given one binds a session, as a sentence; undefined if none does. @throws {UsageError} a given hold matches nothing in the archive, or it has never had the session @throws {IntegrityError} */
  async whyHeld(
    user: string,
    session: string,
    choices: WhyHeldChoices = {},
  ): Promise<string | undefined> {
    const { whyHeld } = await import('../archive/holds/held-sessions.js');
    return whyHeld(this.#archive, { user, session }, choices);
  }

  /** Puts users or sessions on hold: they are neither deleted nor erased before the release. @throws {UsageError} */
  async hold(choices: HoldChoices): Promise<HoldRecord[]> {
    const { addHolds } = await import('../archive/holds/change-holds.js');
    return this.#context.stamped(addHolds(this.#context.reader, choices));
  }

  /** How many conversations of these users exports skip, at most, and archive again where these users are put on hold; default: of the users who are; and only of what these receipts suppress, default: of all. @throws {IntegrityError} */
  async mayComeBack(users?: readonly string[], receipts?: readonly number[]): Promise<number> {
    const { mayComeBack } = await import('../archive/notes/set-suppressions.js');
    return mayComeBack(this.#context.reader, users, receipts);
  }

  /** Ends holds. @throws {UsageError} a named user or session has no hold, or several without `all` */
  async release(choices: ReleaseChoices): Promise<HoldRecord[]> {
    const { releaseHolds } = await import('../archive/holds/change-holds.js');
    return this.#context.stamped(releaseHolds(this.#context.reader, choices));
  }

  /** The key that has signed a commit (SHA-256 of the public key), default the newest one; of one that an erasure has redacted, the key that vouches for what it says now; null where it is not signed. @throws {IntegrityError} */
  async signedBy(commit?: number): Promise<string | null> {
    const { log } = this.#archive;
    const number = commit ?? (await log.head())?.number;
    if (number === undefined) return null;
    const { redacted_by: vouching, signed_by: key } = await log.read(number);
    return vouching === undefined ? key : this.signedBy(vouching);
  }

  /** Why exports skip a user, in a sentence; null where they do not. @throws {IntegrityError} */
  async whySkipped(user: string): Promise<string | null> {
    const { whySkipped } = await import('../archive/reading/selection.js');
    await this.#archive.index.refresh();
    return whySkipped(this.#archive, 'user', user);
  }

  /** Those of the users of whom the archive knows something. @throws {IntegrityError} */
  async knownUsers(users: readonly string[]): Promise<string[]> {
    const { knownUsers } = await import('../archive/reading/selection.js');
    return knownUsers(this.#context.reader, users);
  }

  /** Users of the archive who are spellings of one of these, such as Ana for ana, and none of these. @throws {IntegrityError} */
  async otherSpellings(users: readonly string[]): Promise<readonly OtherSpelling[]> {
    const { otherSpellingsIn } = await import('../archive/reading/users/listed-again.js');
    await this.#context.reader.index.refresh();
    return otherSpellingsIn(this.#context.reader, users);
  }

  /** Every request, also closed ones, with what was done for it, in the order in which they came. @throws {IntegrityError} */
  async requests(): Promise<readonly RequestRecord[]> {
    const { requestsAsKnown } = await import('../archive/reading/requests/known-decisions.js');
    return requestsAsKnown(this.#context.reader);
  }

  /** One of them, by its name or id. @throws {UsageError} there is none */
  async request(name: string): Promise<RequestRecord> {
    const { requestAsKnown } = await import('../archive/reading/requests/known-decisions.js');
    return requestAsKnown(this.#context.reader, name);
  }

  /** What the erasures of a request have left of it, whether that is on hold now, and what is archived again. @throws {IntegrityError} */
  async restOfRequest(request: RequestRecord): Promise<RestOfRequest> {
    return (await import('../archive/reading/requests/rest-of-request.js')).restOfRequest(
      this.#archive,
      request,
    );
  }

  /** Records a request. @throws {UsageError} a text is missing, the name is taken, or its words, period or users are wrong */
  async newRequest(choices: Requests.RequestChoices & SearchChoice): Promise<RequestRecord> {
    const { newRequest } = await import('../archive/notes/change-requests.js');
    const { assertSearchable } = await import('../search/search-archive.js');
    const absolute = absolutePeriod(choices, this.#archive.clock.now());
    assertSearchable(absolute);
    return this.#context.stamped(newRequest(this.#context.reader, absolute));
  }

  /** Withholds, redacts or includes a conversation or a question in what is made for a request. @throws {UsageError} */
  async decideForRequest(choices: Requests.DecisionChoices): Promise<RequestRecord> {
    const { decideForRequest } = await import('../archive/notes/change-requests.js');
    return this.#context.stamped(decideForRequest(this.#context.reader, choices));
  }

  /** Closes a request. Holds that were set for it stay in force, unless they are released with it. @throws {UsageError} */
  async closeRequest(choices: Requests.CloseChoices): Promise<Requests.ClosedRequest> {
    const { closeRequest } = await import('../archive/notes/change-requests.js');
    return this.#context.stamped(closeRequest(this.#context.reader, choices));
  }

  /** Every gap, also accepted ones. @param users default: everybody @throws {UsageError | IntegrityError} */
  async gaps(users?: readonly string[]): Promise<ListedGap[]> {
    const { listGaps } = await import('../archive/gaps.js');
    return listGaps(this.#context.reader, this.#context.signal, users);
  }

  /** Accepts the gaps that sessions have now: runs do not fail for them. @throws {UsageError} */
  async acceptGaps(choices: AcceptChoices): Promise<AcceptedGap[]> {
    const { acceptGaps } = await import('../archive/gaps.js');
    return this.#context.stamped(acceptGaps(this.#context.reader, choices));
  }

  /** Withdraws what `acceptGaps` has accepted: runs fail for it again. @throws {UsageError} */
  async withdrawGaps(choices: AcceptChoices): ReturnType<typeof WithdrawGaps> {
    const { withdrawGaps } = await import('../archive/gaps.js');
    return this.#context.stamped(withdrawGaps(this.#context.reader, choices));
  }

  /** Images that are what they should be, though several places have their bytes. */
  get acceptedImages(): AcceptedImages {
    return new AcceptedImages(this.#context);
  }

  /** The rows of an SQL query, in memory. Needs the optional package `@duckdb/node-api`. @throws {QueryError} */
  async query<R extends QueryRow = QueryRow>(sql: string, choices?: QueryChoices): Promise<R[]> {
    const { objectsOf } = await import('../query/result-objects.js');
    return (await this.queryResult(sql, objectsOf, choices)) as R[];
  }

  /** The same for many rows. @param use receives the result, which can be read until `use` resolves @throws {QueryError} */
  async queryResult<T>(
    sql: string,
    use: (result: QueryResult) => Promise<T>,
    choices: QueryChoices = {},
  ): Promise<T> {
    const { queryArchive } = await import('../query/query-archive.js');
    return queryArchive({ ...choices, ...this.#context.reading, sql }, use);
  }

  /** An example of each column of a table, as a text; a column that is empty in the first rows has none. @throws {UsageError} there is no such table */
  async examples(table: string): Promise<ReadonlyMap<string, string>> {
    const { exampleValues } = await import('../archive/reading/rows/example-values.js');
    return exampleValues(this.#context.reading, table);
  }

  /** The SQL that creates the tables and views of `query` in another DuckDB. */
  async views(options: Omit<ViewsOptions, 'signal'> = {}): Promise<ArchiveViews> {
    const { archiveViews } = await import('../query/views/archive-views.js');
    const { reader, signal } = this.#context;
    return archiveViews([reader], { ...options, signal });
  }

  /**
   * Finds jobs by their words: `"net revenue" rome OR berlin -draft`. Needs DuckDB, as `query` does.
   *
   * @param words default: those of the request, which takes no others; of one without words they are recorded
   * @param options.forRequest takes users and period from an open request, and records the search there
   * @throws {UsageError}
   */
  async search(words: string | undefined, options: SearchChoices = {}): Promise<SearchResult> {
    const { searchFor } = await import('./products.js');
    return searchFor(this.#context, words, options);
  }

  /** What qualifies an answer about these users and sessions, as a report of them has it. Only the log is read: no title is named, and no lost file is looked for. Default: everybody, at any time. */
  async caveats(scope: GivenScope = {}): Promise<Caveat[]> {
    const { caveatsOfScope } = await import('./caveats-of-scope.js');
    return caveatsOfScope(this.#context.reading, scope);
  }

  /** Serves the archive as the service would: the twelve operations, read-only, over what is archived. @throws {UsageError} a port cannot be had */
  async serve(options: Choices<ServeArchiveOptions> = {}): Promise<ServedArchive> {
    const { serveArchive } = await import('../restore/serve-archive.js');
    return serveArchive({ ...options, ...this.#context.reading });
  }

  /** Restores the archive from itself into a scratch archive, compares every row and file, and records that. @throws {UsageError} the scratch place is too small, or there is no session */
  async drill(choices: Pick<DrillOptions, 'sample' | 'scratch'> = {}): Promise<DrillReport> {
    const { drill } = await import('../restore/drill.js');
    // without a key, what cannot be recorded is told after the drill
    if (this.#archive.signer) await this.#archive.log.assertMayAppend();
    return this.#context.stamped(drill({ ...choices, ...this.#context.reading }));
  }

  /** The drills that the log has, in its order. @throws {IntegrityError} */
  async drills(): Promise<DrillRecord[]> {
    const { listDrills } = await import('../archive/log/drill-history.js');
    await this.#context.reader.index.refresh();
    return listDrills(this.#context.reader);
  }

  /**
   * Writes the archive as a web page.
   *
   * @param out a new or empty location; an earlier report in a directory is brought up to date: what has not changed is kept
   * @param choices.forRequest as that of `evidence`
   */
  async report(out: string, choices: ReportChoices = {}): Promise<ReportSummary> {
    const { reportFor } = await import('./products.js');
    return reportFor(this.#context, out, choices);
  }

  /**
   * Writes an evidence pack, a BagIt bag.
   *
   * @param out a new or empty location
   * @param choices.forRequest takes scope and words from an open request, which the pack names, and records the pack there
   * @throws {UsageError}
   */
  async evidence(out: string, choices: EvidenceChoices = {}): Promise<EvidenceSummary> {
    const { evidenceFor } = await import('./products.js');
    return evidenceFor(this.#context, out, choices);
  }

  /**
   * Writes a workbook of users; of everybody where `users` is empty.
   *
   * @param out `FILE.xlsx`; an existing file is replaced
   * @param choices.forRequest as that of `evidence`
   * @throws {UsageError}
   */
  async workbook(out: string, choices: WorkbookChoices): Promise<WorkbookSummary> {
    const { workbookFor } = await import('./products.js');
    return workbookFor(this.#context, out, choices);
  }

  /** Merges the small part files of each table and day, or month that is long over. @throws {SigningKeyError | SigningStartError | IntegrityError} */
  async compact(choices: CompactChoices = {}): Promise<CompactSummary> {
    const { compact } = await import('../rewrite/compaction/compact.js');
    await this.#archive.log.assertMayAppend();
    return this.#context.stamped(compact({ ...choices, ...this.#context.writing }));
  }

  /** Exports users from the archive's service into it. @throws {UsageError} an option is invalid */
  async export(choices: ExportChoices): Promise<ExportResult> {
    const { exportToArchive: exportToArchive } = await import('../export/export-to-archive.js');
    const { base_url: baseUrl, project } = this.identity.service;
    return exportToArchive({
      ...this.#context.options,
      ...choices,
      baseUrl,
      project: project ?? undefined,
      out: this.location,
    });
  }

  /** Removes users or sessions for good, also from the log. @throws {UsageError | ErasureHeldError} nothing is changed */
  async erase(choices: EraseChoices): Promise<EraseSummary> {
    const { eraseFromArchive } = await import('../rewrite/erasure/erase.js');
    const { toErase } = await import('./to-erase.js');
    const { named, forRequest } = await toErase(this.#context.writing, choices);
    const erasing = eraseFromArchive(this.#context.writing, named, forRequest);
    return choices.dryRun === true ? erasing : this.#context.stamped(erasing);
  }

  /** Exports skip from then on users or sessions that the archive does not have: erased before, or never archived. @throws {UsageError | ErasureHeldError} */
  async suppress(choices: SuppressChoices): Promise<SuppressSummary> {
    const { suppressOnly } = await import('../rewrite/erasure/suppress-only.js');
    const suppressing = suppressOnly(this.#context.writing, choices);
    return choices.dryRun === true ? suppressing : this.#context.stamped(suppressing);
  }

  /** Every suppression, in the order in which they were set; who it is, the archive does not know. */
  async suppressions(): Promise<Suppressions.ListedSuppression[]> {
    const { listSuppressions } = await import('../archive/notes/set-suppressions.js');
    return listSuppressions(this.#context.reader);
  }

  /** Exports archive again what `erase` with `suppress` has put on the list of those whom they skip. @throws {UsageError} */
  async unsuppress(choices: Suppressions.LiftChoices): Promise<Suppressions.LiftSummary> {
    const { liftSuppressions } = await import('../archive/notes/set-suppressions.js');
    const lifting = liftSuppressions(this.#context.reader, choices);
    return choices.dryRun === true ? lifting : this.#context.stamped(lifting);
  }

  /** The receipt of every erasure and expiry, in the order of the log. @throws {IntegrityError} */
  async erasures(): Promise<ListedErasure[]> {
    const { listErasures } = await import('../archive/erasing/erasures.js');
    return listErasures(this.#context.reader);
  }

  /** Sets how long everything is kept at least: `expire` takes nothing younger. @throws {UsageError} */
  async setMinRetention(choices: RetentionChoices): Promise<RetentionChange> {
    const { setMinRetention } = await import('../archive/notes/change-retention.js');
    return this.#context.stamped(setMinRetention(this.#context.reader, choices));
  }

  /** Erases the sessions that have expired, with one receipt for all; with `dryRun` only plans. @throws {UsageError} */
  async expire(choices: ExpireChoices): Promise<ExpireSummary> {
    const { expire } = await import('../rewrite/expiry/expire.js');
    const expiring = expire(this.#context.writing, choices);
    return choices.dryRun === true ? expiring : this.#context.stamped(expiring);
  }

  /** Copies the archive, or updates a copy, and verifies it. @throws {UsageError} the target is no copy of this archive */
  async copyTo(target: string, choices: CopyChoices = {}): Promise<CopySummary> {
    const { copyTo } = await import('./copies.js');
    return copyTo(this.#context, target, choices);
  }

  /** Makes a copy in an empty place without names, with keyed digests for ids, and verifies it. @throws {UsageError} */
  async pseudonymiseTo(
    target: string,
    choices: PseudonymisedChoices,
  ): Promise<PseudonymiseSummary> {
    const { pseudonymiseTo } = await import('./copies.js');
    return pseudonymiseTo(this.#context, target, choices);
  }

  /** Lists the sessions that could be deleted from the service, and why the others cannot. Changes nothing. */
  async planPrune(choices: PlanOptions = {}): Promise<PrunePlan> {
    const { planPrune } = await import('../prune/plan/plan-prune.js');
    return planPrune({ ...choices, ...this.#context.writing });
  }

  /** Deletes sessions from the service that the rules select and that are provably archived. If it ends early, `error` says why. @throws {UsageError} it is another service than the archive's, no rule is given, or the plan has expired */
  async prune(choices: PruneChoices): Promise<PruneResult> {
    const { pruneArchive } = await import('../prune/prune-archive.js');
    return this.#context.stamped(pruneArchive({ ...choices, ...this.#context.writing }));
  }

  async close(): Promise<void> {
    await this.#archive.storage.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
