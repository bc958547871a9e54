/** Sets and releases holds: each change is a commit. */
import type { Runtime } from '../base/runtime.js';
import { ulid } from '../base/digest.js';
import { UsageError } from '../base/error.js';
import { asSessionId, asUserId, isSameUser } from '../model/ids.js';
import type { Archive } from './archive.js';
import { openRequestIn } from './change-requests.js';
import { assertHoldsKnown, heldForm, Holds } from './holds.js';
import { ErasureUnfinishedError } from './archive-errors.js';
import type { CommitDraft } from './log/commit-draft.js';
import type { Commit, HoldEntry } from './log/commit.js';
import type { HoldRecord } from './log/hold-history.js';
import type { RequestRecord } from './log/request-history.js';
import { commitAlone, planQuietly } from './runs/plan-again.js';

interface Change {
  /** Each of these users is held, with all sessions. */
  readonly users?: readonly string[] | undefined;
  /** Each of these sessions is held, of any user. */
  readonly sessions?: readonly string[] | undefined;
  /** Why: a matter, a case number. */
  readonly reason: string;
  /** The person who asked for it. */
  readonly by: string;
}

/** Options of `hold` of an open archive. */
export interface HoldChoices extends Omit<Change, 'reason'> {
  /** Why: a matter, a case number. Default: the reason of the request. */
  readonly reason?: string | undefined;
  /** The open request for which they are set, by name or id. Its users are held if nothing else is named. */
  readonly request?: string | undefined;
  /** Whether users and sessions that the archive has never had may be held. Default false. */
  readonly allowUnknown?: boolean | undefined;
}

/** Options of `release` of an open archive. */
export interface ReleaseChoices extends Change {
  /** Whether several holds on the same user or session are all released. Default false. */
  readonly all?: boolean | undefined;
}

type World = Pick<Runtime, 'clock' | 'random'>;

/**
 * Adds holds. They bind from now on: an erasure reads them before it writes its receipt. A hold on the same user or
 * session for the same reason and request that is in force is not set twice.
 *
 * @returns those that were in force before, then those that were set
 * @throws {UsageError} no user or session is named, or the archive does not know one of them, or has no such request
 * @throws {ErasureUnfinishedError} an erasure has its receipt and is not finished: it may erase what is named
 * @throws {SigningKeyError} the log is signed, and this run has no key or another one
 */
export async function addHolds(
  archive: Archive,
  change: HoldChoices & World,
): Promise<HoldRecord[]> {
  return planQuietly(archive, () => add(archive, change));
}

async function add(archive: Archive, change: HoldChoices & World) {
  await archive.index.refresh();
  const { by, clock, random } = change;
  const request = change.request === undefined ? undefined : openRequestIn(archive, change.request);
  const { reason = request?.reason ?? '' } = change;
  const subjects = subjectsOf({ ...targetsOf(change, request), reason, by });
  if (archive.index.openErasures.size > 0) {
    throw new ErasureUnfinishedError(archive.storage.location);
  }
  if (change.allowUnknown !== true) {
    const holds = subjects.map(({ user, session }) => ({
      readings: [user === null ? { session: session ?? '' } : { user }],
      source: user === null ? `session "${session}"` : `user "${user}"`,
    }));
    await assertHoldsKnown(archive, new Holds(holds));
  }
  const known = archive.index.holds.filter((hold) => {
    const isOfOne = subjects.some((subject) => isSameTarget(hold, subject));
    const isSame = hold.reason === reason && hold.request === (request?.id ?? null);
    return isOfOne && hold.release === null && isSame;
  });
  const isNew = (subject: HeldSubject) => !known.some((hold) => isSameTarget(hold, subject));
  const entries = subjects.filter(isNew).map((subject) => {
    const id = ulid(clock, random);
    const set = { action: 'add' as const, id, ...subject, reason, by };
    return request ? { ...set, request: request.id } : set;
  });
  const isOutdatedBy = ({ erasure, requests = [] }: Commit): boolean =>
    erasure?.stage === 'begun' ||
    requests.some((entry) => entry.action === 'close' && entry.id === request?.id);
  if (entries.length === 0) return known;
  return [...known, ...(await append(archive, change, { holds: entries, isOutdatedBy }))];
}

/**
 * @throws {UsageError} no user or session is named, or both are, one of them has no hold, or it has several and `all` is false
 * @throws {SigningKeyError} the log is signed, and this run has no key or another one
 */
export async function releaseHolds(
  archive: Archive,
  change: ReleaseChoices & World,
): Promise<HoldRecord[]> {
  const { users = [], sessions = [], reason, by } = change;
  // elsewhere the two together mean these sessions of this user; here all of the user would be released
  if (users.length > 0 && sessions.length > 0) {
    throw new UsageError(
      'a user and a session are named together, and these are two holds; release them one by one',
    );
  }
  const subjects = subjectsOf(change);
  await archive.index.refresh();
  const released = subjects.flatMap((subject) => bindingOn(archive, subject, change.all === true));
  const entries = released.map(({ id }) => ({ action: 'release' as const, id, reason, by }));
  return append(archive, change, { holds: entries });
}

/** @throws {UsageError} the request is about everybody, and nobody is named */
function targetsOf(
  { users = [], sessions = [] }: HoldChoices,
  request: RequestRecord | undefined,
): Pick<Change, 'users' | 'sessions'> {
  if (!request || users.length + sessions.length > 0) return { users, sessions };
  if (request.users.length > 0) return { users: request.users };
  throw new UsageError(
    `request "${request.name}" is about everybody, so it does not say who is held; give a user or a session`,
  );
}

type HeldSubject = Pick<HoldRecord, 'user' | 'session'>;

/** @throws {UsageError} */
function subjectsOf({ users = [], sessions = [], reason, by }: Change): HeldSubject[] {
  if (users.length + sessions.length === 0) {
    throw new UsageError('nothing is named to be held or released; give a user or a session');
  }
  if ([...users, ...sessions].some((id) => id.trim() === '')) {
    throw new UsageError('an id is empty');
  }
  if (reason.trim() === '') throw new UsageError('a hold needs a reason, and it is empty');
  if (by.trim() === '') {
    throw new UsageError('a hold needs the name of the person who asked for it, and it is empty');
  }
  return [
    ...[...new Set(users)].map((user) => ({ user: asUserId(user), session: null })),
    ...[...new Set(sessions)].map((session) => ({ user: null, session: asSessionId(session) })),
  ];
}

/** @throws {UsageError} */
function bindingOn(archive: Archive, subject: HeldSubject, all: boolean): readonly HoldRecord[] {
  const { user, session } = subject;
  const what = user === null ? `session "${session}"` : `user "${user}"`;
  const binding = archive.index.holds.filter(
    (hold) => hold.release === null && isSameTarget(hold, subject),
  );
  if (binding.length === 0) {
    const other = archive.index.holds.find(
      (hold) => hold.release === null && hold.user !== null && isSameUser(hold.user, user ?? ''),
    );
    const next = other?.user
      ? `it is as ${JSON.stringify(other.user)}: a hold is released as it was set`
      : 'jobvault hold list shows all holds';
    throw new UsageError(`${what} is not on hold in ${archive.storage.location}; ${next}`);
  }
  if (binding.length > 1 && !all) {
    const reasons = binding.map((hold) => `"${hold.reason}" (${hold.by})`).join(', ');
    throw new UsageError(
      `${what} has ${binding.length} holds: ${reasons}; --all-holds releases all of them`,
    );
  }
  return binding;
}

function isSameTarget(one: HeldSubject, other: HeldSubject): boolean {
  return isSame(one.user, other.user) && isSame(one.session, other.session);
}

/** Compares ids as `Holds` does: another spelling of the same id is the same hold. */
function isSame(held: string | null, id: string | null): boolean {
  return held === null || id === null ? held === id : heldForm(held) === heldForm(id);
}

async function append(
  archive: Archive,
  world: World,
  draft: Pick<CommitDraft, 'isOutdatedBy'> & { readonly holds: readonly HoldEntry[] },
): Promise<HoldRecord[]> {
  const base = archive.index.through;
  const { number } = await commitAlone(archive, world, { kind: 'hold', base, ...draft });
  return archive.index.holds.filter(
    ({ commit, release }) => commit === number || release?.commit === number,
  );
}
