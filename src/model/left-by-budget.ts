/** What the budget of a run has left for later runs, in words. */
import { counted } from '../base/text/counted.js';

/** `1 user not listed, 12 conversations not checked` */
export function leftByBudgetText({
  users = 0,
  sessions = 0,
}: {
  readonly users?: number;
  readonly sessions?: number;
}): string {
  return `${counted(users, 'user')} not listed, ${counted(sessions, 'conversation')} not checked`;
}
