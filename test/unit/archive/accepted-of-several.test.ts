/** Gaps that are accepted of several sessions, of a snapshot, and while others commit. */
import { beforeEach, expect, it } from 'vitest';
import { fromSnapshot, type Archive } from '../../../src/archive/archive.js';
import { ErasureUnfinishedError } from '../../../src/archive/archive-errors.js';
import { acceptGaps, withdrawGaps, type AcceptChoices } from '../../../src/archive/gaps.js';
import type { GapEntry, SessionEntry } from '../../../src/archive/log/commit.js';
import { NO_PLACE } from '../../../src/model/records.js';
import {
  begunReceipt,
  draft,
  job,
  makeArchive,
  reopened,
  session,
} from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { snapshotOf } from '../../support/store/snapshots.js';

const gap = (status: string, over: Partial<GapEntry> = {}): GapEntry => ({
  ...NO_PLACE,
  job: null,
  kind: null,
  status,
  reason: 'HTTP 500',
  ...over,
});
const FAILED = gap('failed');
const CUT = gap('incomplete');

let archive: Archive;
/** Ann's sessions s and t have a gap each, u has none. */
beforeEach(async () => {
  archive = await makeArchive(createMemoryStorage());
  await commit(
    session('ann', 's', { gaps: [FAILED] }),
    session('ann', 't', { gaps: [FAILED] }),
    session('ann', 'u'),
  );
});

async function commit(...sessions: SessionEntry[]): Promise<void> {
  await archive.index.refresh();
  await archive.log.append(draft({ base: archive.index.through, sessions }));
  await archive.index.refresh();
}

const choices = (over: Partial<AcceptChoices>): AcceptChoices => ({
  reason: 'ticket 7',
  by: 'Grace',
  ...over,
});
const accept = (over: Partial<AcceptChoices>) => acceptGaps(archive, choices(over));

it('gaps of several sessions are accepted and withdrawn in the order of the named sessions', async () => {
  const accepted = await accept({ sessions: ['t', 's'] });
  expect(accepted.map((one) => one.session)).toEqual(['t', 's']);
  const { withdrawn } = await withdrawGaps(archive, choices({ sessions: ['s', 't', 's'] }));
  expect(withdrawn.map((one) => one.session)).toEqual(['s', 't']);
});

it('gaps of several sessions are refused where one has none, as that, and none open as that', async () => {
  await expect(accept({ sessions: ['s', 'u'] })).rejects.toThrow('there is no gap of session "u"');
  await accept({ sessions: ['s'] });
  await expect(accept({ sessions: ['t', 's'] })).rejects.toThrow(
    'every gap of session "s" is accepted already',
  );
});

it('gaps of several sessions are planned again where a commit has one of them beside others', async () => {
  const late = reopened(archive);
  const append = late.log.append.bind(late.log);
  const bases: number[] = [];
  late.log.append = async (of) => {
    if (bases.push(of.base) === 1) await commit(session('ann', 'u'), session('ann', 's'));
    return append(of);
  };
  const accepted = await acceptGaps(late, choices({ users: ['ann'] }));
  expect(accepted.map((one) => one.session)).toEqual(['t']);
  expect(bases).toEqual([1, 2]);
});

it('gaps of several sessions stay where an erasure has begun: it may erase them', async () => {
  const late = reopened(archive);
  const append = late.log.append.bind(late.log);
  late.log.append = async (of) => {
    const erasure = () => Promise.resolve(begunReceipt());
    await archive.log.append(draft({ kind: 'erase', base: 1, erasure }));
    return append(of);
  };
  await expect(acceptGaps(late, choices({ sessions: ['s'] }))).rejects.toThrow(
    ErasureUnfinishedError,
  );
});

it('How many jobs are lacking is noted of the gap of a history’s end alone', async () => {
  const file = gap('incomplete', { job: job('ann', 'w', 'j').job });
  const gaps = [CUT, FAILED, file];
  await commit(session('ann', 'w', { gaps, complete: false, total: 7, archived: 5 }));
  const accepted = await accept({ sessions: ['w'] });
  expect(accepted.map(({ status, lacking }) => [status, lacking])).toEqual([
    ['incomplete', 2],
    ['failed', undefined],
    ['incomplete', undefined],
  ]);
});

it('Gaps are those of a snapshot and of the commits after it', async () => {
  const sessions = [
    session('ann', 'w', { gaps: [CUT], complete: false, total: 4 }),
    session('ben', 'w', { gaps: [FAILED] }),
  ];
  await archive.log.append(draft({ base: 1, sessions, jobs: [job('ann', 'w', 'j')] }));
  await archive.index.refresh();
  await snapshotOf(archive);
  archive = fromSnapshot(reopened(archive));
  await archive.index.refresh();
  expect(archive.index.snapshot).toBeDefined();
  expect(await accept({ sessions: ['w'] })).toMatchObject([
    { user: 'ann', status: 'incomplete', lacking: 3 },
    { user: 'ben', status: 'failed' },
  ]);
  await commit(session('ann', 't', { gaps: [CUT], complete: false, total: 9 }));
  const accepted = await accept({ users: ['ann'] });
  expect(accepted.map((one) => [one.session, one.status])).toEqual([
    ['s', 'failed'],
    ['t', 'incomplete'],
  ]);
});
