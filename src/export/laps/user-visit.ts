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
  /** Called with 1 when a session begins, and with -1 when it ends. */
  readonly onRunning: (more: 1 | -1) => void;
  /** Whether the lap reads the session's history whole. */
  readonly isWhole: (session: string) => boolean;
}

export interface ListedSession {
  readonly value: { readonly id: string };
}

export class UserVisit {
  readonly #plan: VisitPlan;
  readonly #ranks = new Map<string, Rank>();
  readonly #left: string[] = [];
  #read = 0;
  #hasBrokenOff = false;

  constructor(plan: VisitPlan) {
    this.#plan = plan;
  }

  /** Sessions that were read. */
  get read(): number {
    return this.#read;
  }

  /** Sessions that the budget left to a later run. */
  get left(): readonly string[] {
    return this.#left;
  }

  /** Whether one of those is left that come first. */
  get hasLeftFirst(): boolean {
    return this.#left.some((session) => {
      const rank = this.#ranks.get(session);
      return rank !== 'other' && rank !== 'passed';
    });
  }

  /** Whether a session was begun and not finished: the archive's version of it may be out of date. */
  get hasBrokenOff(): boolean {
    return this.#hasBrokenOff;
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
      this.#left.push(id);
      return undefined;
    }
    this.#plan.onRunning(1);
    try {
      const outcome = await work();
      this.#read++;
      return outcome;
    } catch (error) {
      if (!(error instanceof BudgetSpentError)) throw error;
      this.#hasBrokenOff = true;
      this.#left.push(id);
      return undefined;
    } finally {
      this.#plan.onRunning(-1);
    }
  }
}
