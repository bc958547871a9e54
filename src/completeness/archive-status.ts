/** Computes the status of an archive: counts by user, the last runs and laps. Reads the log and the laps. */
import { NamedArtifacts } from '../archive/named-artifacts.js';
import type { Archive } from '../archive/archive.js';
import { erasureCounts, type ErasureCounts } from '../archive/erasures.js';
import { lostCommit } from '../archive/cut-log.js';
import type { CopyLack } from '../archive/identity.js';
import { listBesideRows } from '../archive/unnamed-objects.js';
import { SessionOwners, type SharedSessions } from '../archive/histories/session-owners.js';
import type { CommitRef } from '../archive/log/commit-log.js';
import { lostOfRequest, workFor } from '../archive/notes/change-requests.js';
import type { RetentionFloor } from '../archive/log/retention-floor.js';
import type { DrillRecord } from '../archive/log/drill-history.js';
import { isOfEverybody, newestRuns, type RunStatus } from '../archive/state/run-history.js';
import type { UserListing } from '../archive/log/newest-listings.js';
import { leasedRuns } from '../archive/runs/lease.js';
import { openRuns } from '../archive/runs/queued-runs.js';
import { deletionsLeftOpen } from '../archive/open-deletions.js';
import { asOf, DEFAULT_MAX_STALENESS_MS, lapsInUse } from '../archive/laps.js';
import { isLive } from '../archive/state/archived-session.js';
import { ArchiveView, type ViewedUser } from '../archive/reading/archive-view.js';
import type { SessionSummary } from '../archive/state/session-summary.js';
import { keyOfAnySpelling } from '../model/user-spelling.js';
import type { Completeness } from '../archive/reading/caveats/completeness.js';
import { spellingPairs } from '../archive/reading/listed-again.js';
import { UsageError } from '../base/error.js';
import { EVERYBODY } from '../archive/reading/scope.js';
import { credible, readSlices, sliceFacts } from '../archive/verify/slices.js';
import { changesOf, withUsers, type RunChanges } from './run-changes.js';
import { UserTally, type MayChange, type UserStatus } from './user-status.js';

export interface ArchiveStatus {
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
  readonly users: {
    readonly total: number;
    /** How many people have conversations: spellings of an id that list the same one are one. */
    readonly people: number;
    /** Every user is in one of these four: see `Completeness`. */
    readonly complete: number;
    /** Of whom only what somebody has decided on is missing: accepted gaps, and what was erased. */
    readonly incomplete_by_decision: number;
    /** Of whom nothing is known to be missing, and something is in doubt. */
    readonly not_proven: number;
    readonly incomplete: number;
    /** Users whose last listing failed; they are among those that are not complete. */
    readonly failed: number;
    /** Users of whom the service lists nothing any more; they are among the others, too. */
    readonly vanished: number;
    /** Users of whom the service lists nothing, and nothing is archived; they are among the others, too. */
    readonly never_seen: number;
    /** Users with 140 sessions or more at the service, which keeps 150; they are among the others, too. */
    readonly at_the_cap: number;
  };
  /** The first few of them. */
  readonly at_the_cap: readonly string[];
  /** The first few of whom the service lists nothing any more. */
  readonly vanished: readonly string[];
  /** The first few of whom the service lists nothing, and nothing is archived: their ids may be wrong. */
  readonly never_seen: readonly string[];
  readonly sessions: UserStatus['sessions'];
  readonly erased: UserStatus['erased'];
  /** Sessions that receipts count beside those, where there are any of those: no listing tells whose they were, or they came back. */
  readonly unexplained_erased: number;
  readonly jobs: UserStatus['jobs'];
  /** `users`: the first few who have jobs that may still change. */
  readonly may_change: MayChange & { readonly users: readonly string[] };
  readonly suspicious_files: number;
  /** Counts by status: `expired`, `missing`, `incomplete`, …; keys in alphabetical order. */
  readonly gaps: Readonly<Record<string, number>>;
  /** What is archived and may be wrong. */
  readonly doubts: number;
  /** How many of these gaps and doubts are of sessions that are gone or deleted: no run reads them again. */
  readonly gaps_of_gone_sessions: number;
  /** Gaps that somebody has accepted; they are not among the others. */
  readonly accepted_gaps: number;
  /** Doubts that somebody has accepted, likewise. */
  readonly accepted_doubts: number;
  /** Sessions that are archived for two users. */
  readonly shared_sessions: readonly SharedSessions[];
  /** What was erased is in no count. */
  readonly erasures: ErasureCounts;
  /** Nothing expires before; null where nobody has set a floor. */
  readonly min_retention: RetentionFloor | null;
  /** Holds in force. */
  readonly holds: number;
  /** Requests that are not closed, the oldest first. */
  readonly open_requests: readonly {
    readonly request: string;
    readonly by: string;
    readonly since: string;
    /** Evidence packs that were made for it. */
    readonly packs: number;
    readonly workbooks: number;
    readonly reports: number;
    readonly copies: number;
    readonly searches: number;
    readonly erasures: number;
    /** Why nothing can be made for it any more: whom it is about, or its words, went with an erasure; null where something can. */
    readonly lost: 'whom' | 'words' | null;
  }[];
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
  /** Cost of a run over everything when nothing is new: pages of sessions, and one page of each history. */
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
    /** Slices, of 30, in which something was damaged. */
    readonly damaged: readonly number[];
  } | null;
  /**
   * The newest export of everybody: neither of users of `--user` alone, nor of a part. Null if none is among the newest
   * runs of the log, which does not have a run that saved nothing.
   */
  readonly last_export:
    | (RunStatus &
        Pick<RunChanges, 'partly'> & {
          /** Users whose last listing of all sessions was made before it began. */
          readonly listed_before: number;
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
  /** The user whose last listing of all sessions is the oldest; null if there is none. */
  readonly oldest_listing: { readonly user: string; readonly at: string } | null;
  /** Newest first. */
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

interface LeasedRunStatus {
  readonly run: string;
  /** Null where its lease cannot be read. */
  readonly host: string | null;
  readonly began: string | null;
  /** When it last renewed its lease, which it does three times a minute at least. */
  readonly last_sign_of_life: string;
}

export interface LapStatus {
  readonly scope: string;
  readonly number: number;
  readonly began_at: string;
  /** How long the lap before took; null in the first. */
  readonly last_ms: number | null;
  /** Whether that, or the lap under way until now, is longer than `maxStalenessMs`. */
  readonly overdue: boolean;
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

/** How many users are named who have jobs that may still change, have vanished, or are at the cap. */
const NAMED_USERS = 5;
const DEFAULT_RUNS = 5;
const COUNTED_AS = {
  complete: 'complete',
  'incomplete-by-decision': 'incomplete_by_decision',
  'not-proven': 'not_proven',
  incomplete: 'incomplete',
} as const satisfies Readonly<Record<Completeness, keyof ArchiveStatus['users']>>;
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
  const total = new UserTally();
  const owners = new SessionOwners();
  const { rate, pageSize } = options.pace ?? DEFAULT_PACE;
  let requests = 0;
  const counts = {
    total: 0,
    people: 0,
    complete: 0,
    incomplete_by_decision: 0,
    not_proven: 0,
    incomplete: 0,
    failed: 0,
    vanished: 0,
    never_seen: 0,
    at_the_cap: 0,
  };
  const vanished: string[] = [];
  const unseen: string[] = [];
  const capped: string[] = [];
  const { runs, lastExport, lastWorker } = newestOf(index, options.runs ?? DEFAULT_RUNS);
  const listings = new ListingAges(lastExport);
  const people = new Set<string>();
  const changing: string[] = [];
  const left = new LeftOpen(await deletionsLeftOpen(archive));
  for await (const ofUser of view.summaries()) {
    const { user, sessions } = ofUser;
    const tally = new UserTally();
    tally.add(ofUser, index.acceptedGaps);
    left.add(ofUser);
    owners.add(
      user,
      sessions.map(({ session }) => session),
    );
    const live = sessions.filter(({ state }) => isLive(state)).length;
    requests += Math.max(1, Math.ceil(live / pageSize)) + live;
    const status = await tally.statusOf(ofUser, archive, view.listings);
    onUser?.(status);
    counts.total++;
    if (sessions.length > 0) people.add(view.selection.spellings.personOf(user));
    counts[COUNTED_AS[status.status]]++;
    if (status.last_listing?.error != null) counts.failed++;
    if (isVanished(status)) {
      counts.vanished++;
      if (vanished.length < NAMED_USERS) vanished.push(user);
    }
    if (ofUser.isNeverSeen) {
      counts.never_seen++;
      if (unseen.length < NAMED_USERS) unseen.push(user);
    } else {
      listings.add(user, view.listings.get(user));
    }
    if (status.at_the_cap) {
      counts.at_the_cap++;
      if (capped.length < NAMED_USERS) capped.push(user);
    }
    if (status.may_change.jobs > 0 && changing.length < NAMED_USERS) changing.push(user);
    total.merge(tally);
  }
  const { may_change: mayChange, ...tallied } = total.counts();
  const { unexplained } = view.listings;
  const leased = await leasedRuns(archive);
  const { foreign, commits } = await listBesideRows(storage);
  const lost = await lostCommit(archive, { newest: view.head?.number ?? 0, commits });
  return {
    location: storage.location,
    service: identity.service,
    formats: identity.formats,
    pseudonymised: identity.pseudonymised ?? null,
    head: view.head,
    lost_commit: lost ? { path: lost.path, detail: lost.detail } : null,
    users: { ...counts, people: people.size },
    vanished,
    never_seen: unseen,
    at_the_cap: capped,
    ...tallied,
    unexplained_erased: unexplained,
    may_change: { ...mayChange, users: changing },
    shared_sessions: [
      ...spellingPairs(view.selection.listedAgain).map(({ users, sessions }) => {
        const [first, second] = users;
        const sorted = first < second ? users : ([second, first] as const);
        return { users: sorted, sessions, spellings: true };
      }),
      ...owners.shared(),
    ],
    erasures: erasureCounts(index),
    min_retention: index.retention ?? null,
    holds: view.holds.filter(({ release }) => release === null).length,
    open_requests: index.requests
      .filter(({ closed }) => closed === null)
      .map((asked) => ({
        request: asked.name,
        by: asked.by,
        since: asked.since,
        ...workFor(asked),
        lost: lostOfRequest(asked),
      })),
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
    },
    last_worker: identity.pseudonymised ? null : lastWorker,
    running: leased.filter(({ isDead }) => !isDead).map(leasedRunStatus),
    open_deletions: left.byRun(),
    died: leased.filter(({ isDead }) => isDead).map(leasedRunStatus),
    oldest_listing: listings.oldest,
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

function leasedRunStatus({
  run,
  host,
  beganAtMs,
  renewedAtMs,
}: Awaited<ReturnType<typeof leasedRuns>>[number]): LeasedRunStatus {
  return {
    run,
    host: host ?? null,
    began: beganAtMs === undefined ? null : new Date(beganAtMs).toISOString(),
    last_sign_of_life: new Date(renewedAtMs).toISOString(),
  };
}

interface StatusOfUserOptions {
  /** Users who are looked at together: a session that several spellings of one list counts for one of them. Default: the one. */
  readonly among?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The status of one user with all that is listed for this spelling. @throws {UsageError} the archive has no such user */
export async function statusOfUser(
  archive: Archive,
  user: string,
  { among = [user], signal }: StatusOfUserOptions = {},
): Promise<UserStatus> {
  const view = await ArchiveView.of(archive, { users: among, sessions: [] }, { signal });
  const { acceptedGaps } = archive.index;
  const tally = new UserTally();
  for await (const ofUser of view.summaries()) {
    if (ofUser.user !== user) continue;
    tally.add(ofUser, acceptedGaps);
    return tally.statusOf(ofUser, archive, view.listings);
  }
  throw new UsageError(`${archive.storage.location} has no user "${user}"`);
}

function isVanished({ last_listing: last, sessions }: UserStatus): boolean {
  return last?.error === null && last.listed === 0 && sessions.gone > 0;
}

function newestOf(
  index: Archive['index'],
  most: number,
): {
  readonly runs: RunStatus[];
  readonly lastExport: RunStatus | null;
  readonly lastWorker: RunStatus | null;
} {
  const runs: RunStatus[] = [];
  let lastExport: RunStatus | null = null;
  let lastWorker: RunStatus | null = null;
  for (const run of newestRuns(index)) {
    if (runs.length < most) runs.push(run);
    if (run.kind === 'export' && run.users_to_read === null && run.users > 0 && !lastExport)
      lastWorker ??= run;
    if (isOfEverybody(run)) lastExport ??= run;
    if (runs.length === most && lastExport) break;
  }
  return { runs, lastExport, lastWorker };
}

/** How old the listings are from which users are known to be complete. */
class ListingAges {
  before = 0;
  oldest: { readonly user: string; readonly at: string } | null = null;

  constructor(readonly lastExport: RunStatus | null) {}

  /** @param user of whom the service has listed something, or something is archived: an id that was a mistake has no age */
  add(user: string, listing: UserListing | undefined): void {
    if (!listing) return;
    const { commit, entry } = listing;
    const { listed_at: at } = entry;
    if (this.lastExport && commit < this.lastExport.commits[0]) this.before++;
    if (this.oldest === null || at < this.oldest.at) this.oldest = { user, at };
  }
}

/** The deletions that the log does not have, each once, whichever spellings list its session. */
class LeftOpen {
  readonly #sessions = new Map<string, Set<string>>();

  constructor(readonly open: Awaited<ReturnType<typeof deletionsLeftOpen>>) {}

  add({ user, sessions }: ViewedUser<SessionSummary>): void {
    if (this.open.size === 0) return;
    for (const { session, state } of sessions) {
      if (state.deleted) continue; // only the tidying up is missing
      const key = keyOfAnySpelling(user, session);
      for (const run of this.open.get(key) ?? []) {
        const ofRun = this.#sessions.get(run) ?? new Set();
        this.#sessions.set(run, ofRun.add(key));
      }
    }
  }

  byRun(): ArchiveStatus['open_deletions'] {
    return [...this.#sessions]
      .map(([run, { size }]) => ({ run, sessions: size }))
      .sort((a, b) => (a.run < b.run ? -1 : 1));
  }
}

async function readBackOf(
  { storage, index }: Archive,
  nowMs: number,
): Promise<ArchiveStatus['read_back']> {
  const { record } = await readSlices(storage);
  return record ? sliceFacts(credible(record, index, nowMs)) : null;
}

/**
 * The laps in use: an overdue lap of a scope that no run uses any more, as shards of another number, would be told for
 * ever.
 */
async function lapsOf(
  { storage, clock }: Archive,
  maxStalenessMs: number,
): Promise<ArchiveStatus['laps']> {
  const nowMs = clock.now();
  return (await lapsInUse(storage)).map((stored) => {
    const { scope, number, beganAtMs, lastBeganAtMs } = asOf(stored, nowMs);
    const lastMs = lastBeganAtMs === null ? null : beganAtMs - lastBeganAtMs;
    const overdue = Math.max(lastMs ?? 0, nowMs - beganAtMs) > maxStalenessMs;
    return {
      scope,
      number,
      began_at: new Date(beganAtMs).toISOString(),
      last_ms: lastMs,
      overdue,
    };
  });
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
