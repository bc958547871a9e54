import { expect, it } from 'vitest';
import type { StateStore } from '../../../../src/archive/state/state-store.js';
import { emptyState } from '../../../../src/archive/state/user-state.js';
import { PendingUsers } from '../../../../src/export/users/pending-users.js';
import { asUserId } from '../../../../src/model/ids.js';

it("states of a commit's users are all brought up to date before its entries are forgotten", async () => {
  const users = ['ana', 'ben', 'eva'].map(asUserId);
  const forgotten: number[] = [];
  let updated = 0;
  const store: Pick<StateStore, 'load' | 'update' | 'forgetCommit'> = {
    load: (user) => {
      updated++;
      return Promise.resolve({ ...emptyState(user), through: 7 });
    },
    update: (state) => {
      updated++;
      return Promise.resolve({ ...state, through: 7 });
    },
    forgetCommit: (number) => {
      expect(updated).toBe(users.length);
      forgotten.push(number);
    },
  };
  const pending = new PendingUsers(users, store as StateStore);
  pending.planned(emptyState(asUserId('ana')));
  await pending.updateStates(7, users);
  expect(forgotten).toEqual([7]);
  expect(users.map((user) => pending.stateOf(user)?.through)).toEqual([7, 7, 7]);
});
