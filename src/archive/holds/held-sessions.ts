/**
 * The holds that bind an archive's sessions, and the deletions that a hold may meet under way. Ids of sessions are unique in
 * a project, and a service may know one user by several ids: a hold on a user binds each session that the archive has ever
 * seen under that user, also if it is asked for under another (I-48 in FORMAT.md).
 */
import { assertNotCut } from '../witnesses/cut-log.js';
import { asSessionId, asUserId, type UserId } from '../../model/ids.js';
import { UsageError } from '../../base/error.js';
import type { Archive } from '../archive.js';
import {
  assertHoldsKnown,
  heldForm,
  Holds,
  pairKey,
  type BindingHold,
  type HoldTarget,
} from './holds.js';
import type { HoldRecord } from '../log/notes.js';
import { foldedUser, isSameUser, otherSpellings } from '../../model/user-spelling.js';
import { sha256Hex } from '../../base/digest.js';
import { writtenIntents } from '../open-deletions.js';
import { mayBeAtWork } from '../runs/lease.js';

export interface WhyHeldChoices {
  /** Holds beside those of the log. Default: none. */
  readonly given?: Holds | undefined;
  /** Whether a given hold may match nothing in the archive. Default false. */
  readonly allowUnknownHolds?: boolean | undefined;
  /** Whether a session that the archive has never had is an error: its holds say nothing of that. Default false. */
  readonly mustBeKnown?: boolean | undefined;
}

interface OneSession {
  readonly user: string;
  readonly session: string;
}

/** Why a session is held, as a sentence; undefined if it is not. @throws {UsageError} a given hold matches nothing, or `mustBeKnown` */
export async function whyHeld(
  archive: Archive,
  { user, session }: OneSession,
  { given = Holds.none, allowUnknownHolds = false, mustBeKnown = false }: WhyHeldChoices,
): Promise<string | undefined> {
  await assertNotCut(archive); // a hold may be in what is not there
  await archive.index.refresh();
  const held = (await new HeldSessions(archive, given).now()).reasonFor(user, session);
  // a hold that protects nobody is told before anything goes, not where it stays anyway
  if (held === undefined && !allowUnknownHolds) await assertHoldsKnown(archive, given);
  if (held === undefined && mustBeKnown && !(await hasSession(archive, { user, session }))) {
    throw new UsageError(unknownText(archive, session));
  }
  return held;
}

function unknownText({ storage, index }: Archive, session: string): string {
  const { location } = storage;
  const nothing = 'so its holds say nothing of it, and nothing was deleted';
  // an erasure does not tell what it took: to export it would bring somebody back
  return index.lastErasure > 0
    ? `${location} does not have session ${session}, from which sessions were erased, ${nothing}: --without-archive deletes it without a look at holds; to name another archive, --out`
    : `${location} has never had session ${session}, ${nothing}: export it first, or name another archive with --out`;
}

/** Whether the archive has ever had the session, of this user or of another. @throws {IntegrityError} */
async function hasSession(
  { index, states }: Archive,
  { user, session }: OneSession,
): Promise<boolean> {
  await index.refresh();
  for (const owner of new Set([asUserId(user), ...index.users])) {
    if ((await states.load(owner)).sessions.has(asSessionId(session))) return true;
  }
  return false;
}

/**
 * The users of the log who are spellings of these and of whom anything is on hold, those given among them.
 *
 * @param archive its index must be up to date
 * @throws {IntegrityError}
 */
export async function spellingsOnHold(
  { index, states }: Archive,
  holds: Holds,
  users: readonly string[],
): Promise<UserId[]> {
  const folded = new Set(users.map(foldedUser));
  const spellings = (await index.allUsers()).filter((user) => folded.has(foldedUser(user)));
  const found: UserId[] = [];
  for (const user of spellings) {
    const { sessions } = await states.loadAsOf(user, index.through);
    const isHeld = (session: string) => holds.reasonFor(user, session) !== undefined;
    if (holds.userReason(user) !== undefined || [...sessions.keys()].some(isHeld)) found.push(user);
  }
  return found;
}

/** The sessions of a user in the log, and how many commits had changed them. */
interface SeenSessions {
  readonly commits: number;
  readonly sessions: readonly string[];
}

export class HeldSessions {
  readonly #archive: Archive;
  /** Given by the caller, beside those of the log. */
  readonly #given: Holds;
  /** Ids of holds of the log that do not count. */
  readonly #without: ReadonlySet<string>;
  readonly #seen = new Map<UserId, SeenSessions>();
  /** Users who were found to list no session of anybody held, whose sessions had this digest. */
  readonly #apart = new Map<UserId, { readonly commits: number; readonly ids: string }>();
  /** Users who were found to be the same person as a held one. */
  #same: ReadonlySet<UserId> = new Set();
  #last: { readonly through: number; readonly holds: Holds } | undefined;

  constructor(archive: Archive, given: Holds, without: ReadonlySet<string> = new Set()) {
    this.#archive = archive;
    this.#given = given;
    this.#without = without;
  }

  /**
   * The given holds and those in force, as of the newest commit that the index knows. Reads the states of users whom
   * a hold names, and again only of those who have changed since the last call.
   *
   * @throws {IntegrityError}
   */
  async now(): Promise<Holds> {
    const { index } = this.#archive;
    const { through } = index;
    if (this.#last?.through === through) return this.#last.holds;
    const given = await this.#unseenPairsAsIds();
    const holds = given.with(Holds.inLog(this.#archive, this.#without));
    const seen = new Map<string, string>();
    for (const user of index.users) {
      if (!holds.namesUser(user)) continue;
      for (const session of await this.#sessionsOf(user)) {
        if (holds.reasonFor(user, session) !== undefined) seen.set(heldForm(session), user);
      }
    }
    const bound = await this.#withSamePersons(new Holds(holds.entries, seen));
    this.#last = { through, holds: bound };
    return bound;
  }

  /**
   * A user whom the service calls by another id has the same sessions, and new ones that no hold has seen: whoever lists a
   * session of a held user counts as that one, and so does who lists one of theirs.
   */
  async #withSamePersons(holds: Holds): Promise<Holds> {
    const held = holds.sessionsOfUsers;
    if (held.size === 0) return holds;
    const { index, states } = this.#archive;
    const { through } = index;
    const same = { users: new Map<string, string>(), sessions: new Map<string, string>() };
    const look = async (users: Iterable<UserId>): Promise<void> => {
      for (let before = -1; before < same.users.size;) {
        before = same.users.size;
        const ids = sha256Hex(JSON.stringify([...held.keys(), ...same.sessions.keys()].sort()));
        for (const user of users) {
          const commits = index.commitsTouching(user).length;
          const known = this.#apart.get(user);
          const isKnown = known?.commits === commits && known.ids === ids;
          if (isKnown || holds.holdsUser(user) || same.users.has(user)) continue;
          const { sessions } = await states.loadAsOf(user, through);
          const listed = [...sessions.keys()].map(heldForm);
          const knownId = listed.find((id) => held.has(id) || same.sessions.has(id)) ?? '';
          const owner = held.get(knownId) ?? same.sessions.get(knownId);
          if (owner === undefined) {
            this.#apart.set(user, { commits, ids });
            continue;
          }
          same.users.set(user, owner);
          for (const id of listed) same.sessions.set(id, owner);
        }
      }
    };
    // first those who were the same person before: all others are then compared with the same ids as the last time
    await look(this.#same);
    await look(index.users);
    this.#same = new Set([...same.users.keys()].map(asUserId));
    return holds.withSamePersons(same);
  }

  async #unseenPairsAsIds(): Promise<Holds> {
    const given = this.#given;
    const isOfPair = ({ user, session }: HoldTarget) => user !== undefined && session !== undefined;
    if (!given.targets.some(isOfPair)) return given;
    const seen = new Set<string>();
    for (const user of this.#archive.index.users) {
      if (!given.namesUser(user)) continue;
      for (const session of await this.#sessionsOf(user)) seen.add(pairKey(user, session));
    }
    return given.withUnseenPairsAsIds((pair) => seen.has(pair));
  }

  async #sessionsOf(user: UserId): Promise<readonly string[]> {
    const { index, states } = this.#archive;
    const known = this.#seen.get(user);
    if (known?.commits === index.commitsTouching(user).length) return known.sessions;
    const { sessions } = await states.load(user);
    const seen = { commits: index.commitsTouching(user).length, sessions: [...sessions.keys()] };
    this.#seen.set(user, seen);
    return seen.sessions;
  }
}

/** Whom a hold binds beside the user whom it names. */
type HeldWith = Pick<BindingHold, 'spellings' | 'samePersons'>;

const NOBODY_ELSE: HeldWith = { spellings: new Set(), samePersons: new Set() };

/** The holds as they name users and sessions: enough where everybody is there, also whom they name. */
export function holdsByName(holds: readonly HoldRecord[]): BindingHold[] {
  return holds.map((hold) => ({ ...hold, ...NOBODY_ELSE }));
}

/**
 * Holds of the log, each with the users whom it binds as another spelling or as the same person. Reads no state where no user is on hold.
 *
 * @param archive its index must be up to date
 * @param holds default: all
 * @throws {IntegrityError}
 */
export async function bindingHolds(
  archive: Archive,
  holds: readonly HoldRecord[] = archive.index.holds,
): Promise<BindingHold[]> {
  if (!holds.some(isOnUser)) return holdsByName(holds);
  const { index } = archive;
  const { through } = index;
  let known = heldWithOf.get(index);
  if (known?.through !== through) {
    known = { through, byHold: heldWithByHold(archive) };
    heldWithOf.set(index, known);
    known.byHold.catch(() => heldWithOf.delete(index));
  }
  const byHold = await known.byHold;
  return holds.map((hold) => ({ ...hold, ...(byHold.get(hold.id) ?? NOBODY_ELSE) }));
}

type HeldWithByHold = ReadonlyMap<string, HeldWith>;

/** What a reading of many users asks for again for each of them, as of one commit. */
const heldWithOf = new WeakMap<
  Archive['index'],
  { readonly through: number; readonly byHold: Promise<HeldWithByHold> }
>();

async function heldWithByHold(archive: Archive): Promise<HeldWithByHold> {
  const { holds, through, users } = archive.index;
  const bound = await new HeldSessions(archive, Holds.none).now();
  const same = new Set(bound.samePersons);
  const sessionsOf = new Map<string, readonly string[]>();
  const listedBy = new Map<string, string[]>();
  for (const user of users) {
    if (!bound.holdsUser(user) && !same.has(user)) continue;
    const { sessions } = await archive.states.loadAsOf(user, through);
    const ids = [...sessions.keys()].map(heldForm);
    sessionsOf.set(user, ids);
    for (const id of ids) listedBy.set(id, [...(listedBy.get(id) ?? []), user]);
  }
  const byHold = holds.filter(isOnUser).map((hold) => {
    const isNamed = (user: string) => isSameUser(user, hold.user ?? '');
    const found = new Set([...sessionsOf.keys()].filter(isNamed));
    // whoever is added is looked at, too
    for (const user of found) {
      for (const id of sessionsOf.get(user) ?? []) {
        for (const other of listedBy.get(id) ?? []) found.add(other);
      }
    }
    const samePersons = new Set([...found].filter((user) => !isNamed(user)));
    const spellings = new Set<string>(otherSpellings([hold.user ?? ''], [...sessionsOf.keys()]));
    return [hold.id, { spellings, samePersons }] as const;
  });
  return new Map(byHold);
}

function isOnUser({ user, release }: HoldRecord): boolean {
  return user !== null && release === null;
}

const TOO_LATE =
  'was about to be deleted from the service when the hold was set, which may have come too late: look whether it is still there';

/**
 * Tells of held sessions that a run may be deleting right now. Called after the commit of a hold: a prune reads the log
 * after it has written its intent, so either it sees the hold, or the intent is seen here.
 */
export async function tellOfDeletions(archive: Archive): Promise<void> {
  const { storage, logger } = archive;
  let holds: Holds | undefined;
  for await (const { run, subject } of writtenIntents(storage)) {
    if (run === undefined || !subject || !(await mayBeAtWork(run, archive))) continue;
    const { user, session } = { user: String(subject.user), session: String(subject.session) };
    holds ??= await new HeldSessions(archive, Holds.none).now();
    if (holds.reasonFor(user, session) === undefined) continue;
    logger.warn({ user, session, run }, `session ${JSON.stringify(session)} ${TOO_LATE}`);
  }
}
