/** Puts the erased on the list of those whom exports skip, and takes them from it. */
import { UsageError } from '../../base/error.js';
import { groupBy } from '../../base/group-by.js';
import { ulid } from '../../base/ulid.js';
import type { Archive } from '../archive.js';
import type { SuppressionEntry } from '../log/commit.js';
import { keyedDigest, newDigestKey } from '../log/keyed-digest.js';
import { endOf, type ErasedState, isInForce, type SuppressionRecord } from '../log/suppressions.js';
import type { RequestRecord } from '../log/request-history.js';
import { ERASED } from '../../model/ids.js';
import { foldedUser } from '../../model/user-spelling.js';
import { isListedWhole } from '../reading/users/user-listings.js';
import { appendNote, type Planned } from '../runs/note.js';

interface Subjects {
  readonly users: readonly string[];
  readonly sessions: readonly string[];
}

type AddedSuppression = Extract<SuppressionEntry, { readonly action: 'add' }>;

/**
 * What a receipt says so that exports skip whom it erases: also of a user whom they skip already, so that each receipt
 * shows when that ends; nothing of such a session.
 */
export function suppressionsOf(
  { index: { suppressions }, clock, random }: Archive,
  { users, sessions }: Subjects,
): AddedSuppression[] {
  const key = suppressions.key ?? newDigestKey(random);
  const entryOf = (subject: 'user' | 'session', id: string): AddedSuppression => {
    const digest = keyedDigest(key, subject, id);
    return { action: 'add', id: ulid(clock, random), subject, key, digest };
  };
  const entries = [
    ...users.map((user) => entryOf('user', user)),
    ...sessions
      .filter((session) => !suppressions.ofSession(session))
      .map((session) => entryOf('session', session)),
  ];
  // two spellings of a user are one
  return [...new Map(entries.map((entry) => [entry.digest, entry])).values()];
}

/** One of those whom exports skip or skipped; who it is, the archive does not know. */
export interface ListedSuppression extends Omit<
  SuppressionRecord,
  'key' | 'digest' | 'reason' | 'by' | 'back'
> {
  /** Null where it came with an erasure, whose receipt is in `commit`. */
  readonly reason: string | null;
  readonly by: string | null;
  /** Id of the first of the same user or session; null of that one. */
  readonly same_as: string | null;
  /** What is known of the user or session now, whichever has set it last. */
  readonly state: ErasedState;
  /** Number of the commit that has ended this one; null while it is in force. */
  readonly until: number | null;
  /** Number of the commit that has set it again after this one had ended; null while none has. */
  readonly set_again: number | null;
  /** When an export has archived the session again, which ends it, too, or, since it was lifted, something of the user; null while none has. */
  readonly back: NonNullable<SuppressionRecord['back']> | null;
}

/** Lists the suppressions in the order in which they were set. @throws {IntegrityError} */
export async function listSuppressions({ index }: Archive): Promise<ListedSuppression[]> {
  await index.refresh();
  const { suppressions } = index;
  return suppressions.records.map((record) => {
    const { id, subject, since, commit, reason = null, by = null, lifted, back = null } = record;
    const [first] = suppressions.sameAs(record);
    const sameAs = first === undefined || first.id === id ? null : first.id;
    const state = suppressions.stateOf(record);
    const again = suppressions.setAgain(record) ?? null;
    const until = endOf(record) ?? null;
    const known = { same_as: sameAs, state, until, set_again: again };
    return { id, subject, since, commit, reason, by, lifted, back, ...known };
  });
}

/**
 * How many sessions of these users exports skip, at most, and archive again while their users are on hold: those of the
 * newest listing of each spelling, where nobody knows which two of them list, and all that were suppressed since the oldest of
 * these, where the log does not say whose they are, but no more of a receipt than the service had when it was put. A listing
 * that is not whole may have skipped any.
 *
 * @param given default: the users who are on hold now
 * @param commits those that suppress them. Default: all.
 * @throws {IntegrityError}
 */
export async function mayComeBack(
  { index, log }: Archive,
  given?: readonly string[],
  commits?: readonly number[],
): Promise<number> {
  await index.refresh();
  const users =
    given ?? index.holds.flatMap(({ user, release }) => (release === null && user) || []);
  const suppressed = index.suppressions.records.filter(
    (record) =>
      record.subject === 'session' &&
      isInForce(record) &&
      commits?.includes(record.commit) !== false,
  );
  const asked = new Set(users.map(foldedUser));
  const mayBeOfThem = (commit: number): boolean =>
    usersOfReceipt(index.requests, commit)?.some((user) => asked.has(user)) !== false;
  const skipped = suppressed.filter(({ commit }) => mayBeOfThem(commit));
  if (skipped.length === 0 || users.length === 0) return 0;
  const listedIn = new Map<string, number>();
  let told = 0;
  for (const [user, { lastOfAll: listing }] of await index.listings()) {
    const person = foldedUser(user);
    if (!asked.has(person)) continue;
    const since = listing && isListedWhole(listing.entry) ? listing.commit : 0;
    listedIn.set(person, Math.min(listedIn.get(person) ?? Infinity, since));
    told += listing?.entry.suppressed ?? 0;
  }
  const oldest = Math.min(...[...asked].map((person) => listedIn.get(person) ?? 0));
  const byCommit = groupBy(skipped, ({ commit }) => commit);
  let since = 0;
  for (const [commit, { length }] of byCommit) {
    if (commit > oldest) since += Math.min(length, await mostAtService(log, commit));
  }
  return Math.min(skipped.length, told + since);
}

/**
 * The users whom the request of a receipt names, each as one of several spellings; undefined where it has no request, or
 * that names no users, or not all of them any more.
 */
function usersOfReceipt(
  requests: readonly RequestRecord[],
  commit: number,
): readonly string[] | undefined {
  const isItsOwn = ({ erasures = [] }: RequestRecord): boolean =>
    erasures.some((erasure) => erasure.commit === commit);
  const users: readonly string[] = requests.find(isItsOwn)?.users ?? [];
  return users.length === 0 || users.includes(ERASED) ? undefined : users.map(foldedUser);
}

/** How many sessions that a commit suppresses the service may have had: a receipt knows it of those that it erases. */
async function mostAtService(log: Archive['log'], commit: number): Promise<number> {
  const { erasure } = await log.read(commit);
  if (erasure?.stage !== 'begun') return Infinity;
  const { at_service: atService = 0, erased, suppressed } = erasure;
  return atService + Math.max(0, (suppressed?.sessions ?? 0) - erased.sessions);
}

/** Options of `unsuppress` of an open archive. */
export interface LiftChoices {
  readonly users?: readonly string[] | undefined;
  readonly sessions?: readonly string[] | undefined;
  /** Why exports may archive them again. */
  readonly reason: string;
  /** The person who lifts it. */
  readonly by: string;
  /** Record nothing. Default false. */
  readonly dryRun?: boolean | undefined;
  /** Called with the plan before anything is recorded; false declines. Default: no confirmation. */
  readonly confirm?: ((plan: LiftSummary) => Promise<boolean>) | undefined;
}

export interface LiftSummary {
  readonly status: 'lifted' | 'planned' | 'declined';
  readonly archive: string;
  /** Number of the commit; null where nothing was recorded. */
  readonly commit: number | null;
  readonly users: readonly string[];
  readonly sessions: readonly string[];
  /** How many users and sessions exports skip no more. */
  readonly lifted: number;
  /** How many sessions are still suppressed by themselves, whoever's they are: the log has only their digests. */
  readonly sessions_left: number;
}

/**
 * Exports archive these users and sessions again.
 *
 * @throws {UsageError} nothing is named, a text is empty, or exports do not skip one of them
 * @throws {SigningKeyError | SigningStartError} the log is signed, and this run has no key or another one; or is not, and its key may not begin
 */
export async function liftSuppressions(
  archive: Archive,
  { users = [], sessions = [], reason, by, dryRun = false, confirm }: LiftChoices,
): Promise<LiftSummary> {
  if (users.length + sessions.length === 0) {
    throw new UsageError(
      'nothing is named that exports are to archive again; give a user or a session',
    );
  }
  if (reason.trim() === '') throw new UsageError('this needs a reason, and it is empty');
  if (by.trim() === '') throw new UsageError('this needs the name of a person, and it is empty');
  if (!dryRun) await archive.log.assertMayAppend();
  const asked = { users: [...new Set(users)], sessions: [...new Set(sessions)] };
  const look = () => lookToLift(archive, asked);
  await archive.index.refresh();
  const { lifted, sessions_left } = look();
  const location = archive.storage.location;
  const counts = { lifted, sessions_left };
  const plan = { status: 'planned' as const, archive: location, commit: null, ...asked, ...counts };
  if (dryRun) return plan;
  if (confirm && !(await confirm(plan))) return { ...plan, status: 'declined' };
  return appendNote(archive, {
    namesPeople: false,
    plan: (): Planned<LiftSummary> => {
      const { records, ...now } = look();
      const suppressions = records.map(({ id }) => ({ action: 'lift' as const, id, reason, by }));
      const note = { kind: 'suppress' as const, suppressions };
      const told = ({ number: commit }: { readonly number: number }): LiftSummary => {
        return { ...plan, ...now, status: 'lifted', commit };
      };
      return { note, told };
    },
  });
}

/** What a lift of these ends, as of now. @throws {UsageError} exports do not skip one of them */
function lookToLift(archive: Archive, { users, sessions }: Subjects) {
  const { suppressions } = archive.index;
  const found = [
    ...users.map((user) => foundOr(suppressions.ofUser(user), `user "${user}"`, archive)),
    ...sessions.map((session) =>
      foundOr(suppressions.ofSession(session), `session "${session}"`, archive),
    ),
  ];
  const digests = new Set(found.map(({ digest }) => digest));
  const inForce = suppressions.records.filter(isInForce);
  // several receipts may have suppressed one user
  const records = inForce.filter(({ digest }) => digests.has(digest));
  const left = inForce.filter(
    ({ subject, digest }) => subject === 'session' && !digests.has(digest),
  );
  const sessionsLeft = new Set(left.map(({ digest }) => digest)).size;
  return { records, lifted: digests.size, sessions_left: sessionsLeft };
}

function foundOr(
  record: SuppressionRecord | undefined,
  what: string,
  { storage }: Archive,
): SuppressionRecord {
  if (record) return record;
  throw new UsageError(`exports into ${storage.location} do not skip ${what}`);
}
