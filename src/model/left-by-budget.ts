/** What the budget of a run has left for later runs, in words. */
import { clauses } from '../base/text/clauses.js';
import { counted } from '../base/text/counted.js';

/** Users not listed, sessions not checked; `datasets` is 1 where some are left. */
export type LeftByBudget = Readonly<Partial<Record<'users' | 'sessions' | 'datasets', number>>>;

/** `1 user not listed, 12 conversations not checked`; empty of nothing. */
export function leftByBudgetText({ users = 0, sessions = 0, datasets = 0 }: LeftByBudget): string {
  return clauses(
    ', ',
    users + sessions > 0 &&
      `${counted(users, 'user')} not listed, ${counted(sessions, 'conversation')} not checked`,
    datasets > 0 && 'datasets not all read',
  );
}
