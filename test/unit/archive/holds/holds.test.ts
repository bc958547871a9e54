import { beforeEach, describe, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import { assertHoldsKnown, Holds, type Hold } from '../../../../src/archive/holds/holds.js';
import { plainHolds } from '../../../support/store/plain-holds.js';
import { addHolds, releaseHolds } from '../../../../src/archive/holds/change-holds.js';
import { UsageError } from '../../../../src/base/error.js';
import { archiveOfThree } from '../../../support/store/begun-erasure.js';
import { draft, makeArchive, reopened, session } from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

const hold = (target: Hold['readings'][number], over: Partial<Hold> = {}): Hold => ({
  readings: [target],
  source: `line ${JSON.stringify(target)}`,
  ...over,
});

it.each([
  [{ id: 's' }, ['the session is on hold', 'the session is on hold', undefined]],
  [{ session: 's' }, ['the session is on hold', 'the session is on hold', undefined]],
  [{ user: 'ann', session: 's' }, ['the session is on hold', undefined, undefined]],
  [{ id: 'ann' }, ['its user is on hold', undefined, 'its user is on hold']],
  [{ user: 'ann' }, ['its user is on hold', undefined, 'its user is on hold']],
  [{ user: 's' }, [undefined, undefined, undefined]],
  [{ session: 'ann' }, [undefined, undefined, undefined]],
  [{}, [undefined, undefined, undefined]],
])('what is held is what a hold names: %j', (target, reasons) => {
  const holds = new Holds([hold(target)]);
  const of = [
    ['ann', 's'],
    ['ben', 's'],
    ['ann', 't'],
  ] as const;
  expect(of.map(([user, id]) => holds.reasonFor(user, id))).toEqual(reasons);
});

it('what is held is compared without the white space around it, and by its NFC, on both sides', () => {
  expect(plainHolds([' a\t']).reasonFor('u', 'a')).toBe('the session is on hold');
  expect(plainHolds(['a']).reasonFor('u', ' a ')).toBe('the session is on hold');
  expect(plainHolds(['Zoë']).holdsUser('Zoe\u0308')).toBe(true);
});

it.each([
  ['Ana', 'its user is on hold as "ana"'],
  [' ANA ', 'its user is on hold as "ana"'],
  [' ana', 'its user is on hold'],
  ['anna', undefined],
])('what is held is a user in any spelling: %j', (user, reason) => {
  for (const target of [{ user: 'ana' }, { id: 'ana' }]) {
    const holds = new Holds([hold(target)]);
    expect(holds.reasonFor(user, 's')).toBe(reason);
    expect(holds.holdsUser(user)).toBe(reason !== undefined);
  }
});

it.each([
  [{ user: ' Zoë\t', session: ' s ' }, 'Zoe\u0308', 'the session is on hold'],
  [{ user: 'Zoe\u0308', session: 's' }, 'Zoë', 'the session is on hold'],
  [{ user: 'zoë', session: 's' }, 'ZOE\u0308', 'the session is on hold as one of "zoë"'],
  [{ user: 'zoë', session: 'S' }, 'zoë', undefined],
])('what is held is a session of a user in any spelling: %j', (target, user, reason) => {
  expect(new Holds([hold(target)]).reasonFor(user, 's')).toBe(reason);
});

it('what is held is what either of two says', () => {
  const both = plainHolds(['a']).with(plainHolds(['b', 'a']));
  expect(both.entries.map(({ source }) => source)).toEqual([
    'the hold "a"',
    'the hold "b"',
    'the hold "a"',
  ]);
  expect(both.targets).toEqual([{ id: 'a' }, { id: 'b' }]);
  expect(['a', 'b', 'c'].map((id) => both.reasonFor('u', id) !== undefined)).toEqual([
    ...[true, true, false],
  ]);
});

describe('holds', () => {
  const [ann, ben, a1] = [hold({ user: 'ann' }), hold({ id: 'ben' }), hold({ session: 'a1' })];
  const holds = new Holds([ann, ben, a1], new Map([['a1', 'Ann']]));

  it('the holds that bind a user are those of that user', () => {
    expect(holds.bindingOn('ANN')).toEqual([ann]);
    expect(holds.bindingOn('ben')).toEqual([ben]);
    expect(holds.bindingOn('cyd')).toEqual([]);
  });

  it("a session's holds are its own, its user's, and those of users under whom it was seen", () => {
    expect(holds.bindingOn('ben', 'b1')).toEqual([ben]);
    expect(holds.bindingOn('cyd', 'a1')).toEqual([ann, a1]);
    expect(holds.bindingOn('cyd', 'c1')).toEqual([]);
    expect(new Holds([ann], new Map([['a1', 'Ann']])).bindingOn('cyd', 'a1')).toEqual([ann]);
  });

  it('of the log are told from others by where they are released', async () => {
    const { archive } = await archiveOfThree();
    const asked = { reason: 'Matter 7', by: 'Dana' };
    await addHolds(archive, { users: ['ann'], sessions: ['b1'], ...asked });
    await addHolds(archive, { users: ['cyd'], ...asked });
    await releaseHolds(archive, { users: ['cyd'], ...asked });
    await archive.index.refresh();
    const source = 'the hold of 2026-11-05 that Dana asked for ("Matter 7")';
    const rest = { source, isOptional: true, isInLog: true };
    expect(Holds.inLog(archive).entries).toEqual([
      { readings: [{ user: 'ann' }], ...rest },
      { readings: [{ session: 'b1' }], ...rest },
    ]);
  });
});

describe('holds', () => {
  let archive: Archive;
  beforeEach(async () => {
    archive = await makeArchive(createMemoryStorage());
    const sessions = [session('ann', 's'), session('ann', 't'), session('ben', 'x')];
    await archive.log.append(draft({ sessions }));
  });

  it.each([
    [{ id: 'ann' }],
    [{ id: 't' }],
    [{ session: 'x' }],
    [{ user: 'ben' }],
    [{ user: 'ann', session: 't' }],
  ])('a hold that matches something is accepted: %j', async (target) => {
    await assertHoldsKnown(archive, new Holds([hold(target)]));
  });

  it.each([[{ id: 'tt' }], [{ session: 'ann' }], [{ user: 's' }], [{ user: 'ben', session: 't' }]])(
    'a hold that matches nothing is refused, with where it stands: %j',
    async (target) => {
      const asserting = assertHoldsKnown(archive, new Holds([hold({ id: 's' }), hold(target)]));
      await expect(asserting).rejects.toThrow(UsageError);
      await expect(asserting).rejects.toThrow(
        `line ${JSON.stringify(target)} matches no user and no session of ${archive.storage.location}; correct it, or pass --allow-unknown-holds`,
      );
    },
  );

  it('a hold that matches nothing is looked for without a look for new commits at every user', async () => {
    const { archive: three, storage } = await archiveOfThree();
    const read: string[] = [];
    const get = (path: string) => {
      read.push(path);
      return storage.get(path);
    };
    const asserting = assertHoldsKnown(
      reopened(three, { ...storage, get }),
      new Holds([hold({ id: 'nobody' })]),
    );
    await expect(asserting).rejects.toThrow(UsageError);
    expect(read.filter((path) => path === '_commits/000000000004.json')).toHaveLength(1);
  });

  it('a hold that matches nothing is reported with the number of similar ones', async () => {
    const unknown = ['1', '2', '3'].map((id) => hold({ id }));
    await expect(assertHoldsKnown(archive, new Holds(unknown))).rejects.toThrow(
      /^line \{"id":"1"\} matches no user .*, and 2 more; correct it/,
    );
  });

  it('a hold that matches nothing may be a heading, or known in one of its readings', async () => {
    const heading = hold({ id: 'user_id' }, { isOptional: true });
    const either = hold({ id: 'a' }, { readings: [{ id: 'a' }, { id: 's' }] });
    await assertHoldsKnown(archive, new Holds([heading, either]));
    await assertHoldsKnown(archive, Holds.none);
  });
});

it('The first spelling in which a user is held is the one that is told', () => {
  const held = (readings: Hold['readings']) => new Holds([{ readings, source: 'a test' }]);
  const users = held([{ user: 'Ann' }, { user: 'ANN' }]);
  expect(users.userReason('ann')).toBe('the user is on hold as "Ann"');
  expect(users.userReason('ANN')).toBe('the user is on hold');
  const pairs = held([
    { user: 'Ann', session: 's1' },
    { user: 'ANN', session: 's1' },
  ]);
  expect(pairs.reasonFor('ann', 's1')).toBe('the session is on hold as one of "Ann"');
});
