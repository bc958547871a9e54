import { expect, it } from 'vitest';
import { assertHoldsKnown, Holds, type HoldTarget } from '../../../../src/archive/holds/holds.js';
import { plainHolds } from '../../../support/store/plain-holds.js';
import { IntegrityError } from '../../../../src/archive/archive-errors.js';
import type { ArchiveIdentity } from '../../../../src/archive/identity.js';
import { pruneRules } from '../../../../src/prune/prune-rules.js';
import {
  assertOfThisLog,
  assertUsable,
  decodePlan,
  encodePlan,
  holdsOf,
  savedPlan,
} from '../../../../src/prune/plan/saved-plan.js';
import { StorageError } from '../../../../src/storage/storage-errors.js';
import { makeArchive } from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

const NOW = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;

const identity: ArchiveIdentity = {
  format: 1,
  id: 'A'.repeat(26),
  made_by: 'jobvault',
  created_at: '2026-11-01T00:00:00.000Z',
  service: { base_url: 'https://api.example.com', project: null },
  formats: ['parquet'],
};

const session = (id: string, outcome: 'planned' | 'refused' | 'kept') => ({
  user: 'ann',
  session: id,
  jobs: 2,
  changed_at: null,
  commit: 7,
  outcome,
  reason: null,
  detail: null,
  name: null,
  newest_job_at: null,
});

const made = () =>
  savedPlan(
    identity,
    pruneRules({ keep: 0, olderThanMs: HOUR, holds: plainHolds(['bob']) }),
    { sessions: [session('a', 'planned'), session('b', 'refused'), session('c', 'kept')] },
    NOW,
  );

function rulesWith(targets: readonly HoldTarget[]) {
  const holds = targets.map((target) => ({ readings: [target], source: 'line 1' }));
  return pruneRules({ keep: 0, holds: new Holds(holds) });
}

it('a saved plan holds what was to go, and comes back from its file', () => {
  const plan = made();
  expect(plan.sessions).toEqual([{ user: 'ann', session: 'a', commit: 7, jobs: 2 }]);
  expect(plan.holds).toEqual([{ id: 'bob' }]);
  const rules = { users: [], sessions: [], keep: 0, older_than_ms: HOUR, free_slots: null };
  expect(plan.rules).toEqual(rules);
  expect(decodePlan(encodePlan(plan), 'plan.json')).toEqual(plan);
});

it('a saved plan keeps each rule with its own value', () => {
  const { rules } = savedPlan(
    identity,
    pruneRules({ users: ['ann'], sessions: ['a'], keep: 3, freeSlots: 2, holds: plainHolds([]) }),
    { sessions: [] },
    NOW,
  );
  const narrow = { users: ['ann'], sessions: ['a'] };
  expect(rules).toEqual({ ...narrow, keep: 3, older_than_ms: null, free_slots: 2 });
});

it.each(['', '{}', 'null', '[]', JSON.stringify({ ...made(), more: 1 })])(
  'a saved plan is not %s',
  (text) => {
    const told =
      '--plan p does not read as a plan; allowed is a file that jobvault prune --save-plan has written';
    expect(() => decodePlan(text, '--plan p')).toThrow(
      expect.objectContaining({ message: told, cause: expect.any(Error) as Error }),
    );
  },
);

it('a saved plan may be shortened by hand', () => {
  const plan = made();
  const shorter = decodePlan(encodePlan({ ...plan, sessions: [] }), 'plan.json');
  expect(shorter.sessions).toEqual([]);
  expect(() => assertUsable(shorter, identity, NOW)).not.toThrow();
});

it('a saved plan keeps the holds under which it was made', () => {
  const holds = holdsOf(decodePlan(encodePlan(made()), 'plan.json'));
  expect(holds.reasonFor('bob', 'b1')).toBe('its user is on hold');
  expect(holds.reasonFor('ann', 'a')).toBeUndefined();
});

it('the plan keeps whether a hold is on a user, on a session, or on one session of one user', () => {
  const targets = [{ user: 'bob' }, { session: 's1' }, { user: 'cyd', session: 's2' }];
  const kept = holdsOf(savedPlan(identity, rulesWith(targets), { sessions: [] }, NOW));
  expect(kept.targets).toEqual(targets);
  const held = [
    kept.reasonFor('bob', 'x'),
    kept.reasonFor('ann', 's1'),
    kept.reasonFor('cyd', 's2'),
  ];
  expect(held).toEqual(['its user is on hold', 'the session is on hold', 'the session is on hold']);
  expect([kept.reasonFor('cyd', 's1'), kept.reasonFor('ann', 's2')]).toEqual([
    'the session is on hold',
    undefined,
  ]);
});

it('a saved plan names of a hold only what it names', () => {
  const plan = savedPlan(
    identity,
    rulesWith([{ user: 'bob' }, { session: 's' }, { id: 'x' }]),
    { sessions: [] },
    NOW,
  );
  expect(plan.holds.map((hold) => Object.keys(hold))).toEqual([['user'], ['session'], ['id']]);
});

it('the plan can be carried out where a hold of its matches nothing in the archive any more', async () => {
  const archive = await makeArchive(createMemoryStorage());
  const kept = holdsOf(savedPlan(identity, rulesWith([{ id: 'bob' }]), { sessions: [] }, NOW));
  await expect(assertHoldsKnown(archive, kept)).resolves.toBeUndefined();
  expect(kept.entries.map(({ source }) => source)).toEqual(['the plan']);
});

it('a saved plan is good for 24 hours', () => {
  const plan = made();
  expect(() => assertUsable(plan, identity, NOW + 24 * HOUR)).not.toThrow();
  expect(() => assertUsable(plan, identity, NOW + 24 * HOUR + 1)).toThrow(
    'the plan is 24 h 0 m old, and a plan expires after 24 hours: make a new one',
  );
  expect(() => assertUsable(plan, identity, NOW - 25 * HOUR)).toThrow('made in the future');
});

it('a saved plan is good for its own archive of its own service', () => {
  const moved = { ...identity, service: { base_url: 'https://other', project: null } };
  for (const other of [{ ...identity, id: 'B'.repeat(26) }, moved]) {
    expect(() => assertUsable(made(), other, NOW)).toThrow('made for another archive');
  }
});

it('a saved plan that deletes nothing is of every log', async () => {
  const archive = await makeArchive(createMemoryStorage());
  await expect(assertOfThisLog({ head: null, sessions: [] }, archive)).resolves.toBeUndefined();
});

it.each([
  ['damaged', new IntegrityError('_commits/7', 'digest', 'is damaged')],
  ['out of reach', new StorageError('no route')],
])('a saved plan is not said to be of another log where its commit is %s', async (_, error) => {
  const archive = await makeArchive(createMemoryStorage());
  archive.log.read = () => Promise.reject(error);
  const plan = { ...made(), head: { number: 7, digest: 'd' } };
  await expect(assertOfThisLog(plan, archive)).rejects.toBe(error);
});
