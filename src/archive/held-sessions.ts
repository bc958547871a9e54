/**
 * The holds that bind an archive's sessions. Ids of sessions are unique in a project, and a service may know one
 * user by several ids: a hold on a user binds each session that the archive has ever seen under that user, also if
 * it is asked for under another (I-48 in FORMAT.md).
 */
import { asSessionId, asUserId, type UserId } from '../model/ids.js';
import { UsageError } from '../base/error.js';
import type { Archive } from './archive.js';
import { assertHoldsKnown, heldForm, Holds, pairKey, type HoldTarget } from './holds.js';

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
  { index, states }: Pick<Archive, 'index' | 'states'>,
  { user, session }: OneSession,
): Promise<boolean> {
  await index.refresh();
  const others = index.users.filter((other) => other !== user);
  for (const one of [asUserId(user), ...others]) {
    if ((await states.load(one)).sessions.has(asSessionId(session))) return true;
  }
  return false;
}

interface SeenArchive extends Pick<Archive, 'index'> {
  readonly states: Pick<Archive['states'], 'load'>;
}

/** The sessions of a user in the log, and how many commits had changed them. */
interface SeenSessions {
  readonly commits: number;
  readonly sessions: readonly string[];
}

export class HeldSessions {
  readonly #archive: SeenArchive;
  /** Given by the caller, beside those of the log. */
  readonly #given: Holds;
  readonly #seen = new Map<UserId, SeenSessions>();
  #last: { readonly through: number; readonly holds: Holds } | undefined;

  constructor(archive: SeenArchive, given: Holds) {
    this.#archive = archive;
    this.#given = given;
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
    const holds = given.with(Holds.inLog(this.#archive));
    const seen = new Map<string, string>();
    for (const user of index.users) {
      if (!holds.namesUser(user)) continue;
      for (const session of await this.#sessionsOf(user)) {
        if (holds.reasonFor(user, session) !== undefined) seen.set(heldForm(session), user);
      }
    }
    this.#last = { through, holds: new Holds(holds.entries, seen) };
    return this.#last.holds;
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
