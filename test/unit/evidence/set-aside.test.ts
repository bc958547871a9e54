import { expect, it } from 'vitest';
import type { Batch, SessionPlan } from '../../../src/evidence/plan.js';
import { SetAside } from '../../../src/evidence/set-aside.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';

const plan = (session: string): SessionPlan =>
  ({ session, jobs: new Map() }) as unknown as SessionPlan;

it('a pack ends where a row is of no session of its batch: it is not put into another one', async () => {
  const users = new Map([['ann', { sessions: new Map([['s1', plan('s1')]]) }]]);
  const aside = await SetAside.open(createMemoryStorage(), { users } as unknown as Batch);
  await expect(aside.add(plan('s2'), undefined, {} as never)).rejects.toThrow(
    'a bug: session s2 of the batch is missing',
  );
  await aside.discard();
});
