/** A run's visit to one user: which sessions are read, in which order, which of them whole, and which are left. */
import { BudgetSpentError } from '../../service/pace/request-budget.js';
import type { Rank } from './first-sessions.js';

export interface VisitPlan {
  /** The sessions that are listed, in the order in which they are read. */
  readonly inTurn: <Session extends ListedSession>(
    sessions: readonly Session[],
  ) => readonly { readonly session: Session; readonly rank: Rank }[];
  /** Whether the budget allows for one more session. */
  readonly tryTake: (rank: Rank) => boolean;
  /** Whether the lap reads the session's history whole. */
  readonly isWhole: (session: string) => boolean;
}

export interface ListedSession {
  readonly value: { readonly id: string };
}

export class UserVisit {
  readonly #plan: VisitPlan;
  readonly #ranks = new Map<string, Rank>();
  readonly #postponed: string[] = [];
  #read = 0;
  readonly #brokenOff = new Set<string>();

  constructor(plan: VisitPlan) {
    this.#plan = plan;
  }

  /** Sessions that were read. */
  get read(): number {
    return this.#read;
  }

  /** Sessions that the budget leaves to a later run. */
  get postponed(): readonly string[] {
    return this.#postponed;
  }

  /** Postponed sessions that were begun: the archive's version of them may be out of date. */
  get brokenOff(): ReadonlySet<string> {
    return this.#brokenOff;
  }

  isWhole(session: string): boolean {
    return this.#plan.isWhole(session);
  }

  /** The sessions in the order in which they are to be read. */
  inTurn<Session extends ListedSession>(sessions: readonly Session[]): readonly Session[] {
    const inTurn = this.#plan.inTurn(sessions);
    for (const { session, rank } of inTurn) this.#ranks.set(session.value.id, rank);
    return inTurn.map(({ session }) => session);
  }

  /** Undefined if the budget is spent before the work begins or ends. */
  async take<Outcome>(id: string, work: () => Promise<Outcome>): Promise<Outcome | undefined> {
    if (!this.#plan.tryTake(this.#ranks.get(id) ?? 'new')) {
      this.#postponed.push(id);
      return undefined;
    }
    try {
      const outcome = await work();
      this.#read++;
      return outcome;
    } catch (error) {
      if (!(error instanceof BudgetSpentError)) throw error;
      this.#brokenOff.add(id);
      this.#postponed.push(id);
      return undefined;
    }
  }
}
