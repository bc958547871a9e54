/** What the budget of a run has left for later runs, in words. */
import { clauses } from '../base/text/clauses.js';
import { counted } from '../base/text/counted.js';

/** Users not listed, sessions not checked; `spellings` of users whose sessions were all read under others; `datasets` is 1 where some are left. */
export type LeftByBudget = Readonly<
  Partial<Record<'users' | 'sessions' | 'spellings' | 'datasets', number>>
>;

/** `1 user not listed, 12 conversations not checked`; empty of nothing. */
export function leftByBudgetText({
  users = 0,
  sessions = 0,
  spellings = 0,
  datasets = 0,
}: LeftByBudget): string {
  return clauses(
    ', ',
    users > 0 && `${counted(users, 'user')} not listed`,
    sessions > 0 && `${counted(sessions, 'conversation')} not checked`,
    spellings > 0 && `${counted(spellings, 'spelling')} of a user read in part`,
    datasets > 0 && 'datasets not all read',
  );
}
