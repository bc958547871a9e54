/** Chooses whose sessions are considered, and which of them the rules, a plan and the caller select. */
import type { Archive } from '../archive/archive.js';
import { HeldSessions } from '../archive/holds/held-sessions.js';
import { assertHoldsKnown, type Holds } from '../archive/holds/holds.js';
import { Spellings } from '../archive/reading/users/listed-again.js';
import { assertUsersKnown, noSuchSession } from '../archive/reading/selection.js';
import { asUserId, sessionKey, type UserId } from '../model/ids.js';
import { keyOfAnySpelling } from '../model/user-spelling.js';
import { ComparedSessions } from './compared-sessions.js';
import { isLive, type ArchivedSession } from '../archive/state/archived-session.js';
import type { LogFacts } from '../archive/state/log-facts.js';
import type { PruneRules } from './prune-rules.js';
import type { PrunedSession, PruneSummary } from './prune-summary.js';
import { refusal, type PruneRefusal } from './refusal.js';
import type { SavedPlan } from './plan/saved-plan.js';
import {
  type IsListed,
  type Kept,
  selectSessions,
  type SelectedSession,
  type SelectedSessions,
} from './selection-rules.js';

export interface SelectorOptions {
  readonly archive: Archive;
  readonly facts: LogFacts;
  readonly rules: PruneRules;
  /** Only what it names. */
  readonly plan?: SavedPlan | undefined;
  /** The caller's own reason, as a sentence, why a session may not go. */
  readonly veto?: ((user: string, session: string) => string | undefined) | undefined;
  /** What happens with named users and sessions that are not in the archive; default `error`. */
  readonly unknownIds?: 'error' | 'skip' | undefined;
  /** What somebody has agreed to: nothing else may go. */
  readonly agreed?: ShownPlan | undefined;
  /** Sessions that are in scope; default: every one that the rules select. */
  readonly selects?: ((user: string, session: string) => boolean) | undefined;
}

interface ShownPlan {
  readonly summary: Pick<PruneSummary, 'sessions'>;
  readonly saved: SavedPlan;
}

export interface PruneSurvey {
  /** The users with something to do. */
  readonly users: readonly UserId[];
  /** Sessions that anything is to be said of, by `sessionKey`. */
  readonly inScope: ReadonlySet<string>;
  /** The sessions in scope that may go. */
  readonly wanted: ReadonlySet<string>;
  /** Sessions that somebody has named and the service has no more, as the log knows: nothing is done about them. */
  readonly goneBefore: readonly ArchivedSession[];
  /** What the archive has of the users considered, compared. */
  readonly compared: ComparedSessions;
}

export class SessionSelector {
  /** By `sessionKey`, as a plan found each session. */
  readonly #planned: ReadonlyMap<string, PlannedSession> | undefined;
  readonly #agreed: ReadonlyMap<string, PlannedSession> | undefined;
  /** The spelling under which each session was agreed to go, by `keyOfAnySpelling`: under the others nothing is said of it. */
  readonly #agreedOf: ReadonlyMap<string, string>;
  /** As the plan that was agreed to has shown each, by `sessionKey`. */
  readonly #shown: ReadonlyMap<string, PrunedSession>;
  readonly #held: HeldSessions;
  /** What the rules keep of users that were surveyed, by the id of the session: it stays, whoever else lists it. */
  readonly #keptOf = new Map<string, Kept>();
  /** What the survey has compared. */
  #others: ComparedSessions | undefined;
  /** What goes, by `keyOfAnySpelling`. */
  readonly #going = new Set<string>();
  /** As of the survey. */
  spellings: Spellings | undefined;
  /** Somebody asked for just these sessions. */
  readonly #isOfSessions: boolean;

  constructor(readonly options: SelectorOptions) {
    this.#isOfSessions = options.plan !== undefined || options.rules.sessions.length > 0;
    this.#held = new HeldSessions(options.archive, options.rules.holds);
    this.#planned = options.plan && sessionsOf(options.plan);
    this.#agreed = options.agreed && sessionsOf(options.agreed.saved);
    const agreed = options.agreed?.saved.sessions ?? [];
    this.#agreedOf = new Map(
      agreed.map(({ user, session }) => [keyOfAnySpelling(user, session), user]),
    );
    const shown = options.agreed?.summary.sessions ?? [];
    this.#shown = new Map(shown.map((one) => [sessionKey(one.user, one.session), one]));
  }

  /** In the order in which they came into the log. The index must be fresh. @throws {UsageError} */
  async users(): Promise<readonly UserId[]> {
    const { rules, plan, archive } = this.options;
    const known = new Set(archive.index.users);
    const all = rules.users.length > 0 ? rules.users : [...known];
    const users = new Set((plan?.sessions.map(({ user }) => user) ?? all).map(asUserId));
    if (this.options.unknownIds === 'skip') return [...users].filter((user) => known.has(user));
    await assertUsersKnown(archive, [...users]);
    return [...users];
  }

  /** What binds as of the newest commit that the index knows: the given holds and those of the log. */
  readonly holds = (): Promise<Holds> => this.#held.now();

  /** Whether somebody asked for just what is held: these sessions, or a user who is on hold. An export names no user for that. */
  async isNamed(user: UserId): Promise<boolean> {
    const { rules, unknownIds } = this.options;
    if (this.#isOfSessions) return true;
    const isAsked = unknownIds !== 'skip' && rules.users.includes(user);
    return isAsked && (await this.holds()).userReason(user) !== undefined;
  }

  /** As the attempt, and remembers what goes: a deletion under one spelling is one under the others, which do not select it again. */
  goingOnce(attempt: (archived: ArchivedSession) => Promise<boolean>): typeof attempt {
    return async (archived) => {
      const goes = await attempt(archived);
      if (goes) this.#going.add(keyOfAnySpelling(archived.user, archived.session));
      return goes;
    };
  }

  async select(known: readonly ArchivedSession[], isListed?: IsListed): Promise<SelectedSessions> {
    const { clock } = this.options.archive;
    const sessions = known.filter(
      ({ user, session }) => !this.#going.has(keyOfAnySpelling(user, session)),
    );
    const rules = { ...this.options.rules, holds: await this.holds() };
    const own = selectSessions(sessions, rules, clock.now(), isListed);
    const selection = this.#withKeptOfOthers(own);
    const { kept, live } = selection;
    const all = this.#planned ? withUnselected(selection, sessions) : selection.chosen;
    const chosen: SelectedSession[] = [];
    const keptWhenShown: Kept[] = [];
    for (const choice of all) {
      if (!this.#isInScope(choice)) continue;
      const checked = this.#checked(await this.#compared(choice));
      const why = this.#whyKeptWhenShown(checked);
      if (why === undefined) chosen.push(checked);
      else keptWhenShown.push({ archived: checked.archived, why });
    }
    const keptOfThese = this.#planned ? [] : kept.filter((session) => this.#isInScope(session));
    return { chosen, kept: [...keptWhenShown, ...keptOfThese], live };
  }

  /**
   * Goes through everybody once before anything is deleted.
   *
   * @throws {UsageError} a session is named that the archive does not hold, or a hold matches nothing
   */
  async survey(signal: AbortSignal): Promise<PruneSurvey> {
    const { archive, facts, rules } = this.options;
    if (!rules.allowUnknownHolds) await assertHoldsKnown(archive, rules.holds);
    const users: UserId[] = [];
    const [inScope, wanted] = [new Set<string>(), new Set<string>()];
    const named =
      this.options.unknownIds === 'skip' ? new Map<string, never>() : new Map(this.#named());
    const unknown = new Map(named);
    const goneBefore: ArchivedSession[] = [];
    const compared = new ComparedSessions(archive.index.through);
    this.spellings = await Spellings.in(archive);
    // what may go under several spellings goes under the one for which it counts
    for (const user of this.spellings.spellingsInOrder(await this.users())) {
      signal.throwIfAborted();
      const { sessions } = await facts.sessionsAsKnown(user);
      const { chosen, kept } = await this.select(sessions);
      for (const one of kept) {
        // what stays only because of another spelling stays because of that one
        if (!this.#keptOf.has(one.archived.session)) this.#keptOf.set(one.archived.session, one);
      }
      if (chosen.length + kept.length > 0) users.push(user);
      for (const { archived } of [...chosen, ...kept]) inScope.add(keyOf(archived));
      chosen.filter(mayGo).forEach(({ archived }) => wanted.add(keyOf(archived)));
      for (const archived of sessions) {
        const name = this.#planned ? keyOf(archived) : archived.session;
        unknown.delete(name);
        if (named.has(name) && !isLive(archived.state)) goneBefore.push(archived);
        compared.add(archived);
      }
    }
    for (const [session, users] of unknown.values()) {
      throw await noSuchSession(archive, session, users);
    }
    this.#others = compared;
    return { users, inScope, wanted, goneBefore, compared };
  }

  /**
   * Compares what may go with the sessions of everybody else: one of anybody may have answered for it.
   *
   * @throws {IntegrityError} the log is damaged
   */
  async compareWithOthers({ compared, wanted }: PruneSurvey, signal: AbortSignal): Promise<void> {
    const { index, states } = this.options.archive;
    if (wanted.size === 0) return;
    const considered = new Set(await this.users());
    const others = index.users.filter((user) => !considered.has(user));
    for (const user of others) {
      signal.throwIfAborted();
      const { sessions } = await states.loadAsOf(user, index.through);
      for (const [session, state] of sessions) compared.compareWith({ user, session, state });
    }
  }

  /** What another user has more of goes only under that one: a plan says so, too. */
  async #compared(choice: SelectedSession): Promise<SelectedSession> {
    if (choice.refusal !== undefined) return choice;
    const { states } = this.options.archive;
    const refused = await this.#others?.refusalOf(choice.archived, states);
    return refused ? { ...choice, refusal: refused } : choice;
  }

  /** Sessions that must be in the archive, each with the users of whom it must be. */
  *#named(): Iterable<readonly [string, readonly [string, readonly string[]]]> {
    const { rules } = this.options;
    for (const [key, { user, session }] of this.#planned ?? []) yield [key, [session, [user]]];
    if (!this.#planned) for (const id of rules.sessions) yield [id, [id, rules.users]];
  }

  /** A conversation that two users list is one: what the rules keep of one of them is not deleted for the other. */
  #withKeptOfOthers({ chosen, kept, live }: SelectedSessions): SelectedSessions {
    const keptElsewhere = chosen.flatMap(({ archived }) => {
      const other = this.#keptOf.get(archived.session);
      if (!other || other.archived.user === archived.user) return [];
      const why = `kept of ${other.archived.user}, who lists it, too: ${other.why}`;
      return [{ archived, why }];
    });
    if (keptElsewhere.length === 0) return { chosen, kept, live };
    const stays = new Set(keptElsewhere.map(({ archived }) => archived));
    const goes = chosen.filter(({ archived }) => !stays.has(archived));
    return { chosen: goes, kept: [...kept, ...keptElsewhere], live };
  }

  #isInScope({ archived }: { readonly archived: ArchivedSession }): boolean {
    const { user, session } = archived;
    if (this.options.selects?.(user, session) === false) return false;
    if ((this.#agreedOf.get(keyOfAnySpelling(user, session)) ?? user) !== user) return false;
    return this.#planned?.has(keyOf(archived)) ?? true;
  }

  #isAgreed(archived: ArchivedSession): boolean {
    return !this.#agreed || this.#agreed.get(keyOf(archived))?.commit === archived.changed.commit;
  }

  /** By the clock alone: what else was against it is against it still. */
  #refusedWhenShown(archived: ArchivedSession): PruneRefusal | undefined {
    const shown = this.#shown.get(keyOf(archived));
    return shown?.reason === 'clock' ? refusal('clock', shown.detail ?? '') : undefined;
  }

  /** What the plan that was agreed to has kept, and has not changed, stays for the reason that was shown. */
  #whyKeptWhenShown({ archived, refusal: forbidden }: SelectedSession): string | undefined {
    if (forbidden !== undefined && forbidden !== CHANGED_SINCE) return undefined;
    const shown = this.#shown.get(keyOf(archived));
    const isSame = shown?.outcome === 'kept' && shown.commit === archived.changed.commit;
    return isSame ? (shown.detail ?? undefined) : undefined;
  }

  #checked(choice: SelectedSession): SelectedSession {
    const { archived } = choice;
    const vetoed = this.options.veto?.(archived.user, archived.session);
    // a reason of its own first: what was not agreed to for it has not changed since
    if (vetoed !== undefined) return { archived, refusal: refusal('export', vetoed) };
    if (choice.refusal === undefined && !this.#isAgreed(archived)) {
      return { archived, refusal: this.#refusedWhenShown(archived) ?? CHANGED_SINCE };
    }
    const planned = this.#planned?.get(keyOf(archived));
    if (planned && !isAsPlanned(planned, archived)) {
      const detail = 'it has changed since the plan was made: make a new one';
      return { archived, refusal: refusal('outdated', detail) };
    }
    return choice;
  }
}

const CHANGED_SINCE = refusal(
  'outdated',
  'it has changed since the plan was shown: the next run shows it again',
);

type PlannedSession = SavedPlan['sessions'][number];

function sessionsOf({ sessions }: SavedPlan): ReadonlyMap<string, PlannedSession> {
  return new Map(sessions.map((planned) => [sessionKey(planned.user, planned.session), planned]));
}

function isAsPlanned({ commit, jobs }: PlannedSession, { changed, state }: ArchivedSession) {
  return commit === changed.commit && jobs === state.jobs.size;
}

/** What the service should still have and the rules do not select is refused: a plan may name it all the same. */
function withUnselected(
  { chosen, kept }: SelectedSessions,
  sessions: readonly ArchivedSession[],
): readonly SelectedSession[] {
  const selected = new Set(chosen.map(({ archived }) => archived));
  const others = sessions.filter((session) => isLive(session.state) && !selected.has(session));
  const unselected = others.map((archived) => {
    const why = kept.find((entry) => entry.archived === archived)?.why ?? 'they name others';
    const detail = `the rules of the plan do not select it: ${why}`;
    return { archived, refusal: refusal('not-selected', detail) };
  });
  return [...chosen, ...unselected];
}

function mayGo({ refusal: forbidden }: SelectedSession): boolean {
  return forbidden === undefined;
}

function keyOf({ user, session }: ArchivedSession): string {
  return sessionKey(user, session);
}
