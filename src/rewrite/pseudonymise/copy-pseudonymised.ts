/**
 * Makes a pseudonymised copy of an archive: an archive of its own, with its own log, for people who may not read whose
 * conversations it has. It is written anew, row by row: commits of the archive hold ids and hashes, so none is copied.
 */
import { type Archive, archiveOf, currentContents } from '../../archive/archive.js';
import { IntegrityError } from '../../archive/archive-errors.js';
import { assertErasuresFinished } from '../../archive/erasures.js';
import { isOfFileManager } from '../../archive/unnamed-objects.js';
import { encodeIdentity, type ArchiveIdentity } from '../../archive/identity.js';
import type { AcceptedEntry, JobLine, SessionEntry, UserEntry } from '../../archive/log/commit.js';
import { openArchiveIn, readIdentity } from '../../archive/open-archive.js';
import { readConsistently } from '../../archive/consistent-read.js';
import {
  commitPath,
  COMMITS_PREFIX,
  COPY_MARKER_PATH,
  deltaObjectOf,
  IDENTITY_PATH,
} from '../../archive/paths.js';
import type { RequestRecord } from '../../archive/log/request-history.js';
import type { ViewedSession, ViewedUser } from '../../archive/reading/archive-view.js';
import { caveatsOf, type Caveat } from '../../archive/reading/caveats/caveat.js';
import { completenessOf } from '../../archive/reading/caveats/caveat-text.js';
import type { Completeness } from '../../archive/reading/caveats/completeness.js';
import { remarksByLog } from '../../archive/reading/caveats/job-remarks.js';
import type { ListedAgain, OtherSpelling } from '../../archive/reading/listed-again.js';
import { isLive } from '../../archive/state/archived-session.js';
import type { GivenScope } from '../../archive/reading/scope.js';
import type { Selection } from '../../archive/reading/selection.js';
import {
  GatheredRows,
  type SessionToGather,
  rowsOfTable,
} from '../../archive/reading/selected-rows.js';
import { sessionVersions } from '../../archive/reading/session-rows.js';
import { acquireLease, type Lease, decodeLeaseNote } from '../../archive/runs/lease.js';
import { RowsToCommit } from '../../archive/runs/rows-to-commit.js';
import type { SessionState } from '../../archive/state/user-state.js';
import { verifyArchive } from '../../archive/verify/verify.js';
import { nowMicros } from '../../base/runtime.js';
import { ulid } from '../../base/ulid.js';
import { UsageError } from '../../base/error.js';
import { asRunId, rowId, type RunId, type SessionId, type UserId } from '../../model/ids.js';
import { textIn } from '../../model/mask-secrets.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import { datasetsTable, TABLES } from '../../model/tables.js';
import { type Storage } from '../../storage/storage.js';
import { deleteObjects, getIfThere } from '../../storage/small-objects.js';
import { makeTemporaryDirectory } from '../../storage/local/temporary-directory.js';
import type { StorageOptions } from '../../storage/open-storage.js';
import { Making, summedUser } from '../../making/making.js';
import type { SearchChoice } from '../../search/search-choice.js';
import type { SearchFacts } from '../../search/search-facts.js';
import { lacksOfCopy } from './copy-lacks.js';
import { Pseudonyms } from './pseudonyms.js';

export interface PseudonymiseChoices {
  /** At least 32 bytes; never written. The same key gives the same digests in another copy. */
  readonly key: Uint8Array;
  /** Whether questions, answers, code and names of files stay as they are. Default: they are dropped. */
  readonly keepText?: boolean | undefined;
  /** Whether times of questions stay as they are. Default: they become days. */
  readonly keepTimes?: boolean | undefined;
  /** How to access the target. Default: as the archive. */
  readonly storage?: StorageOptions | undefined;
}

/** The part of an archive that a copy for a request has. */
export interface PseudonymisedPart {
  readonly request: RequestRecord;
  /** Its users, words and period. */
  readonly choice: SearchChoice & GivenScope;
}

export interface PseudonymiseSummary {
  /** How whole it is as the answer to its request; `complete` of all of the archive, which is copied as it is. */
  readonly status: Completeness;
  /** What qualifies that answer, what is missing first; nothing of all of the archive. */
  readonly caveats: readonly Caveat[];
  readonly archive: string;
  readonly target: string;
  /** Number of the newest commit of the archive that is in the copy; 0 if the log is empty. */
  readonly through: number;
  /** How many commits the copy's own log has. */
  readonly commits: number;
  readonly users: number;
  readonly sessions: number;
  readonly jobs: number;
  readonly rows: number;
  readonly texts: 'dropped' | 'kept';
  readonly times: 'days' | 'kept';
  /** The name of the request that it is made for; null of all of the archive. */
  readonly request: string | null;
  /** Null where no words or period narrow it. */
  readonly search: SearchFacts | null;
  /** Questions that decisions of the request leave out, or show without their texts. */
  readonly withheld: number;
  readonly redacted: number;
  /** Users of the archive who are spellings of one whom the request names: nothing of them is in the copy. */
  readonly other_spellings: readonly OtherSpelling[];
  /** The digest of the newest commit of the copy's log, and so of all that is in it. */
  readonly digest: string;
  readonly duration_ms: number;
}

interface PseudonymiseOptions extends Omit<PseudonymiseChoices, 'storage'> {
  /** Default: all of the archive. */
  readonly part?: PseudonymisedPart | undefined;
  readonly signal: AbortSignal;
}

/** Then a commit is due. */
const MAX_PENDING_BYTES = 256e6;
const MAX_PENDING_JOBS = 10_000;
/** The tables of sessions; datasets are nobody's own. */
const TABLES_OF_SESSIONS = TABLES.filter(
  (table) => !table.isConfidential && table !== datasetsTable,
);

/**
 * Writes the copy, and verifies it. If that fails, nothing of it stays; what a killed run has left, the next one removes.
 *
 * @param target an empty place
 * @throws {UsageError} the key is too short, the target is not empty, or the archive is such a copy itself
 * @throws {ErasureUnfinishedError} an erasure is running: copy the archive afterwards
 * @throws {RewrittenMeanwhileError} the archive was rewritten meanwhile: copy it again
 * @throws {IntegrityError} the archive is damaged
 */
export async function copyPseudonymised(
  archive: Archive,
  target: Storage,
  options: PseudonymiseOptions,
): Promise<PseudonymiseSummary> {
  const { key, keepText = false, keepTimes = false, signal } = options;
  const { clock, random } = archive;
  const startedAt = clock.monotonic();
  const run = asRunId(ulid(clock, random));
  const at = nowMicros(clock);
  const pseudonyms = new Pseudonyms({ key, run, keepText, keepTimes });
  if (archive.identity.pseudonymised) {
    throw new UsageError(`${archive.storage.location} is a pseudonymised copy already`);
  }
  const lease = await takePlace(target, run, archive, signal);
  try {
    const counts = await readConsistently(archive, 'copy', async () => {
      await currentContents(archive);
      await assertErasuresFinished(archive);
      return new Copy(archive, target, {
        ...options,
        keepText,
        keepTimes,
        run,
        at,
        pseudonyms,
      }).write();
    });
    return {
      archive: archive.storage.location,
      target: target.location,
      ...counts,
      texts: keepText ? 'kept' : 'dropped',
      times: keepTimes ? 'kept' : 'days',
      request: options.part?.request.name ?? null,
      duration_ms: Math.round(clock.monotonic() - startedAt),
    };
  } catch (error) {
    await removeOwn(target, run);
    throw error;
  } finally {
    await lease.release();
  }
}

/**
 * Takes an empty place for this run, or one with what a run has left that died there, which is removed: the lease, with
 * its run, stays until a copy is proven.
 *
 * @throws {LeaseHeldError} a copy is being made there
 * @throws {UsageError} the place has something else
 */
async function takePlace(
  target: Storage,
  run: RunId,
  archive: Archive,
  signal: AbortSignal,
): Promise<Lease> {
  const marker = await getIfThere(target, COPY_MARKER_PATH);
  const begun = marker && decodeLeaseNote(marker);
  if (!begun) await assertEmpty(target);
  const lease = await acquireLease({
    ...archive,
    storage: target,
    path: COPY_MARKER_PATH,
    run,
    signal,
    subject: `the copy in ${target.location}`,
    wait: 'term',
  });
  try {
    if (begun) {
      archive.logger.info({ run: begun.run }, 'removing what a copy has left that died here');
      await removeOwn(target, begun.run);
      await target.sweep();
    }
    await assertEmpty(target, COPY_MARKER_PATH);
    return lease;
  } catch (error) {
    await lease.release();
    throw error;
  }
}

/** @param except a path that may be there */
async function assertEmpty(target: Storage, except?: string): Promise<void> {
  for await (const { path } of target.list('')) {
    if (isOfFileManager(path) || path === except) continue;
    throw new UsageError(
      `${target.location} is not empty (it holds ${path}): a pseudonymised copy is always made as a whole; choose an empty place`,
    );
  }
}

/** What the run has written; nothing, where somebody has made an archive there meanwhile. */
async function removeOwn(target: Storage, run: RunId): Promise<void> {
  const identity = await readIdentity(target);
  const first = await getIfThere(target, commitPath(1));
  if (identity && !(first && Buffer.from(first).includes(run))) return;
  const written: string[] = [];
  for await (const { path } of target.list('')) {
    const isOwn =
      path === IDENTITY_PATH ||
      path.startsWith(COMMITS_PREFIX) ||
      deltaObjectOf(path) !== undefined ||
      path.includes(run);
    if (isOwn) written.push(path);
  }
  await deleteObjects(target, written);
}

interface Gathered extends SessionToGather {
  readonly state: SessionState;
}

interface CopyingOptions extends PseudonymiseOptions {
  readonly keepText: boolean;
  readonly keepTimes: boolean;
  readonly run: RunId;
  /** Microseconds since 1970 UTC. */
  readonly at: bigint;
  readonly pseudonyms: Pseudonyms;
}

/** What the next commit will have. */
class Pending {
  readonly sessions: SessionEntry[] = [];
  readonly jobs: JobLine[] = [];

  constructor(readonly parts: RowsToCommit) {}
}

class Copy {
  readonly #archive: Archive;
  #identity: ArchiveIdentity;
  #target: Archive;
  readonly #options: CopyingOptions;
  readonly #day: string;
  #commits = 0;
  #rows = 0;

  constructor(archive: Archive, target: Storage, options: CopyingOptions) {
    const { at, keepText, keepTimes } = options;
    const { clock, random, tool } = archive;
    const { service, formats } = archive.identity;
    const createdAt = new Date(Number(at / 1000n)).toISOString();
    this.#archive = archive;
    this.#options = options;
    this.#day = createdAt.slice(0, 10);
    this.#identity = {
      format: 1,
      id: ulid(clock, random),
      made_by: tool,
      created_at: createdAt,
      // a label may name somebody
      service: { base_url: service.base_url, project: null },
      // a workbook is made of the same rows: whoever wants one makes it
      formats: formats.filter((format) => format !== 'xlsx'),
      pseudonymised: {
        texts: keepText ? 'kept' : 'dropped',
        times: keepTimes ? 'kept' : 'days',
        ...(options.part && { part: true }),
      },
    };
    this.#target = archiveOf(target, this.#identity, { ...archive, signer: undefined });
  }

  async write(): Promise<
    Omit<PseudonymiseSummary, 'archive' | 'target' | 'texts' | 'times' | 'request' | 'duration_ms'>
  > {
    const { part, pseudonyms, signal } = this.#options;
    const of = { ...part?.choice, archive: this.#archive, request: part?.request, signal };
    const making = await Making.of(of, 'copy');
    const { view, selection, found, rows, reading } = making;
    const decided = { withhold: 0, redact: 0, include: 0 };
    const sessions: Gathered[] = [];
    const users: UserEntry[] = [];
    const accepted: AcceptedEntry[] = [];
    const known = new Set<string>();
    let jobs = 0;
    for await (const ofUser of view.users()) {
      const { user } = ofUser;
      reading.add(summedUser(ofUser));
      // as the status of the copy counts: of whom nothing is in it, it knows nothing
      if (ofUser.sessions.length > 0) known.add(user);
      for (const { decision, jobs: count } of ofUser.decided ?? []) {
        decided[decision.decision] += count;
      }
      for (const viewed of ofUser.sessions) {
        const { session } = viewed;
        const state = this.#options.part ? partOf(viewed, user, selection) : viewed.state;
        jobs += state.jobs.size;
        sessions.push({ user: rowId(user), session: rowId(session), jobs: state.jobs.size, state });
        accepted.push(...this.#acceptedOf(user, session, state));
      }
      const listing = view.listings.get(user);
      // what an erasure may have left of a listing proves nothing
      if (!listing || !isListingWhole(ofUser, view.listings.erasedSince(user))) continue;
      const elsewhere = selection.listedAgain.filter((again) => again.user === user);
      const entry = this.#options.part
        ? listingOfPart(listing.entry, ofUser.sessions.length)
        : afterErasures(without(listing.entry, await this.#listed(user, elsewhere)), ofUser);
      // what is listed no more is here under another spelling: it would read as if nothing had ever been listed
      const isHere = ofUser.sessions.length > 0 || listing.entry.listed > 0;
      if (!isHere && elsewhere.length > 0) continue;
      users.push(pseudonyms.userEntry(entry, ofUser.isProven || ofUser.erasure?.isAll === true));
      known.add(user);
    }
    if (part) this.#noteLacks(caveatsOf(reading));
    // not in the order of the original, which may be that of a list of names
    sessions.sort(
      byPseudonym(({ user, session }) => [pseudonyms.user(user), pseudonyms.session(session)]),
    );
    users.sort(byPseudonym(({ user }) => [user]));
    const temporary = await makeTemporaryDirectory();
    let pending = this.#pending();
    try {
      const tables = TABLES_OF_SESSIONS;
      const gathered = await GatheredRows.of(rows, sessions, {
        tables,
        target: temporary.storage,
        signal,
      });
      for await (const { session, rows: sessionRows } of gathered.sessions()) {
        signal.throwIfAborted();
        const [newest = {}] = sessionVersions(sessionRows);
        making.tell(session, { name: textIn(newest, 'name'), remarks: remarksOf(session) });
        this.#addEntries(pending, session);
        for (const table of tables)
          await this.#add(pending, table, sessionRows.get(table.name) ?? []);
        const isDue =
          pending.jobs.length >= MAX_PENDING_JOBS ||
          pending.parts.pendingBytes >= MAX_PENDING_BYTES;
        if (!isDue) continue;
        await this.#commit(pending, []);
        pending = this.#pending();
      }
      await this.#add(
        pending,
        datasetsTable,
        await newestDatasets({ archive: this.#archive, signal }),
      );
      await this.#commit(pending, users);
      await this.#accept(accepted);
    } finally {
      await pending.parts.discard();
      await temporary.remove();
    }
    if (await this.#archive.delta.isThere()) await this.#target.delta.publish({ begin: true });
    const { storage } = this.#target;
    if (!(await storage.putIfAbsent(IDENTITY_PATH, encodeIdentity(this.#identity)))) {
      throw new UsageError(`another archive was made in ${storage.location} meanwhile`);
    }
    await prove(this.#target, signal);
    const { digest = '' } = (await this.#target.log.head()) ?? {};
    const caveats = part ? caveatsOf(reading) : [];
    return {
      status: completenessOf(caveats),
      caveats,
      through: this.#archive.index.asOf(view.head?.number ?? 0)?.number ?? 0,
      commits: this.#commits,
      users: known.size,
      sessions: sessions.length,
      jobs,
      rows: this.#rows,
      search: found?.facts ?? null,
      withheld: decided.withhold,
      redacted: decided.redact,
      other_spellings: selection.otherSpellings,
      digest,
    };
  }

  /** Before the first commit, which has the identity. @param caveats what qualifies the copy as it is */
  #noteLacks(caveats: readonly Caveat[]): void {
    const { pseudonymised } = this.#identity;
    const lacks = lacksOfCopy(caveats);
    if (!pseudonymised || lacks.length === 0) return;
    this.#identity = { ...this.#identity, pseudonymised: { ...pseudonymised, lacks } };
    const { storage } = this.#target;
    this.#target = archiveOf(storage, this.#identity, { ...this.#archive, signer: undefined });
  }

  #pending(): Pending {
    const [archive, checkpoint] = [this.#target, this.#commits + 1];
    return new Pending(
      new RowsToCommit({ archive, run: this.#options.run, day: this.#day, checkpoint }),
    );
  }

  #addEntries(pending: Pending, { user, session, state }: Gathered): void {
    const { pseudonyms } = this.#options;
    pending.sessions.push(pseudonyms.sessionEntry(user, session, state));
    for (const [job, jobState] of [...state.jobs, ...state.withdrawn]) {
      pending.jobs.push(pseudonyms.jobLine(user, session, job, jobState));
    }
  }

  /** Acceptances of gaps that the session has. */
  #acceptedOf(user: UserId, session: SessionId, { gaps }: SessionState): AcceptedEntry[] {
    const { index, clock, random } = this.#archive;
    const { pseudonyms } = this.#options;
    return gaps.flatMap((gap) => {
      const record = index.acceptedGaps.find(user, session, gap);
      return record ? [pseudonyms.acceptedEntry(record, gap, ulid(clock, random))] : [];
    });
  }

  /** How many of these sessions the service should still list for the user. */
  async #listed(user: UserId, sessions: readonly ListedAgain[]): Promise<number> {
    if (sessions.length === 0) return 0;
    const { states, index } = this.#archive;
    const state = await states.loadAsOf(user, index.through);
    return sessions.filter(({ session }) => {
      const known = state.sessions.get(session);
      return known !== undefined && isLive(known);
    }).length;
  }

  async #accept(accepted: readonly AcceptedEntry[]): Promise<void> {
    if (accepted.length === 0) return;
    const { log, tool } = this.#target;
    await log.append({
      kind: 'accept',
      base: this.#commits,
      run: this.#options.run,
      checkpoint: this.#commits + 1,
      tool,
      scope: {},
      accepted: accepted.toSorted(byPseudonym(({ user, session }) => [user, session])),
    });
    this.#commits++;
  }

  async #add({ parts }: Pending, table: TableSchema, rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    this.#rows += rows.length;
    await parts.write(
      table,
      rows.map((row) => this.#options.pseudonyms.row(table, row)),
    );
  }

  async #commit({ parts, sessions, jobs }: Pending, users: readonly UserEntry[]): Promise<void> {
    const draft = {
      kind: 'export',
      base: this.#commits,
      scope: {},
      sessions,
      jobs,
      users,
    } as const;
    await parts.commit({ draft: () => Promise.resolve(draft) });
    this.#commits++;
  }
}

/** A session with the jobs that are in scope alone, and their gaps; of what is redacted, no hash is of its text. */
function partOf(
  { session, state, gaps }: ViewedSession,
  user: UserId,
  selection: Selection,
): SessionState {
  const { decisions } = selection;
  const inScope = (jobs: SessionState['jobs']): SessionState['jobs'] => {
    const chosen = [...jobs].filter(([job]) => selection.hasJob(user, session, job));
    return new Map(
      chosen.map(([job, jobState]) => {
        const isShown = decisions.ofJob(session, job) === undefined;
        // the log wants a hash of each
        return [job, isShown ? jobState : { ...jobState, hash: job }];
      }),
    );
  };
  const [jobs, withdrawn] = [inScope(state.jobs), inScope(state.withdrawn)];
  const metaHash = decisions.hidesName(session) ? '' : state.metaHash;
  return { ...state, metaHash, jobs, withdrawn, gaps: [...gaps] };
}

/** What the log tells that qualifies questions of a session. */
function remarksOf({ state }: Gathered) {
  return [...state.jobs].flatMap(([job, jobState]) => remarksByLog(rowId(job), jobState, state));
}

/** Whether it is certain which sessions of the user's listing were erased since: none, or as many as are missing. */
function isListingWhole({ isProven, erasure }: ViewedUser, erasedSince: number | null): boolean {
  return erasedSince === 0 || (erasure ? erasure.atMost === 0 : isProven);
}

/** A copy of a part has what is listed: it says itself that it is a part, and what was erased. */
function listingOfPart(entry: UserEntry, sessions: number): UserEntry {
  const total = entry.total_items === null ? null : sessions;
  const part: { -readonly [Key in keyof UserEntry]: UserEntry[Key] } = {
    ...entry,
    listed: sessions,
    total_items: total,
  };
  delete part.erased;
  return part;
}

/** As the next export would list the user: sessions that are certainly erased are counted apart. */
function afterErasures(entry: UserEntry, { erasure }: Pick<ViewedUser, 'erasure'>): UserEntry {
  const erased = erasure?.missing ?? 0;
  const since = erased - (entry.erased ?? 0);
  return since <= 0 ? entry : { ...without(entry, since), erased };
}

/** A listing without sessions that are in the copy under another spelling of the user. */
function without(entry: UserEntry, sessions: number): UserEntry {
  if (sessions === 0) return entry;
  const { listed, total_items: total } = entry;
  return {
    ...entry,
    listed: Math.max(0, listed - sessions),
    total_items: total === null ? null : Math.max(0, total - sessions),
  };
}

/** Every run that archives datasets writes all of them; of runs of one day the copy could not tell which was the last. */
async function newestDatasets(reading: Parameters<typeof rowsOfTable>[0]): Promise<Row[]> {
  const newest = new Map<unknown, Row>();
  for await (const row of rowsOfTable(reading, datasetsTable)) {
    const known = newest.get(row['dataset_id']);
    const isOlder = Number(known?.['exported_at'] ?? 0) > Number(row['exported_at']);
    if (!isOlder) newest.set(row['dataset_id'], row);
  }
  return [...newest.values()];
}

function byPseudonym<T>(idsOf: (element: T) => readonly string[]): (a: T, b: T) => number {
  return (a, b) => (idsOf(a).join(' ') < idsOf(b).join(' ') ? -1 : 1);
}

/** @throws {IntegrityError} */
async function prove(target: Archive, signal: AbortSignal): Promise<void> {
  const { problems } = await verifyArchive(await openArchiveIn(target.storage, target), { signal });
  const [first] = problems;
  if (first) throw new IntegrityError(first.path, first.problem, first.detail);
}
