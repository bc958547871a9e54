/** Writes a pseudonymised copy, row by row: first what the log tells of it, then its rows, its identity last. */
import { type Archive, archiveOf } from '../../archive/archive.js';
import { IntegrityError } from '../../archive/archive-errors.js';
import { encodeIdentity, type ArchiveIdentity } from '../../archive/identity.js';
import type { AcceptedEntry, JobLine, SessionEntry, UserEntry } from '../../archive/log/commit.js';
import { openArchiveIn } from '../../archive/open-archive.js';
import { IDENTITY_PATH } from '../../archive/paths.js';
import type { ArchiveView, ViewedUser } from '../../archive/reading/archive-view.js';
import { caveatsOf, type Caveat } from '../../archive/reading/caveats/caveat.js';
import { completenessOf } from '../../archive/reading/caveats/caveat-text.js';
import { remarksByLog } from '../../archive/reading/caveats/job-remarks.js';
import type { ListedAgain } from '../../archive/reading/users/listed-again.js';
import { NewestSessions } from '../../archive/reading/newest-sessions.js';
import { wasListed } from '../../archive/reading/users/user-listings.js';
import {
  GatheredRows,
  type SessionToGather,
  rowsOfTable,
} from '../../archive/reading/rows/selected-rows.js';
import { sessionVersions } from '../../archive/reading/rows/session-rows.js';
import { RowsToCommit } from '../../archive/runs/rows-to-commit.js';
import { isLive } from '../../archive/state/archived-session.js';
import type { SessionState } from '../../archive/state/user-state.js';
import { verifyArchive } from '../../archive/verify/verify.js';
import { UsageError } from '../../base/error.js';
import { ulid } from '../../base/ulid.js';
import { Making, summedUser } from '../../making/making.js';
import { rowId, type RunId, type SessionId, type UserId } from '../../model/ids.js';
import { textIn } from '../../model/mask-secrets.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import { datasetsTable, jobsTable, TABLES } from '../../model/tables.js';
import { makeTemporaryDirectory } from '../../storage/local/temporary-directory.js';
import type { Storage } from '../../storage/storage.js';
import { lacksOfCopy } from './copy-lacks.js';
import {
  afterErasures,
  isListingWhole,
  listingOfPart,
  withoutSessions,
} from './listings-in-copy.js';
import { bounded, type JobTimes, timesBeside } from './bounds-in-copy.js';
import { partOf } from './part-of-session.js';
import type { PseudonymiseOptions, PseudonymiseSummary } from './pseudonymise-options.js';
import type { Pseudonyms } from './pseudonyms.js';

/** Then a commit is due. */
const MAX_PENDING_BYTES = 256e6;
const MAX_PENDING_JOBS = 10_000;
/** The tables of sessions; datasets are nobody's own. */
const TABLES_OF_SESSIONS = TABLES.filter(
  (table) => !table.isConfidential && table !== datasetsTable,
);

/** What is known of the copy before its rows are read. */
class Gathered {
  readonly sessions: SessionInCopy[] = [];
  readonly users: UserEntry[] = [];
  readonly accepted: AcceptedEntry[] = [];
  /** The users who have conversations, perhaps in it under another spelling, by `personOf`. */
  readonly people = new Map<UserId, UserId[]>();
  /** The people who have any in it. */
  readonly counted = new Set<UserId>();
  readonly decided = { withhold: 0, redact: 0, include: 0 };
}

interface SessionInCopy extends SessionToGather {
  readonly state: SessionState;
  /** When the archive knows that its questions were asked; undefined where the ids of all tell it. */
  readonly times: JobTimes | undefined;
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

  get isDue(): boolean {
    return this.jobs.length >= MAX_PENDING_JOBS || this.parts.pendingBytes >= MAX_PENDING_BYTES;
  }
}

/** What is told of the copy once it is written. */
type Written = Omit<
  PseudonymiseSummary,
  'archive' | 'target' | 'texts' | 'times' | 'request' | 'duration_ms'
>;

export class Copy {
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

  async write(): Promise<Written> {
    const { part, signal } = this.#options;
    const making = await Making.of(
      { ...part?.choice, archive: this.#archive, request: part?.request, signal },
      'copy',
    );
    const gathered = await this.#gather(making);
    this.#note(gathered, caveatsOf(making.reading));
    await this.#writeRows(making, gathered);
    await this.#finish();
    const { view, selection, found, reading } = making;
    const { digest = '' } = (await this.#target.log.head()) ?? {};
    const caveats = part ? caveatsOf(reading) : [];
    return {
      status: completenessOf(caveats),
      caveats,
      through: this.#archive.index.asOf(view.head?.number ?? 0)?.number ?? 0,
      commits: this.#commits,
      users: gathered.counted.size,
      sessions: gathered.sessions.length,
      jobs: gathered.sessions.reduce((sum, { state }) => sum + state.jobs.size, 0),
      rows: this.#rows,
      search: found?.facts ?? null,
      withheld: gathered.decided.withhold,
      redacted: gathered.decided.redact,
      other_spellings: selection.otherSpellings,
      digest,
    };
  }

  /** From the log: whom and what the copy has. */
  async #gather({ view, selection, reading }: Making): Promise<Gathered> {
    const { part, signal } = this.#options;
    const gathered = new Gathered();
    const through = view.head?.number ?? 0;
    const newest = await NewestSessions.of(this.#archive.index, { through, signal });
    for await (const ofUser of view.users()) {
      const { user } = ofUser;
      reading.add(summedUser(ofUser));
      const elsewhere = selection.listedAgain.filter((again) => again.user === user);
      const person = selection.spellings.personOf(user);
      if (ofUser.sessions.length > 0) gathered.counted.add(person);
      if (ofUser.sessions.length + elsewhere.length > 0) {
        gathered.people.set(person, [...(gathered.people.get(person) ?? []), user]);
      }
      for (const { decision, jobs } of ofUser.decided ?? []) {
        gathered.decided[decision.decision] += jobs;
      }
      // what is not in the copy may bound what is
      const whole = part
        ? (await this.#archive.states.loadAsOf(user, through)).sessions
        : new Map<SessionId, SessionState>();
      for (const viewed of ofUser.sessions) {
        const { session } = viewed;
        const known = part ? partOf(viewed, user, selection) : viewed.state;
        // the copy has no record of a deletion: as for any other, the service has the session no more
        const goneAt = known.goneAt ?? newest.get(user, session)?.deletedAt ?? null;
        const state = { ...known, goneAt };
        const jobs = state.jobs.size;
        const times = timesBeside(whole.get(session) ?? viewed.state);
        gathered.sessions.push({ user: rowId(user), session: rowId(session), jobs, state, times });
        gathered.accepted.push(...this.#acceptedOf(user, session, state));
      }
      const entry = this.#listingOf(ofUser, view, { elsewhere, newest });
      if (entry) gathered.users.push(entry);
    }
    // not in the order of the original, which may be that of a list of names
    const { pseudonyms } = this.#options;
    gathered.sessions.sort(
      byPseudonym(({ user, session }) => [pseudonyms.user(user), pseudonyms.session(session)]),
    );
    gathered.users.sort(byPseudonym(({ user }) => [user]));
    return gathered;
  }

  /** Undefined where the copy has no listing of the user. */
  #listingOf(
    ofUser: ViewedUser,
    { listings }: ArchiveView,
    {
      elsewhere,
      newest,
    }: {
      /** Sessions of the user that the copy has under another spelling. */
      readonly elsewhere: readonly ListedAgain[];
      readonly newest: NewestSessions;
    },
  ): UserEntry | undefined {
    const { user, sessions } = ofUser;
    const listing = listings.get(user);
    // what an erasure may have left of a listing proves nothing
    if (!listing || !isListingWhole(ofUser)) return undefined;
    // a part where all was erased would read as if nothing had ever been listed
    const { complete, listed, erased = 0, suppressed = 0 } = listing.entry;
    const isErased = erased > 0 && !this.#options.part;
    const isHere = sessions.length + elsewhere.length + listed + suppressed > 0 || isErased;
    // one that failed is a gap, whatever the archive has of the user
    if (complete && !isHere && !ofUser.isNeverSeen) return undefined;
    const listedElsewhere = elsewhere.filter(({ session }) => {
      const known = newest.get(user, session);
      if (!known) return false;
      const { goneAt, deletedAt } = known;
      const isThere = isLive({ goneAt, deleted: deletedAt !== null });
      return isThere || wasListed(this.#archive.index, known, listing.commit);
    });
    const entry = this.#options.part
      ? listingOfPart(listing.entry, sessions.length)
      : afterErasures(withoutSessions(listing.entry, listedElsewhere.length), ofUser);
    const isProven = ofUser.isProven || ofUser.erasure?.isAll === true;
    return this.#options.pseudonyms.userEntry(entry, isProven);
  }

  async #writeRows(making: Making, { sessions, users, accepted }: Gathered): Promise<void> {
    const { signal } = this.#options;
    const temporary = await makeTemporaryDirectory();
    let pending = this.#pending();
    try {
      const tables = TABLES_OF_SESSIONS;
      const target = temporary.storage;
      const gathered = await GatheredRows.of(making.rows, sessions, { tables, target, signal });
      for await (const { session, rows } of gathered.sessions()) {
        signal.throwIfAborted();
        const [newest = {}] = sessionVersions(rows);
        making.tell(session, { name: textIn(newest, 'name'), remarks: remarksOf(session) });
        this.#addEntries(pending, session);
        for (const table of tables) {
          const own = rows.get(table.name) ?? [];
          const { times } = session;
          await this.#add(pending, table, table === jobsTable && times ? bounded(own, times) : own);
        }
        if (!pending.isDue) continue;
        await this.#commit(pending, []);
        pending = this.#pending();
      }
      const datasets = await newestDatasets({ archive: this.#archive, signal });
      await this.#add(pending, datasetsTable, datasets);
      await this.#commit(pending, users);
      await this.#accept(accepted);
    } finally {
      await pending.parts.discard();
      await temporary.remove();
    }
  }

  /** With its identity the copy is an archive. */
  async #finish(): Promise<void> {
    if (await this.#archive.delta.isThere()) await this.#target.delta.publish({ begin: true });
    const { storage } = this.#target;
    if (!(await storage.putIfAbsent(IDENTITY_PATH, encodeIdentity(this.#identity)))) {
      throw new UsageError(`another archive was made in ${storage.location} meanwhile`);
    }
    await prove(this.#target, this.#options.signal);
  }

  /** Before the first commit, which has the identity. @param caveats what qualifies what it is made of */
  #note(gathered: Gathered, caveats: readonly Caveat[]): void {
    const { pseudonymised } = this.#identity;
    const { pseudonyms } = this.#options;
    const lacks = lacksOfCopy(caveats, this.#options.part !== undefined);
    const people = [...gathered.people]
      .filter(([, { length }]) => length > 1)
      .map(([person, spelt]) => {
        const first = spelt.filter((user) => user === person);
        const others = spelt.filter((user) => user !== person);
        const ids = (some: readonly UserId[]) => some.map((user) => pseudonyms.user(rowId(user)));
        return [...ids(first), ...ids(others).toSorted()];
      })
      .toSorted(byPseudonym((ids) => ids));
    if (!pseudonymised || lacks.length + people.length === 0) return;
    this.#identity = {
      ...this.#identity,
      pseudonymised: {
        ...pseudonymised,
        ...(lacks.length > 0 && { lacks }),
        ...(people.length > 0 && { people }),
      },
    };
    const { storage } = this.#target;
    this.#target = archiveOf(storage, this.#identity, { ...this.#archive, signer: undefined });
  }

  #pending(): Pending {
    const [archive, checkpoint] = [this.#target, this.#commits + 1];
    return new Pending(
      new RowsToCommit({ archive, run: this.#options.run, day: this.#day, checkpoint }),
    );
  }

  #addEntries(pending: Pending, { user, session, state }: SessionInCopy): void {
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
      if (!record) return [];
      // accepted under another spelling, it is of the one whose session the copy has
      return [pseudonyms.acceptedEntry({ ...record, user }, gap, ulid(clock, random))];
    });
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
    await parts.commit(draft);
    this.#commits++;
  }
}

/** What the log tells that qualifies questions of a session. */
function remarksOf({ state }: SessionInCopy) {
  return [...state.jobs].flatMap(([job, jobState]) => remarksByLog(rowId(job), jobState, state));
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
