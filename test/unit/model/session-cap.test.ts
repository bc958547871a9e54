import { expect, it } from 'vitest';
import { LIMITS } from '../../../src/model/records.js';
import { isAtTheCap, SLOTS_OFF_THE_CAP } from '../../../src/model/session-cap.js';

it('a user who has as many free slots as are proposed is not at the cap, and with one less is', () => {
  const listed = LIMITS.sessionsPerUser - SLOTS_OFF_THE_CAP;
  expect([listed, listed + 1].map(isAtTheCap)).toEqual([false, true]);
});
