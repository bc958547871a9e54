/** Reads from the log the files of every table, and the sessions that the service no longer has. */
import type { Archive } from '../archive/archive.js';
import type { ArchiveIdentity } from '../archive/identity.js';
import type { FileEntry, GapEntry } from '../archive/log/commit.js';
import { ROW_FORMATS } from '../formats/formats.js';
import { ArchiveView } from '../archive/reading/archive-view.js';
import { Spellings, type ListedAgain } from '../archive/reading/users/listed-again.js';
import { NewestSessions } from '../archive/reading/newest-sessions.js';
import { isDoubted } from '../model/gap-counts.js';
import { EVERYBODY } from '../archive/reading/scope.js';
import type { RunStatus } from '../archive/state/run-history.js';
import { runsIn } from '../archive/reading/users/users-of-run.js';
import { knownUsers, type KnownUser } from './known-users.js';
import { type JobId, type SessionId, sessionKey, type UserId } from '../model/ids.js';

export interface Snapshot {
  readonly location: string;
  readonly service: ArchiveIdentity['service'];
  /** The users who have sessions. */
  readonly users: readonly UserId[];
  /** Number of the newest commit; 0 of an empty log. */
  readonly commit: number;
  /** By table; part files of one format, ordered by path. */
  readonly files: ReadonlyMap<string, readonly FileEntry[]>;
  /** Like all that follows of sessions, where they count: as every output has it. */
  readonly gone: readonly GoneSession[];
  /** In the order of their sessions; a session may be in doubt for several reasons. */
  readonly doubted: readonly DoubtedSession[];
  /** Sessions that do not count under this spelling of their user. */
  readonly listedAgain: readonly ListedAgain[];
  /** By each user who is the same person as one whose spelling an export has listed later: that one. */
  readonly people: ReadonlyMap<UserId, UserId>;
  /** Gaps in force that somebody has accepted. */
  readonly acceptedGaps: readonly AcceptedOfSession[];
  /** Jobs that the log has not settled; undefined where nobody asked for them. */
  readonly openJobs: readonly OpenJob[] | undefined;
  /** None where nobody asked for them, like the runs. */
  readonly knownUsers: readonly KnownUser[];
  /** The one that committed last comes first. */
  readonly runs: readonly RunStatus[];
}

/** A job whose answer may still come or change. */
export interface OpenJob {
  readonly user: UserId;
  readonly session: SessionId;
  readonly job: JobId;
}

/** A session of which something that is archived may be wrong. */
export interface DoubtedSession {
  readonly user: string;
  readonly session: string;
  readonly reason: string;
  readonly isAccepted: boolean;
}

/** A gap that somebody has accepted, as of a session that has it. */
export interface AcceptedOfSession extends GapEntry {
  readonly user: string;
  readonly session: string;
}

/** An archived session that the service no longer has. Times are ISO 8601. */
export interface GoneSession {
  readonly user: string;
  readonly session: string;
  /** When a complete listing first lacked it. */
  readonly goneAt: string | null;
  /** When its deletion was recorded. */
  readonly deletedAt: string | null;
}

/** Views over facts that are read only if they are asked for. */
export type AskedView = 'open_jobs' | 'users' | 'runs';

/**
 * @param asked of `open_jobs` the state of every user with an unsettled job is read, of `users` the users manifests
 * @throws {IntegrityError} the log is damaged
 */
export async function readSnapshot(
  archive: Archive,
  signal?: AbortSignal,
  asked: ReadonlySet<string> = new Set<AskedView>(),
): Promise<Snapshot> {
  const isAsked = (view: AskedView): boolean => asked.has(view);
  const { index, storage, identity } = archive;
  await index.refresh();
  const { through } = index;
  const spellings = await Spellings.in(archive);
  const again = new Set(
    spellings.listedAgain.map(({ user, session }) => sessionKey(user, session)),
  );
  const gone: GoneSession[] = [];
  const doubted: DoubtedSession[] = [];
  const acceptedGaps: AcceptedOfSession[] = [];
  for (const newest of await NewestSessions.of(index, { signal })) {
    const { user, session, goneAt, deletedAt, gaps } = newest;
    if (again.has(sessionKey(user, session))) continue;
    if (goneAt !== null || deletedAt !== null) gone.push({ user, session, goneAt, deletedAt });
    for (const gap of gaps) {
      const isAccepted = index.acceptedGaps.find(user, session, gap) !== undefined;
      if (isAccepted) acceptedGaps.push({ ...gap, user, session });
      if (isDoubted(gap)) doubted.push({ user, session, reason: gap.reason, isAccepted });
    }
  }
  return {
    location: storage.location,
    service: identity.service,
    users: index.users,
    commit: through,
    files: filesByTable([...index.contents.files.values()]),
    gone,
    doubted,
    listedAgain: spellings.listedAgain,
    people: spellings.people,
    acceptedGaps,
    openJobs: isAsked('open_jobs') ? await openJobsOf(archive, signal) : undefined,
    knownUsers: isAsked('users') ? await knownUsers(archive, spellings) : [],
    runs: isAsked('runs') ? await runsIn(archive) : [],
  };
}

async function openJobsOf(archive: Archive, signal?: AbortSignal): Promise<OpenJob[]> {
  const view = await ArchiveView.of(archive, EVERYBODY, { signal });
  const open: OpenJob[] = [];
  for await (const user of view.summaries()) {
    for (const [session, jobs] of await view.unsettledJobs(user)) {
      for (const job of jobs) open.push({ user: user.user, session, job });
    }
  }
  return open;
}

/** Whether a part file is of a format. */
export function isOf({ extension }: (typeof ROW_FORMATS)[number], path: string): boolean {
  return path.endsWith(`.${extension}`);
}

function filesByTable(files: readonly FileEntry[]): Map<string, FileEntry[]> {
  // each format of an archive has all rows: one is enough, and the first is the fastest
  const format = ROW_FORMATS.find((candidate) => files.some(({ path }) => isOf(candidate, path)));
  const byTable = new Map<string, FileEntry[]>();
  for (const file of files) {
    if (!format || !isOf(format, file.path)) continue;
    const others = byTable.get(file.table);
    if (others) others.push(file);
    else byTable.set(file.table, [file]);
  }
  for (const some of byTable.values()) some.sort((a, b) => (a.path < b.path ? -1 : 1));
  return byTable;
}
