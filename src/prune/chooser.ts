/** Whose sessions are looked at, and which of them the rules, a plan and the caller select. */
import type { Archive } from '../archive/archive.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import { UsageError } from '../base/usage-error.js';
import { asUserId, type UserId } from '../model/ids.js';
import { sessionKey, type ArchivedSession } from './archived-session.js';
import type { LogFacts } from './log-facts.js';
import type { PruneRules } from './prune-rules.js';
import { refusal } from './refusal.js';
import type { SavedPlan } from './saved-plan.js';
import { selectSessions, type Choice, type Selection } from './select-sessions.js';

export interface ChooserOptions {
  readonly archive: Archive;
  readonly facts: LogFacts;
  readonly rules: PruneRules;
  /** Only what it names. */
  readonly plan?: SavedPlan | undefined;
  /** The caller's own reason, as a sentence, why a session may not go. */
  readonly veto?: ((user: string, session: string) => string | undefined) | undefined;
  /** What to make of a user or a session that is named and not in the archive; default `refuse`. */
  readonly strangers?: 'refuse' | 'skip' | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class Chooser {
  /** The commit in which a plan found each session. */
  readonly #planned: ReadonlyMap<string, number> | undefined;

  constructor(readonly options: ChooserOptions) {
    this.#planned =
      options.plan &&
      new Map(options.plan.sessions.map((of) => [sessionKey(of.user, of.session), of.commit]));
  }

  /** In the order in which they came into the log. The index must be fresh. @throws {UsageError} */
  users(): readonly UserId[] {
    const { rules, plan, archive } = this.options;
    const known = new Set(archive.index.users);
    const named = rules.users.length > 0 ? rules.users : plan?.sessions.map(({ user }) => user);
    const users = new Set((named ?? [...known]).map(asUserId));
    if (this.options.strangers === 'skip') return [...users].filter((user) => known.has(user));
    for (const user of users) {
      if (known.has(user)) continue;
      throw new UsageError(`${archive.storage.location} holds no session of user "${user}"`);
    }
    return [...users];
  }

  select(sessions: readonly ArchivedSession[]): Selection {
    const { rules, clock } = this.options;
    const { chosen, kept, live } = selectSessions(sessions, rules, clock.now());
    return {
      chosen: chosen
        .filter((choice) => this.#isMeant(choice))
        .map((choice) => this.#checked(choice)),
      kept: kept.filter((session) => this.#isMeant(session)),
      live,
    };
  }

  /**
   * Goes through everybody once before anything is deleted.
   *
   * @returns the users with something to do, and what may go, by `sessionKey`
   * @throws {UsageError} a session is named that the archive does not hold
   */
  async survey(signal: AbortSignal): Promise<{ users: UserId[]; wanted: Set<string> }> {
    const { archive, facts, rules, logger } = this.options;
    const users: UserId[] = [];
    const wanted = new Set<string>();
    const unknown = new Set(rules.sessions);
    const idle = new Set(rules.holds);
    for (const user of this.users()) {
      signal.throwIfAborted();
      const { sessions } = await facts.sessionsOf(user);
      const { chosen, kept } = this.select(sessions);
      if (chosen.length + kept.length > 0) users.push(user);
      chosen.filter(mayGo).forEach(({ archived }) => wanted.add(keyOf(archived)));
      idle.delete(user);
      for (const { session } of sessions) {
        unknown.delete(session);
        idle.delete(session);
      }
    }
    for (const session of this.options.strangers === 'skip' ? [] : unknown) {
      throw new UsageError(`${archive.storage.location} holds no session "${session}"`);
    }
    if (idle.size > 0 && rules.users.length === 0 && !this.#planned) {
      // a misspelt hold protects nobody
      logger.warn({ holds: [...idle] }, 'these holds name no user and no session of the archive');
    }
    return { users, wanted };
  }

  #isMeant({ archived }: { readonly archived: ArchivedSession }): boolean {
    return this.#planned?.has(keyOf(archived)) ?? true;
  }

  #checked(choice: Choice): Choice {
    const { archived } = choice;
    const commit = this.#planned?.get(keyOf(archived));
    if (commit !== undefined && commit !== archived.changed.commit) {
      const detail = 'it has changed since the plan was made: make a new one';
      return { archived, refusal: refusal('outdated', detail) };
    }
    const vetoed = this.options.veto?.(archived.user, archived.session);
    return vetoed === undefined ? choice : { archived, refusal: refusal('export', vetoed) };
  }
}

function mayGo({ refusal: forbidden }: Choice): boolean {
  return forbidden === undefined;
}

function keyOf({ user, session }: ArchivedSession): string {
  return sessionKey(user, session);
}
