/** Why a session may not be deleted: what the log and the caller hold, and what the archive cannot know. */
import { beforeEach, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import { addHolds } from '../../../../src/archive/holds/change-holds.js';
import { whyHeld, type WhyHeldChoices } from '../../../../src/archive/holds/held-sessions.js';
import { Holds, type HoldTarget } from '../../../../src/archive/holds/holds.js';
import { snapshotPath } from '../../../../src/archive/paths.js';
import type { ErasureEntry } from '../../../../src/archive/log/commit.js';
import {
  draft,
  makeArchive,
  reopened,
  runOf,
  session,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

let archive: Archive;
beforeEach(async () => {
  archive = await makeArchive(createMemoryStorage());
  await archive.log.append(draft({ sessions: [session('ann', 's'), session('ben', 't')] }));
});

const why = (user: string, id: string, choices: WhyHeldChoices = {}) =>
  whyHeld(archive, { user, session: id }, choices);
const given = (target: HoldTarget) => new Holds([{ readings: [target], source: 'a file' }]);

it('A session is held by what another program has put into the log since, and by what is given', async () => {
  expect(await why('ann', 's')).toBeUndefined();
  await addHolds(reopened(archive), { users: ['ann'], reason: 'Matter 7', by: 'Dana' });
  expect(await why('ann', 's')).toMatch(/^its user is on hold/);
  expect(await why('ben', 't')).toBeUndefined();
  expect(await why('ben', 't', { given: given({ session: 't' }) })).toBe('the session is on hold');
});

it('A given hold that matches nothing is refused, unless it may, or the session stays anyway', async () => {
  const unknown = { given: given({ user: 'nobody' }) };
  await expect(why('ann', 's', unknown)).rejects.toMatchObject({ name: 'UsageError' });
  expect(await why('ann', 's', { ...unknown, allowUnknownHolds: true })).toBeUndefined();
  expect(await why('nobody', 'x', unknown)).toBe('its user is on hold');
});

it('A session that must be known is one of any user', async () => {
  const known = { mustBeKnown: true };
  expect([await why('ann', 's', known), await why('ann', 't', known)]).toEqual([
    undefined,
    undefined,
  ]);
  expect(await why('nobody', 's', known)).toBeUndefined();
  const missing = 'memory has never had session x, so its holds say nothing of it';
  await expect(why('ann', 'x', known)).rejects.toThrow(missing);
  await expect(why('ann', 'x', known)).rejects.toMatchObject({ name: 'UsageError' });
  expect(await why('ann', 'x')).toBeUndefined();
  const held = { ...known, given: given({ session: 'x' }), allowUnknownHolds: true };
  expect(await why('ann', 'x', held)).toBe('the session is on hold');
});

it('a session that is gone may have been erased: to export it would bring somebody back', async () => {
  const erasure: ErasureEntry = { stage: 'finished', id: runOf('E'), begun: 1 };
  const entry = () => Promise.resolve(erasure);
  await archive.log.append(draft({ kind: 'erase', run: runOf('E'), base: 1, erasure: entry }));
  await expect(why('ann', 'x', { mustBeKnown: true })).rejects.toThrow(
    'memory does not have session x, from which sessions were erased',
  );
});

it('Nothing is said of a log whose end is lost: a hold may be in it', async () => {
  await archive.storage.put(snapshotPath(2, runOf('C')), Buffer.from('x'));
  await expect(why('ann', 's')).rejects.toMatchObject({ problem: 'missing' });
});
