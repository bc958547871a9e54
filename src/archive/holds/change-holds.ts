/** Sets and releases holds: each change is a commit. */
import { ulid } from '../../base/ulid.js';
import { UsageError } from '../../base/error.js';
import { asSessionId, asUserId } from '../../model/ids.js';
import { isSameUser } from '../../model/user-spelling.js';
import type { Archive } from '../archive.js';
import { openRequestIn, requestCalled } from '../notes/change-requests.js';
import { planRelease, type ReleasePlan } from './freed-sessions.js';
import { tellOfDeletions } from './held-sessions.js';
import { assertHoldsKnown, heldForm, Holds, SHORT_ID, shortHoldId } from './holds.js';
import type { Commit } from '../log/commit.js';
import type { HoldRecord } from '../log/notes.js';
import type { RequestRecord } from '../log/request-history.js';
import { sinceWhat } from '../log/suppressions.js';
import { appendNote, type Planned } from '../runs/note.js';

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
export interface HoldChoices extends Omit<Change, 'reason' | 'by'> {
  /** The person who asked for it. Default: who asked for the request. */
  readonly by?: string | undefined;
  /** Who sets it, where somebody else has asked for it. Default: not recorded. */
  readonly setBy?: string | undefined;
  /** Why: a matter, a case number. Default: the reason of the request. */
  readonly reason?: string | undefined;
  /** The open request for which they are set, by name or id. Its users are held if nothing else is named. */
  readonly request?: string | undefined;
  /** Whether users and sessions that the archive has never had may be held. Default false. */
  readonly allowUnknown?: boolean | undefined;
}

/** Options of `release` of an open archive. */
export interface ReleaseChoices extends Change {
  /** These holds: the id, or its last eight characters or more. Nothing else is named then. */
  readonly holds?: readonly string[] | undefined;
  /** Only holds that were set for this request, open or closed: its name or id. Default users and sessions: all of them. */
  readonly request?: string | undefined;
  /** Whether several holds on the same user or session are all released. Default false. */
  readonly all?: boolean | undefined;
  /** Called once with what would be released before anything is changed; false declines. Default: no confirmation. */
  readonly confirm?: ((plan: ReleasePlan) => Promise<boolean>) | undefined;
}

/**
 * Adds holds. They bind from now on: an erasure reads them before it writes its receipt. A hold on the same user or
 * session for the same reason and request that is in force is not set twice.
 *
 * @returns those that were in force before, then those that were set
 * @throws {UsageError} no user or session is named, or the archive does not know one of them, or has no such request
 * @throws {ErasureUnfinishedError} an erasure has its receipt and is not finished: it may erase what is named
 * @throws {SigningKeyError | SigningStartError} the log is signed, and this run has no key or another one; or is not, and its key may not begin
 */
export async function addHolds(archive: Archive, change: HoldChoices): Promise<HoldRecord[]> {
  const plan = () => newHolds(archive, change);
  const { known, set } = await appendNote(archive, { namesPeople: true, plan });
  if (set.length > 0) await tellOfDeletions(archive);
  return [...known, ...set];
}

interface AddedHolds {
  /** Holds that were in force before. */
  readonly known: readonly HoldRecord[];
  readonly set: readonly HoldRecord[];
}

async function newHolds(archive: Archive, change: HoldChoices): Promise<Planned<AddedHolds>> {
  const request = change.request === undefined ? undefined : openRequestIn(archive, change.request);
  const { reason = request?.reason ?? '', by = request?.by ?? '' } = change;
  const targets = targetsOf(change, request);
  if ((targets.users ?? []).length + (targets.sessions ?? []).length === 0) {
    throw new UsageError('nothing is named to be held; give a user or a session');
  }
  const subjects = subjectsOf(targets);
  assertTexts({ reason, by });
  if (change.setBy?.trim() === '') throw new UsageError('the name of who sets a hold is empty');
  assertNotSuppressed(archive, subjects);
  if (change.allowUnknown !== true) {
    const holds = subjects.map(({ user, session }) => ({
      readings: [user === null ? { session: session ?? '' } : { user }],
      source: unknownText({ user, session }),
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
    const id = ulid(archive.clock, archive.random);
    const setter = change.setBy === undefined ? {} : { set_by: change.setBy };
    const set = { action: 'add' as const, id, ...subject, reason, by, ...setter };
    return request ? { ...set, request: request.id } : set;
  });
  const isOutdatedBy = ({ requests = [], holds = [] }: Commit): boolean =>
    requests.some((entry) => entry.action === 'close' && entry.id === request?.id) ||
    holds.some((entry) =>
      entry.action === 'add'
        ? subjects.some((subject) => isSameTarget(entry, subject))
        : known.some(({ id }) => id === entry.id),
    );
  if (entries.length === 0) return { note: undefined, told: { known, set: [] } };
  return {
    note: { kind: 'hold', holds: entries, isOutdatedBy },
    told: (commit) => ({ known, set: holdsChangedBy(archive, commit) }),
  };
}

/**
 * @returns the holds that are released; none where `confirm` declined
 * @throws {UsageError} nothing is named, or a user and a session, one of them has no hold, or it has several and `all` is false
 * @throws {SigningKeyError | SigningStartError} the log is signed, and this run has no key or another one; or is not, and its key may not begin
 */
export async function releaseHolds(
  archive: Archive,
  change: ReleaseChoices,
): Promise<HoldRecord[]> {
  const { users = [], sessions = [], reason, by } = change;
  // elsewhere the two together mean these sessions of this user; here all of the user would be released
  if (users.length > 0 && sessions.length > 0) {
    throw new UsageError(
      'a user and a session are named together, and these are two holds; release them one by one',
    );
  }
  assertTexts(change);
  let agreed: ReadonlySet<string> | undefined;
  const plan = async (): Promise<Planned<HoldRecord[]>> => {
    const selected = selectedHolds(archive, change);
    if (change.confirm && !agreed) {
      const isAgreed = await change.confirm(await planRelease(archive, selected));
      agreed = new Set(isAgreed ? selected.map(({ id }) => id) : []);
    }
    // where the release is planned again, only what was shown is released
    const released = selected.filter(({ id }) => agreed?.has(id) !== false);
    if (released.length === 0) return { note: undefined, told: [] };
    const holds = released.map(({ id }) => ({ action: 'release' as const, id, reason, by }));
    return { note: { kind: 'hold', holds }, told: (commit) => holdsChangedBy(archive, commit) };
  };
  return appendNote(archive, { namesPeople: false, plan });
}

/** What is held must not be missed silently. @throws {UsageError} exports skip one of them */
function assertNotSuppressed(
  { index: { suppressions } }: Archive,
  subjects: readonly HeldSubject[],
): void {
  for (const subject of subjects) {
    const { user, session } = subject;
    const record =
      user === null ? suppressions.ofSession(session ?? '') : suppressions.ofUser(user);
    if (!record) continue;
    throw new UsageError(
      `exports skip ${subjectText(subject)} ${sinceWhat(record)}, so nothing that is held would be archived; end that first with jobvault erase --unsuppress`,
    );
  }
}

/** @throws {UsageError} the request is about everybody, and nobody is named */
function targetsOf(
  { users = [], sessions = [] }: HoldChoices,
  request: RequestRecord | undefined,
): Pick<Change, 'users' | 'sessions'> {
  if (!request || users.length + sessions.length > 0) return { users, sessions };
  if (request.users.length > 0) return { users: request.users };
  if (request.sessions.length > 0) return { sessions: request.sessions };
  throw new UsageError(
    `request "${request.name}" is about everybody, so it does not say who is held; give a user or a session`,
  );
}

type HeldSubject = Pick<HoldRecord, 'user' | 'session'>;

/** @throws {UsageError} */
function selectedHolds(archive: Archive, change: ReleaseChoices): readonly HoldRecord[] {
  const { users = [], sessions = [], holds = [], request, all = false } = change;
  const binding = archive.index.holds.filter(({ release }) => release === null);
  const isOfSubject = users.length + sessions.length > 0;
  if (holds.length > 0) {
    if (isOfSubject || request !== undefined) {
      throw new UsageError(
        'holds are named by their ids, and a user, a session or a request beside them; give the ids alone',
      );
    }
    const found = holds.map((id) => holdCalled(archive, binding, id));
    return [...new Set(found)];
  }
  if (request === undefined) {
    if (!isOfSubject) {
      throw new UsageError(
        'nothing is named to be released; give a user, a session, a request or the id of a hold',
      );
    }
    return subjectsOf(change).flatMap((subject) => bindingOn(archive, binding, subject, all));
  }
  const { id, name } = requestCalled(archive, request);
  const ofRequest = binding.filter((hold) => hold.request === id);
  if (ofRequest.length === 0) {
    throw new UsageError(
      `request "${name}" has no hold in force in ${archive.storage.location}; jobvault hold list shows all holds`,
    );
  }
  if (!isOfSubject) return ofRequest;
  return subjectsOf(change).flatMap((subject) => {
    const found = ofRequest.filter((hold) => isSameTarget(hold, subject));
    if (found.length > 0) return found;
    const others = ofRequest.map(({ user, session }) => subjectText({ user, session })).join(', ');
    throw new UsageError(
      `${subjectText(subject)} is not on hold for request "${name}"; on hold for it: ${others}`,
    );
  });
}

/** @param given an id, or its end @throws {UsageError} */
function holdCalled(
  { index, storage }: Archive,
  binding: readonly HoldRecord[],
  given: string,
): HoldRecord {
  const isSelected = ({ id }: HoldRecord): boolean =>
    id === given || (given.length >= SHORT_ID && id.endsWith(given));
  const [found, other] = binding.filter(isSelected);
  if (found && !other) return found;
  if (other) throw new UsageError(`several holds end in "${given}"; give the whole id`);
  const ended = index.holds.find(isSelected)?.release;
  throw new UsageError(
    ended
      ? `hold "${given}" was released on ${ended.at.slice(0, 10)} by ${ended.by}`
      : `${storage.location} has no hold "${given}"; jobvault hold list shows the ids`,
  );
}

/** @throws {UsageError} */
function assertTexts({ reason, by }: Pick<Change, 'reason' | 'by'>): void {
  if (reason.trim() === '') throw new UsageError('a hold needs a reason, and it is empty');
  if (by.trim() === '') {
    throw new UsageError('a hold needs the name of the person who asked for it, and it is empty');
  }
}

/** @throws {UsageError} */
function subjectsOf({
  users = [],
  sessions = [],
}: Pick<Change, 'users' | 'sessions'>): HeldSubject[] {
  if ([...users, ...sessions].some((id) => id.trim() === '')) {
    throw new UsageError('an id is empty');
  }
  return [
    ...[...new Set(users)].map((user) => ({ user: asUserId(user), session: null })),
    ...[...new Set(sessions)].map((session) => ({ user: null, session: asSessionId(session) })),
  ];
}

/** @throws {UsageError} */
function bindingOn(
  archive: Archive,
  inForce: readonly HoldRecord[],
  subject: HeldSubject,
  all: boolean,
): readonly HoldRecord[] {
  const { user } = subject;
  const what = subjectText(subject);
  const binding = inForce.filter((hold) => isSameTarget(hold, subject));
  if (binding.length === 0) {
    const other = inForce.find((hold) => hold.user !== null && isSameUser(hold.user, user ?? ''));
    const next = other?.user
      ? `it is as ${JSON.stringify(other.user)}: a hold is released as it was set`
      : 'jobvault hold list shows all holds';
    throw new UsageError(
      `${unknownText(subject)} is not on hold in ${archive.storage.location}; ${next}`,
    );
  }
  if (binding.length > 1 && !all) {
    const ways = binding.map((hold) => `--hold ${shortHoldId(hold)} (${purposeOf(archive, hold)})`);
    throw new UsageError(
      `${what} has ${binding.length} holds; give one of them instead: ${ways.join(', ')}. --all-holds releases all of them, also those for other matters: then nothing here is kept for these any more`,
    );
  }
  return binding;
}

function subjectText({ user, session }: HeldSubject): string {
  return user === null ? `session "${session}"` : `user "${user}"`;
}

/** In an error that nobody is known by this id: whoever knows hold files may give a line of one. */
function unknownText(subject: HeldSubject): string {
  const isPair = subject.session?.includes(',') === true;
  const hint = ' (user,session is a line of a hold file; here give the id of the session alone)';
  return `${subjectText(subject)}${isPair ? hint : ''}`;
}

/** `for request "Matter B": "case B", asked by Grace` */
function purposeOf({ index }: Archive, { request, reason, by }: HoldRecord): string {
  const found = index.requests.find(({ id }) => id === request);
  return `${found ? `for request "${found.name}": ` : ''}"${reason}", asked by ${by}`;
}

function isSameTarget(one: HeldSubject, other: HeldSubject): boolean {
  return isSame(one.user, other.user) && isSame(one.session, other.session);
}

/** Compares ids as `Holds` does: another spelling of the same id is the same hold. */
function isSame(held: string | null, id: string | null): boolean {
  return held === null || id === null ? held === id : heldForm(held) === heldForm(id);
}

function holdsChangedBy({ index }: Archive, { number }: Commit): HoldRecord[] {
  return index.holds.filter(
    ({ commit, release }) => commit === number || release?.commit === number,
  );
}
