/** A key of another project is told "not found" of every session: that proves nothing. */
import { expect, it } from 'vitest';
import { asUserId } from '../../../src/model/ids.js';
import { keyOfAnySpelling } from '../../../src/model/user-spelling.js';
import { ProjectKeyCheck } from '../../../src/prune/project-key-check.js';
import type { ServiceView, ListedByService } from '../../../src/prune/service-view.js';
import { StaleAnswerError } from '../../../src/service/service-errors.js';
import { deletionEntry, draft, makeArchive, session } from '../../support/store/archive-samples.js';
import { archiveOfThree } from '../../support/store/begun-erasure.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';

const ben = asUserId('ben');

/** Answers with the sessions of each user, and notes who was asked for. */
function serviceWith(sessions: Readonly<Record<string, readonly string[]>>, isStale = false) {
  const asked: string[] = [];
  const list = (user: string): Promise<ListedByService> => {
    asked.push(user);
    const listed = new Map((sessions[user] ?? []).map((id) => [id, {} as never]));
    return Promise.resolve({ sessions: listed, gap: isStale ? 'Age: 9' : undefined, isStale });
  };
  return { asked, view: { list } as unknown as ServiceView };
}

async function checkIn(view: ServiceView): Promise<ProjectKeyCheck> {
  const { archive } = await archiveOfThree();
  await archive.index.refresh();
  return new ProjectKeyCheck(archive, view);
}

const ALL = ['ann a1', 'ann a2', 'ben b1', 'cyd c1'].map((key) =>
  keyOfAnySpelling(...(key.split(' ') as [string, string])),
);

it("a key is the archive's where one archived session is listed, and not asked again", async () => {
  const { asked, view } = serviceWith({ ann: ['a2'], ben: ['b1'] });
  const check = await checkIn(view);
  expect(await check.seesArchive(ben, new Set())).toBe(true);
  expect(await check.seesArchive(asUserId('ann'), new Set())).toBe(true);
  expect(asked).toEqual(['ben']);
});

it('a key is that of the archive where one of several sessions of a user is listed', async () => {
  const { asked, view } = serviceWith({ ann: ['a2'] });
  expect(await (await checkIn(view)).seesArchive(asUserId('ann'), new Set())).toBe(true);
  expect(asked).toEqual(['ann']);
});

it('a key is that of the archive where only another user still has one', async () => {
  const { asked, view } = serviceWith({ ann: ['unheard of'], cyd: ['c1'] });
  expect(await (await checkIn(view)).seesArchive(ben, new Set())).toBe(true);
  expect(asked).toEqual(['ben', 'ann', 'cyd']);
});

it('a key is that of the archive where no session is left to be listed: nobody is asked for', async () => {
  const { asked, view } = serviceWith({});
  expect(await (await checkIn(view)).seesArchive(ben, new Set(ALL))).toBe(true);
  expect(asked).toEqual([]);
});

it('A session that was deleted is expected of no key', async () => {
  const archive = await makeArchive(createMemoryStorage());
  await archive.log.append(draft({ sessions: [session('ann', 'a'), session('ben', 'b')] }));
  const deletions = [deletionEntry('ann', 'a')];
  await archive.log.append(draft({ deletions }));
  await archive.index.refresh();
  const { asked, view } = serviceWith({ ann: ['a'], ben: ['b'] });
  const check = new ProjectKeyCheck(archive, view);
  expect(await check.seesArchive(asUserId('ann'), new Set())).toBe(true);
  expect(asked).toEqual(['ben']);
});

it('a key is not that of the archive where nothing of the archive is listed, whatever else is', async () => {
  const { asked, view } = serviceWith({ ann: ['x'], ben: ['y'], cyd: ['z'] });
  const check = await checkIn(view);
  expect(await check.seesArchive(ben, new Set())).toBe(false);
  expect(asked).toEqual(['ben', 'ann', 'cyd']);
  expect(await check.seesArchive(ben, new Set())).toBe(false);
});

it('a key is not that of the archive where only what may be gone is listed', async () => {
  const { asked, view } = serviceWith({ ben: ['b1'] });
  const but = new Set([keyOfAnySpelling('Ben', 'b1')]);
  expect(await (await checkIn(view)).seesArchive(ben, but)).toBe(false);
  expect(asked).toEqual(['ann', 'cyd']);
});

it("a key is not the archive's after twenty users who should have a session show none", async () => {
  const archive = await makeArchive(createMemoryStorage());
  const users = Array.from({ length: 25 }, (_, n) => `user ${n}`);
  await archive.log.append(draft({ sessions: users.map((user) => session(user, 's')) }));
  await archive.index.refresh();
  const { asked, view } = serviceWith({ 'user 24': ['s'] });
  const check = new ProjectKeyCheck(archive, view);
  expect(await check.seesArchive(asUserId('user 0'), new Set())).toBe(false);
  expect(asked).toEqual(users.slice(0, 20));
});

it('A listing from a cache shows nothing about a key', async () => {
  const { view } = serviceWith({ ben: ['b1'] }, true);
  const check = await checkIn(view);
  const refused = check.seesArchive(ben, new Set());
  await expect(refused).rejects.toBeInstanceOf(StaleAnswerError);
  await expect(refused).rejects.toMatchObject({ message: 'Age: 9' });
});
