/** The machine sleeps between the final check and the DELETE: the monotonic clock stands still meanwhile. */
import { expect, it } from 'vitest';
import { ATTEMPT, deleting } from '../../support/http/one-deletion.js';
import { fault } from '../../support/base/fault.js';

it(
  'a final check from before a sleep is repeated, although the monotonic clock stood still',
  fault('F-117'),
  async () => {
    const { one, deletion } = deleting();
    let sleptMs = 0;
    const now = one.clock.now.bind(one.clock);
    one.clock.now = () => now() + sleptMs;
    one.before = (operation, count) => {
      if (operation === 'getHistory' && count === 1) sleptMs = 8 * 3_600_000;
    };
    expect(await deletion.run()).toMatchObject({ outcome: 'confirmed' });
    expect(one.asked).toEqual(['getSession', 'getHistory', ...ATTEMPT, 'getSession']);
    expect(deletion.moments).toEqual([0]);
  },
);
