/** Users whose oldest sessions the service soon forgets: who they are, and what ends it. */
import { counted } from '../base/text/counted.js';
import { LIMITS } from './records.js';

const AT_THE_CAP = LIMITS.sessionsPerUser - 10;

/** As many free slots of a user at the cap as put an end to it. */
export const SLOTS_OFF_THE_CAP = LIMITS.sessionsPerUser - AT_THE_CAP + 1;

/** Whether the service soon forgets the oldest sessions of a user, of whom it lists so many. */
export function isAtTheCap(listed: number): boolean {
  return listed >= AT_THE_CAP;
}

/** `2 users with 140 conversations or more at the service, which keeps 150` */
export function usersAtTheCap(count: number): string {
  return `${counted(count, 'user')} with ${AT_THE_CAP} conversations or more at the service, which keeps ${LIMITS.sessionsPerUser}`;
}
