import { expect, it } from 'vitest';
import { asSessionId } from '../../../../src/model/ids.js';
import { ErasureTarget } from '../../../../src/archive/erasing/erasure-target.js';
import { redactCommit, SHARED_WITH_ERASED } from '../../../../src/archive/erasing/redact-commit.js';
import { draft, makeArchive, NO_JOB, session } from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

it('A redacted commit does not name an erased session as one that another shares jobs with', async () => {
  const doubtOf = (other: string) => {
    const reason = `its history has jobs of session ${other}`;
    return { ...NO_JOB, status: 'doubtful', reason, shared_with: asSessionId(other) };
  };
  const sealed = await (await makeArchive(createMemoryStorage())).log.append(draft());
  const b1 = { ...session('ben', 'b1'), gaps: [doubtOf('a1'), doubtOf('c1')] };
  const commit = { ...sealed, sessions: [b1] };
  const target = new ErasureTarget({ users: [], sessions: ['a1'] });
  target.learn(commit);
  // of one whose doubt names somebody else there is nothing
  const d1 = { ...session('dan', 'd1'), gaps: [doubtOf('c1')] };
  target.learn({ ...sealed, sessions: [d1] });
  target.learnOwners(new Map());
  const left = redactCommit(commit, { target }, false);
  const erased = { status: 'doubtful', reason: SHARED_WITH_ERASED, shared_with: '[erased]' };
  expect(left?.sessions).toMatchObject([{ session: 'b1', gaps: [erased, doubtOf('c1')] }]);
  expect([...target.owners]).toEqual(['ben']);
});
