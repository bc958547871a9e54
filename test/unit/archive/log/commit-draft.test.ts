import { describe, expect, it } from 'vitest';
import { CommitConflictError } from '../../../../src/archive/archive-errors.js';
import type { Commit, SnapshotEntry } from '../../../../src/archive/log/commit.js';
import { ConflictSearch, type ConflictingParts } from '../../../../src/archive/log/commit-draft.js';
import { partFor, runOf, session, userEntry } from '../../../support/store/archive-samples.js';

const NOTHING = { files: [], sessions: [], deletions: [], removed: [] };
const file = partFor({ run: runOf('A'), n: 0, rows: 1 }).entry;
const deletion = { user: 'u', session: 's' } as unknown as Commit['deletions'][number];

/** Whether the draft conflicts with a commit that was made since. */
function conflicts(draft: Partial<ConflictingParts>, commit: Partial<Commit>): () => void {
  const search = new ConflictSearch({ ...NOTHING, users: [], ...draft });
  search.check({ ...NOTHING, ...commit } as Commit);
  return () => {
    search.assertNone(7);
  };
}

describe('conflict search', () => {
  const erasure = {} as NonNullable<Commit['erasure']>;

  it.each([
    ['files', { files: [file] }],
    ['users', { users: [userEntry('ann')] }],
    ['sessions', { sessions: [session('u', 's')] }],
    ['deletions', { deletions: [deletion] }],
    ['a snapshot', { snapshot: {} as SnapshotEntry }],
  ])('an erasure since a draft was planned conflicts with one that brings %s', (_what, draft) => {
    expect(conflicts(draft, { erasure })).toThrow(CommitConflictError);
    expect(conflicts(draft, {})).not.toThrow();
  });

  it('an erasure since a draft was planned does not conflict with one that brings nothing', () => {
    expect(conflicts({ removed: [file.path] }, { erasure })).not.toThrow();
  });
});

it('two that remove the same file conflict', () => {
  const removed = [file.path];
  expect(conflicts({ removed }, { removed })).toThrow(CommitConflictError);
  expect(conflicts({ removed }, { removed: ['another'] })).not.toThrow();
});

it('a draft that says itself what makes it wrong conflicts with that', () => {
  expect(conflicts({ isOutdatedBy: () => true }, {})).toThrow(CommitConflictError);
  expect(conflicts({ isOutdatedBy: () => false }, {})).not.toThrow();
});
