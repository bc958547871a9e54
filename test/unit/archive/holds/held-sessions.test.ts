import { beforeEach, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import { bindingHolds, HeldSessions } from '../../../../src/archive/holds/held-sessions.js';
import { boundAsText, Holds, holdsOn } from '../../../../src/archive/holds/holds.js';
import { draft, makeArchive, session } from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { fault } from '../../../support/base/fault.js';

let archive: Archive;
beforeEach(async () => {
  archive = await makeArchive(createMemoryStorage());
  const sessions = [session('ana', 's'), session('ANA', 't'), session('ben', 'x')];
  await archive.log.append(draft({ sessions }));
  await archive.index.refresh();
});

const heldOn = (target: Holds['targets'][number]) =>
  new HeldSessions(archive, new Holds([{ readings: [target], source: 'a test' }]));

it('a hold on a user binds what the archive has seen under any spelling of it, whoever asks', async () => {
  const holds = await heldOn({ user: 'Ana' }).now();
  expect(['s', 't', 'x'].map((id) => holds.reasonFor('ana@example.org', id))).toEqual([
    'the session is on hold: the archive has seen it under "ana"',
    'the session is on hold: the archive has seen it under "ANA"',
    undefined,
  ]);
});

it('a hold on a user binds what has come into the log since it was last asked', async () => {
  const held = heldOn({ user: 'ana' });
  expect((await held.now()).reasonFor('carl', 'new')).toBeUndefined();
  await archive.log.append(draft({ base: 1, sessions: [session('ana', 'new')] }));
  await archive.index.refresh();
  expect((await held.now()).reasonFor('carl', 'new')).toMatch(/seen it under "ana"$/);
  expect((await held.now()).reasonFor('carl', 's')).toMatch(/seen it under "ana"$/);
});

/** Notes whose state is read. */
function watched(target: Holds['targets'][number]) {
  const read: string[] = [];
  const { states } = archive;
  const loadAsOf = states.loadAsOf.bind(states);
  // `load` calls it, too
  states.loadAsOf = (user, through) => {
    read.push(user);
    return loadAsOf(user, through);
  };
  const given = new Holds([{ readings: [target], source: 'a test' }]);
  return { read, held: new HeldSessions(archive, given) };
}

it('a hold on a session alone reads no state: nobody counts as a held user', async () => {
  const { read, held } = watched({ session: 's' });
  expect((await held.now()).reasonFor('ana', 's')).toBe('the session is on hold');
  expect(read).toEqual([]);
});

it('a hold on a user reads no state twice that has not changed', async () => {
  const { read, held } = watched({ user: 'ana' });
  const first = await held.now();
  expect(await held.now()).toBe(first);
  expect(read).toEqual(['ana', 'ANA', 'ben']);
  await archive.log.append(draft({ base: 1, sessions: [session('ana', 'new')] }));
  await archive.index.refresh();
  await held.now();
  // he may list the new one
  expect(read.slice(3)).toEqual(['ana', 'ben']);
  await archive.log.append(draft({ base: 2, sessions: [session('carl', 'y')] }));
  await archive.index.refresh();
  await held.now();
  expect(read.slice(5)).toEqual(['carl']);
});

it('a hold on a user who has another id reads again only who has changed, and the two ids', async () => {
  await archive.log.append(draft({ base: 1, sessions: [session('ana@new', 's')] }));
  await archive.log.append(
    draft({ base: 2, sessions: [session('dan', 'd'), session('eve', 'e')] }),
  );
  await archive.index.refresh();
  const { read, held } = watched({ user: 'ana' });
  expect((await held.now()).userReason('ana@new')).toBeDefined();
  read.length = 0;
  await archive.log.append(draft({ base: 3, sessions: [session('carl', 'y')] }));
  await archive.index.refresh();
  expect((await held.now()).userReason('ana@new')).toBeDefined();
  expect(read.toSorted()).toEqual(['ana@new', 'carl']);
});

it('a hold on one session of a user binds that one, whoever asks, and no other', async () => {
  const holds = await heldOn({ user: 'Ana', session: 's' }).now();
  expect(['s', 't'].map((id) => holds.reasonFor('carl', id))).toEqual([
    'the session is on hold: the archive has seen it under "ana"',
    undefined,
  ]);
  // the archive has no such pair: each of the two is held as what it may be
  const foreign = await heldOn({ user: 'ana', session: 'x' }).now();
  expect(foreign.reasonFor('ben', 'x')).toBe('the session is on hold');
  expect(foreign.reasonFor('ana', 's')).toBe('its user is on hold');
  const beside = new Holds([
    { readings: [{ user: 'ana', session: 'x' }], source: 'a test' },
    { readings: [{ session: 't' }], source: 'a test' },
  ]);
  const both = await new HeldSessions(archive, beside).now();
  expect(both.reasonFor('ben', 'x')).toBe('the session is on hold');
  const swapped = await heldOn({ user: '1', session: 'ana' }).now();
  expect(swapped.reasonFor('ana', 's')).toBe('its user is on hold');
});

it('holds of the log bind beside those that are given', async () => {
  const id = '01JD0000000000000000000000';
  const hold = { action: 'add' as const, id, user: 'ben', session: null, reason: 'x', by: 'y' };
  await archive.log.append(draft({ base: 1, kind: 'hold', holds: [hold] } as never));
  await archive.index.refresh();
  const holds = await heldOn({ user: 'ana' }).now();
  expect(holds.reasonFor('carl', 'x')).toMatch(/seen it under "ben"$/);
  expect(holds.reasonFor('carl', 's')).toMatch(/seen it under "ana"$/);
});

it(
  'a hold on a user binds all sessions of whoever lists one of them now: the user was renamed',
  fault('F-123'),
  async () => {
    const held = heldOn({ user: 'ana' });
    expect((await held.now()).reasonFor('ben', 'x')).toBeUndefined();
    // renamed twice: carl has a session of hers, and dan one of his
    const renamed = [session('carl', 'new'), session('carl', 's')];
    await archive.log.append(draft({ base: 1, sessions: renamed }));
    await archive.log.append(
      draft({ base: 2, sessions: [session('dan', 'new'), session('dan', 'newer')] }),
    );
    await archive.index.refresh();
    const holds = await held.now();
    const why =
      'its user counts as the same person as "ana", renamed: they have sessions in common, directly or through other users';
    expect(holds.reasonFor('carl', 'new')).toBe(`the session is on hold: ${why}`);
    expect(holds.reasonFor('dan', 'newer')).toBe(`the session is on hold: ${why}`);
    expect(holds.reasonFor('eve', 'newer')).toBe(`the session is on hold: ${why}`);
    expect(holds.userReason('carl')).toBe(`the user is on hold: ${why}`);
    expect(holds.bindingOn('carl').map(({ source }) => source)).toEqual(['a test']);
    expect(holds.bindingOn('eve', 'newer').map(({ source }) => source)).toEqual(['a test']);
    expect([holds.reasonFor('ben', 'x'), holds.bindingOn('ben', 'x')]).toEqual([undefined, []]);
  },
);

it('a hold on one session binds no other of whoever lists it', async () => {
  const sessions = [session('carl', 's'), session('carl', 'new')];
  await archive.log.append(draft({ base: 1, sessions }));
  await archive.index.refresh();
  for (const target of [{ session: 's' }, { user: 'ana', session: 's' }]) {
    const holds = await heldOn(target).now();
    expect([holds.reasonFor('carl', 's') !== undefined, holds.reasonFor('carl', 'new')]).toEqual([
      true,
      undefined,
    ]);
  }
});

const onUser = async (user: string, base: number) => {
  const id = `01JD00000000000000000000${base}0`;
  const hold = { action: 'add' as const, id, user, session: null, reason: 'x', by: 'y' };
  await archive.log.append(draft({ base, kind: 'hold', holds: [hold] } as never));
  await archive.index.refresh();
};

it('what is told of holds goes by what they bind: whoever lists a conversation of a held user', async () => {
  await archive.log.append(draft({ base: 1, sessions: [session('carl', 's')] }));
  await archive.log.append(
    draft({ base: 2, sessions: [session('carl', 'c'), session('dan', 'c')] }),
  );
  await onUser('Ana', 3);
  await onUser('ben', 4);
  const holds = await bindingHolds(archive);
  const told = holds.map(({ user, samePersons }) => [user, ...samePersons]);
  expect(told).toEqual([['Ana', 'carl', 'dan'], ['ben']]);
  const bound = await new HeldSessions(archive, Holds.none).now();
  for (const user of archive.index.users) {
    const isTold = holdsOn(holds, user, []).length > 0;
    expect([user, isTold]).toEqual([user, bound.userReason(user) !== undefined]);
  }
  const [first] = holds;
  expect(first && [boundAsText(first, 'ANA'), boundAsText(first, 'dan')]).toEqual([
    '',
    '; dan counts as the same person as Ana, on hold: they have conversations in common, directly or through other users',
  ]);
});

it('of two holds on users who list one conversation, each binds both', async () => {
  await archive.log.append(draft({ base: 1, sessions: [session('carl', 's')] }));
  await onUser('ana', 2);
  await onUser('carl', 3);
  const told = (await bindingHolds(archive)).map(({ samePersons }) => [...samePersons]);
  expect(told).toEqual([['carl'], ['ana']]);
});

it('without a hold on a user, no state is read to tell whom holds bind', async () => {
  const { read } = watched({ session: 's' });
  const id = '01JD0000000000000000000000';
  const hold = { action: 'add' as const, id, user: null, session: 's', reason: 'x', by: 'y' };
  await archive.log.append(draft({ base: 1, kind: 'hold', holds: [hold] } as never));
  await archive.index.refresh();
  expect(await bindingHolds(archive)).toMatchObject([{ session: 's', samePersons: new Set() }]);
  expect(read).toEqual([]);
});

it('whom holds bind is found once for all who ask as of one commit', async () => {
  await onUser('ana', 1);
  const { read } = watched({ session: 's' });
  await Promise.all([bindingHolds(archive), bindingHolds(archive)]);
  const once = read.length;
  await bindingHolds(archive);
  expect([once > 0, read.length]).toEqual([true, once]);
  await archive.log.append(draft({ base: 2, sessions: [session('carl', 's')] }));
  await archive.index.refresh();
  expect((await bindingHolds(archive))[0]?.samePersons).toEqual(new Set(['carl']));
  expect(read.length).toBeGreaterThan(once);
});
