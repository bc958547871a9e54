import { expect, it } from 'vitest';
import { createOrOpenArchive } from '../../../../src/archive/open-archive.js';
import { assertUsersKnown, traceScope } from '../../../../src/archive/reading/selection.js';
import { UsageError } from '../../../../src/base/error.js';
import { archiveSettings } from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { commitJobs } from '../../../support/store/written-jobs.js';

/** Ann has `a` and `b`, Ben has `c`. */
async function archiveOfTwo() {
  const settings = archiveSettings({ formats: ['jsonl'] });
  const archive = await createOrOpenArchive(createMemoryStorage(), settings);
  await commitJobs(archive, [
    { user: 'ann', session: 'a', job: 'j' },
    { user: 'ann', session: 'b', job: 'k' },
    { user: 'ben', session: 'c', job: 'l' },
  ]);
  await archive.index.refresh();
  return archive;
}

it.each([
  [['ann', 'bem'], [], 'memory has no user "bem"; did you mean "ben"?'],
  [['eve'], ['a'], 'memory has no user "eve"; users in it: ann, ben'],
  [[], ['a', 'x'], 'memory has no session "x"; sessions in it: a, b, c'],
  [['ann'], ['a', 'c'], 'memory has no session "c" of these users; sessions in it: a, b'],
  [['ann', 'ben'], ['a', 'b'], 'user "ben" has none of the sessions named in memory'],
])('users %j with sessions %j are refused: %s', async (users, sessions, sentence) => {
  const tracing = traceScope(await archiveOfTwo(), { users, sessions });
  await expect(tracing).rejects.toThrow(new UsageError(sentence));
});

it('finds who has the named sessions, and in which commits', async () => {
  const archive = await archiveOfTwo();
  const traces = await traceScope(archive, { users: ['ann', 'ben'], sessions: ['b', 'c'] });
  const found = [...traces].map(([id, { users, commits }]) => [id, [...users], [...commits]]);
  expect(found.sort()).toEqual([
    ['b', ['ann'], [1]],
    ['c', ['ben'], [1]],
  ]);
  expect(await traceScope(archive, { users: ['ann'], sessions: [] })).toEqual(new Map());
});

it('of users alone need not read the log', async () => {
  const archive = await archiveOfTwo();
  await expect(assertUsersKnown(archive, ['ann', 'ben'])).resolves.toBeUndefined();
  await expect(assertUsersKnown(archive, ['ann', 'bo'])).rejects.toThrow(UsageError);
});
