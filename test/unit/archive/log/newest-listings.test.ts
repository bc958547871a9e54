import { expect, it } from 'vitest';
import { asUserId } from '../../../../src/model/ids.js';
import {
  draft,
  makeArchive,
  reopened,
  runOf,
  userEntry,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

const ann = asUserId('ann');
const at = (hour: string) => `2026-11-05T${hour}:00:00.000Z`;
const WHOLE = { listed_at: at('02'), listed: 7, total_items: 7 };
const SHORT = { listed_at: at('03'), listed: 5, total_items: 7, complete: false };

/** Of two runs, the second of which commits last. @param base what the second knew of the log */
async function listedBy(
  first: Parameters<typeof userEntry>[1],
  second: Parameters<typeof userEntry>[1],
  base: number,
  scope = {},
) {
  const archive = await makeArchive(createMemoryStorage());
  const { log } = archive;
  await log.append(draft({ run: runOf('B'), users: [userEntry('ann', first)] }));
  await log.append(draft({ run: runOf('A'), base, scope, users: [userEntry('ann', second)] }));
  const { index } = reopened(archive);
  await index.refresh();
  return (await index.listings()).get(ann);
}

it('the newest listing was listed last, also where a run that listed before commits later', async () => {
  const found = await listedBy(SHORT, WHOLE, 0);
  expect(found).toMatchObject({ since: 1, last: { commit: 1, entry: SHORT } });
  expect(found?.lastOfAll).toEqual(found?.last);
});

it('the newest listing of a user is that of the later commit, where its run has listed later', async () => {
  expect(await listedBy(WHOLE, SHORT, 0)).toMatchObject({ last: { commit: 2, entry: SHORT } });
});

it('the newest listing is that of a run which knew the other, whatever its clock says', async () => {
  expect(await listedBy(SHORT, WHOLE, 1)).toMatchObject({ last: { commit: 2, entry: WHOLE } });
});

it('the newest listing of a user of all sessions is not one of some sessions', async () => {
  const found = await listedBy(WHOLE, SHORT, 0, { sessions: ['s'] });
  expect(found).toMatchObject({ last: { commit: 2 }, lastOfAll: { commit: 1 } });
});

const FAILED = { ...SHORT, listed: 0, total_items: null, error: 'it answered 500' };

it('the newest listing that was read to its end is the one before a listing that failed', async () => {
  const found = await listedBy(WHOLE, FAILED, 1);
  expect(found).toMatchObject({
    last: { commit: 2 },
    lastRead: { commit: 1, entry: WHOLE },
    lastReadOfAll: { commit: 1 },
  });
  const failed = { ...FAILED, listed_at: at('03') };
  const older = await listedBy(failed, WHOLE, 0);
  expect(older).toMatchObject({ last: { commit: 1 }, lastRead: { commit: 2, entry: WHOLE } });
  expect(await listedBy(FAILED, { ...SHORT, listed_at: at('04') }, 1)).not.toHaveProperty(
    'lastRead',
  );
});

it('the newest listing is the line of its commit, with all that it has', async () => {
  const line = userEntry('ann', {
    ...{ ...WHOLE, erased: 1, suppressed: 2, left: 3, by_decision: true },
    ...{ gap: 'incomplete', error: 'its list was cut', complete: false },
  });
  const archive = await makeArchive(createMemoryStorage());
  await archive.log.append(draft({ users: [line] }));
  const { index } = reopened(archive);
  await index.refresh();
  expect((await index.listings()).get(ann)?.last.entry).toEqual(line);
});
