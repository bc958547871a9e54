/** Computes the status of an archive: counts by user, the last runs and laps. Reads the log and the laps. */
import { NamedArtifacts } from '../archive/objects/named-artifacts.js';
import type { Archive } from '../archive/archive.js';
import { erasureCounts, type ErasureCounts } from '../archive/erasing/erasures.js';
import { lostCommit } from '../archive/witnesses/cut-log.js';
import type { CopyLack } from '../archive/identity.js';
import { listBesideRows } from '../archive/objects/unnamed-objects.js';
import type { SharedSessions } from '../archive/histories/session-owners.js';
import type { CommitRef } from '../archive/log/commit-log.js';
import { lostOfRequest, type RequestWork, workFor } from '../archive/notes/change-requests.js';
import type { RetentionFloor } from '../archive/log/retention-floor.js';
import type { DrillRecord } from '../archive/log/drill-history.js';
import type { RunStatus } from '../archive/state/run-history.js';
import { openRuns } from '../archive/runs/queued-runs.js';
import { deletionsLeftOpen } from '../archive/open-deletions.js';
import { DEFAULT_MAX_STALENESS_MS } from '../archive/laps.js';
import { isLive } from '../archive/state/archived-session.js';
import { knownAt } from '../archive/reading/known-days.js';
import { ArchiveView } from '../archive/reading/archive-view.js';
import { caveatsOf, type Caveat } from '../archive/reading/caveats/caveat.js';
import { completenessOf } from '../archive/reading/caveats/caveat-text.js';
import type { Completeness } from '../archive/reading/caveats/completeness.js';
import { readUser } from '../archive/reading/caveats/read-users.js';
import { Reading } from '../archive/reading/caveats/reading.js';
import { type RestOfRequest, restOfRequest } from '../archive/reading/requests/rest-of-request.js';
import { spellingPairs } from '../archive/reading/users/listed-again.js';
import { EVERYBODY } from '../archive/reading/scope.js';
import { credible, readSlices, sliceFacts } from '../archive/verify/slices.js';
import { lapsOf, type LapStatus } from './lap-status.js';
import { listingsRead } from '../archive/reading/users/user-listings.js';
import { ListingAges } from './listing-ages.js';
import { type LeasedRunStatus, leasedRunStatuses, newestOf } from './newest-runs.js';
import { LeftOpen } from './open-deletions-by-run.js';
import { withUsers } from '../archive/reading/users/users-of-run.js';
import { changesOf, type RunChanges } from './run-changes.js';
import { type Counted, type MayChange, UserTally, type UserStatus } from './user-status.js';
import { type UserCounts, UsersCounted } from './users-counted.js';

interface OpenRequest extends RequestWork, RestOfRequest {
  readonly request: string;
  readonly by: string;
  readonly since: string;
  /** Why nothing can be made for it any more: whom it is about, or its words, went with an erasure; null where something can. */
  readonly lost: 'whom' | 'words' | null;
}

export interface ArchiveStatus extends Omit<Counted, 'may_change'> {
  readonly location: string;
  readonly service: { readonly base_url: string; readonly project: string | null };
  readonly formats: readonly string[];
  /** What became of texts in a pseudonymised copy; null of any other archive. */
  readonly pseudonymised: {
    readonly texts: 'dropped' | 'kept';
    readonly times: 'days' | 'kept';
    readonly part?: true | undefined;
    /** What it was made without, as caveats say it. */
    readonly lacks?: readonly CopyLack[] | undefined;
  } | null;
  /** The newest commit; null if the log is empty. */
  readonly head: CommitRef | null;
  /** The first commit that the log has lost, as far as names tell: `verify` reads it. Null if none is known to be lost. */
  readonly lost_commit: { readonly path: string; readonly detail: string } | null;
  /** How whole all of it is: see `Completeness`. */
  readonly status: Completeness;
  /** What qualifies all that is archived, as a report of everybody has it. Only the log is read: no title is named, and no lost file is looked for. */
  readonly caveats: readonly Caveat[];
  readonly users: UserCounts;
  /** The first few users who are at the cap. */
  readonly at_the_cap: readonly string[];
  /** The first few of whom the service lists nothing any more. */
  readonly vanished: readonly string[];
  /** The first few of whom the service lists nothing, and nothing is archived: their ids may be wrong. */
  readonly never_seen: readonly string[];
  /** The first few of those whom no export of everybody reads any more. */
  readonly never_seen_unread: readonly string[];
  /** The first few of whom something is archived and whom exports skip, as another spelling was suppressed. */
  readonly skipped: readonly string[];
  /** Sessions that receipts count beside those that are erased, where there are any of those: no listing tells whose they were, or they came back. */
  readonly unexplained_erased: number;
  /** `users`: the first few who have jobs that may still change. */
  readonly may_change: MayChange & { readonly users: readonly string[] };
  /** Sessions that are archived for two users. */
  readonly shared_sessions: readonly SharedSessions[];
  /** What was erased is in no count. */
  readonly erasures: ErasureCounts;
  /** Nothing expires before; null where nobody has set a floor. */
  readonly min_retention: RetentionFloor | null;
  /** Holds in force. */
  readonly holds: number;
  /** Requests that are not closed, the oldest first. */
  readonly open_requests: readonly OpenRequest[];
  readonly size: {
    /** Part files. */
    readonly files: number;
    /** About how many, unless they were counted exactly, like the bytes. */
    readonly artifacts: number;
    /** Bytes of both; the log and the states are not counted. */
    readonly bytes: number;
  };
  /** Foreign files whose paths begin with `_`, ordered. They are left alone. */
  readonly foreign: readonly string[];
  /** Erasures whose receipt is in the log, and that are not finished: what they erase may still be there. */
  readonly open_erasures: readonly { readonly receipt: string; readonly commit: number }[];
  /** The laps of the runs round all users, by scope: `all`, a shard (`3-of-16`), `queue`. */
  readonly laps: readonly LapStatus[];
  /** Cost of a run over everything that exports read, when nothing is new: pages of sessions, and one page of each history. */
  readonly full_check: {
    readonly requests: number;
    /** Requests a second. */
    readonly rate: number;
    readonly duration_ms: number;
  };
  /** Null if the archive has never been restored from itself. */
  readonly last_drill: DrillRecord | null;
  /** The last drill that found differences, unless one of all sessions has found none since. */
  readonly failed_drill: DrillRecord | null;
  /** The checks of `verify --within`; null if there was none. */
  readonly read_back: {
    /** When the files were read that were read longest ago; null if some never were. */
    readonly oldest: string | null;
    /** The newest commit of which everything was read: what came later was not. */
    readonly through: number;
    /** Slices, of 30, in which something was damaged. */
    readonly damaged: readonly number[];
  } | null;
  /**
   * The newest export of everybody: neither of users of `--user` alone, nor of a part. Null if none is among the newest
   * runs of the log, which does not have a run that saved nothing.
   */
  readonly last_export:
    | (RunStatus & {
        /** Users whose last listing of all sessions was made before it began. */
        readonly listed_before: number;
        /** The first few of them. */
        readonly listed_before_named: readonly string[];
        /** Sessions that it has listed and skipped, of users whom it did not skip: as its summary has them. */
        readonly sessions_suppressed: number;
      })
    | null;
  /** The newest export of a worker of a fleet, where it is newer than `last_export`: that is not the last word then. */
  readonly last_worker: RunStatus | null;
  /** Runs that hold a lease and are not known to be dead, the oldest first: they may have saved nothing yet. */
  readonly running: readonly LeasedRunStatus[];
  /** Deletions of runs that are not running, which may have taken place: the next prune finds out. The oldest run first. */
  readonly open_deletions: readonly { readonly run: string; readonly sessions: number }[];
  /** Runs that died on this machine, until the next run has cleaned up after them; they may have saved nothing. */
  readonly died: readonly LeasedRunStatus[];
  /** The user, of those whom exports still read, whose last listing of all sessions is the oldest; null if there is none. */
  readonly oldest_listing: { readonly user: string; readonly at: string } | null;
  /** Newest first. Each counts what two spellings of a user list under each of them; its summary counts that once. */
  readonly runs: readonly (RunStatus & RunChanges)[];
  /** Runs that were put on a queue and have not ended, by name. */
  readonly open_runs: readonly {
    readonly run: string;
    readonly queue: string;
    readonly enqueued_at: string;
    readonly users: number;
    /** Users that the log does not have as complete. */
    readonly left: number;
  }[];
}

export interface CheckPace {
  /** Requests a second. */
  readonly rate: number;
  /** Sessions a page. */
  readonly pageSize: number;
}

export interface StatusOptions {
  /** How many of the last runs are reported. Default 5. */
  readonly runs?: number | undefined;
  /** To estimate the cost of a full check. Default 20 requests a second, 100 sessions a page. */
  readonly pace?: CheckPace | undefined;
  /** The longest time that a lap may take. Default 7 days. */
  readonly maxStalenessMs?: number | undefined;
  /** Whether artifacts are counted by reading the rows that name them. Default false: what runs have told is added up. */
  readonly exact?: boolean | undefined;
  /** Called with each user, in the order of their first commit. */
  readonly onUser?: (status: UserStatus) => void;
  readonly signal?: AbortSignal | undefined;
}

const DEFAULT_RUNS = 5;
const DEFAULT_PACE: CheckPace = { rate: 20, pageSize: 100 };

/**
 * Reads the log once, and the states of a few users at a time.
 *
 * @throws {IntegrityError} the log is damaged
 */
export async function archiveStatus(
  archive: Archive,
  options: StatusOptions,
): Promise<ArchiveStatus> {
  const { storage, identity, index } = archive;
  const { signal, onUser } = options;
  const view = await ArchiveView.of(archive, EVERYBODY, { signal });
  const { runs, lastExport, lastWorker } = newestOf(index, options.runs ?? DEFAULT_RUNS);
  const { rate, pageSize } = options.pace ?? DEFAULT_PACE;
  const total = new UserTally();
  const users = new UsersCounted();
  const listings = new ListingAges(lastExport);
  const read = await listingsRead(index);
  const reading = Reading.of(view);
  const left = new LeftOpen(await deletionsLeftOpen(archive));
  let requests = 0;
  for await (const ofUser of view.summaries()) {
    const { user, sessions } = ofUser;
    const tally = new UserTally();
    tally.add(ofUser, index.acceptedGaps);
    const status = await tally.statusOf(ofUser, archive, view.listings);
    onUser?.(status);
    total.merge(tally);
    await readUser(ofUser, { view, reading });
    const person = view.selection.spellings.personOf(user);
    users.add(ofUser, status, person);
    left.add(ofUser);
    listings.addSuppressed(user, read(user).ofAll);
    // the spelling that was listed last speaks for the others
    if (!ofUser.hasNothing && person === user) listings.add(ofUser, read(user).ofAll);
    const live = sessions.filter(({ state }) => isLive(state)).length;
    if (!ofUser.isReadNoMore) requests += Math.max(1, Math.ceil(live / pageSize)) + live;
  }
  const { may_change: mayChange, ...tallied } = total.counts(archive);
  const caveats = caveatsOf(reading);
  const { unexplained } = view.listings;
  const { running, died } = await leasedRunStatuses(archive);
  const { foreign, commits } = await listBesideRows(storage);
  const lost = await lostCommit(archive, { newest: view.head?.number ?? 0, commits });
  return {
    location: storage.location,
    service: identity.service,
    formats: identity.formats,
    pseudonymised: identity.pseudonymised ?? null,
    head: view.head,
    lost_commit: lost ? { path: lost.path, detail: lost.detail } : null,
    status: completenessOf(caveats),
    caveats,
    users: users.counts,
    vanished: users.vanished,
    never_seen: users.neverSeen,
    never_seen_unread: users.neverSeenUnread,
    skipped: users.skipped,
    at_the_cap: users.atTheCap,
    ...tallied,
    unexplained_erased: unexplained,
    may_change: { ...mayChange, users: users.changing },
    shared_sessions: sharedIn(view, reading),
    erasures: erasureCounts(index),
    min_retention: index.retention ?? null,
    holds: view.holds.filter(({ release }) => release === null).length,
    open_requests: await openRequestsIn(archive),
    size: await sizeOf(archive, options),
    foreign,
    open_erasures: [...index.openErasures].map(([receipt, { number: commit }]) => {
      return { receipt, commit };
    }),
    laps: await lapsOf(archive, options.maxStalenessMs ?? DEFAULT_MAX_STALENESS_MS),
    full_check: { requests, rate, duration_ms: Math.round((requests * 1000) / rate) },
    last_drill: index.drills.last ?? null,
    failed_drill: index.drills.failed ?? null,
    read_back: await readBackOf(archive, archive.clock.now()),
    last_export: lastExport && {
      ...(await withUsers(lastExport, archive)),
      listed_before: listings.before,
      listed_before_named: listings.beforeNamed,
      sessions_suppressed: listings.suppressed.sum,
    },
    last_worker:
      identity.pseudonymised || !lastWorker ? null : await withUsers(lastWorker, archive),
    running,
    open_deletions: left.byRun(),
    died,
    oldest_listing: listings.oldest && {
      ...listings.oldest,
      at: knownAt(listings.oldest.at, identity.pseudonymised),
    },
    runs: await Promise.all(
      runs.map(async (run) => ({
        ...(await withUsers(run, archive)),
        ...(await changesOf(run, archive)),
      })),
    ),
    open_runs: (await openRuns(archive)).map(({ run, queue, enqueuedAt, users, remaining }) => {
      return { run, queue, enqueued_at: enqueuedAt, users: users.size, left: remaining.length };
    }),
  };
}

/** What two spellings of a user list, then what two users list. */
function sharedIn(view: ArchiveView, { owners }: Reading): SharedSessions[] {
  const ofSpellings = spellingPairs(view.selection.listedAgain).map(({ users, sessions }) => {
    const [first, second] = users;
    const sorted = first < second ? users : ([second, first] as const);
    return { users: sorted, sessions, spellings: true };
  });
  return [...ofSpellings, ...owners.shared()];
}

async function openRequestsIn(archive: Archive): Promise<OpenRequest[]> {
  const open: OpenRequest[] = [];
  for (const asked of archive.index.requests.filter(({ closed }) => closed === null)) {
    const { name: request, by, since } = asked;
    const told = { ...workFor(asked), lost: lostOfRequest(asked) };
    open.push({ request, by, since, ...told, ...(await restOfRequest(archive, asked)) });
  }
  return open;
}

async function readBackOf(
  { storage, index }: Archive,
  nowMs: number,
): Promise<ArchiveStatus['read_back']> {
  const { record } = await readSlices(storage);
  return record ? sliceFacts(credible(record, index, nowMs)) : null;
}

async function sizeOf(
  archive: Archive,
  { exact: isExact, signal }: StatusOptions,
): Promise<ArchiveStatus['size']> {
  const { index } = archive;
  const files = [...index.contents.files.values()];
  let { artifacts } = index;
  if (isExact) {
    await using named = await NamedArtifacts.read(archive, { files, signal });
    named.assertWhole();
    artifacts = await named.counts();
  }
  const bytes = files.reduce((sum, file) => sum + file.bytes, artifacts.bytes);
  return { files: files.length, artifacts: artifacts.count, bytes };
}
