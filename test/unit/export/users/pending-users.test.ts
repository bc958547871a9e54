import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { StateStore } from '../../../../src/archive/state/state-store.js';
import { emptyState, type UserState } from '../../../../src/archive/state/user-state.js';
import { PendingUsers, SAVED_AT_A_TIME } from '../../../../src/export/users/pending-users.js';
import { asUserId } from '../../../../src/model/ids.js';

const USERS = Array.from({ length: 3 * SAVED_AT_A_TIME }, (_, i) => asUserId(`user ${i}`));

describe('the states of users whom a commit holds', () => {
  it('are all saved as of the newest commit, a bounded number at a time', async () => {
    const [saved, forgotten]: [string[], number[]] = [[], []];
    let [saving, most] = [0, 0];
    const pending = new PendingUsers(
      USERS,
      storeOf(async ({ user }) => {
        most = Math.max(most, ++saving);
        await nextTurn();
        saving--;
        expect(forgotten).toEqual([]);
        saved.push(user);
      }, forgotten),
    );
    await pending.saveStates(7, USERS);
    expect(forgotten).toEqual([7]);
    expect(saved.toSorted()).toEqual(USERS.toSorted());
    expect(most).toBe(SAVED_AT_A_TIME);
    expect(USERS.map((user) => pending.stateOf(user)?.through)).toEqual(USERS.map(() => 7));
  });

  it('are not all saved where one cannot be, and the run hears why when no save is under way', async () => {
    let saving = 0;
    const pending = new PendingUsers(
      USERS,
      storeOf(async ({ user }) => {
        saving++;
        await nextTurn();
        saving--;
        if (user === 'user 3') throw new Error('disk full');
      }),
    );
    await expect(pending.saveStates(7, USERS)).rejects.toThrow('disk full');
    expect(saving).toBe(0);
    expect(pending.stateOf(asUserId('user 3'))).toBeUndefined();
    expect(pending.stateOf(asUserId('user 47'))).toBeUndefined();
  });
});

function storeOf(save: (state: UserState) => Promise<void>, forgotten: number[] = []): StateStore {
  const store: Pick<StateStore, 'load' | 'update' | 'save' | 'forgetCommit'> = {
    load: (user) => Promise.resolve({ ...emptyState(user), through: 7 }),
    update: (state) => Promise.resolve({ ...state, through: 7 }),
    save,
    forgetCommit: (number) => void forgotten.push(number),
  };
  return store as StateStore;
}
