/** Which gaps may be of a period: those of a session as a whole, and those of one job. */
import { expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import type { GapEntry, SessionEntry } from '../../../../src/archive/log/commit.js';
import { gapsInPeriod } from '../../../../src/archive/reading/gaps-in-period.js';
import { readScope } from '../../../../src/archive/reading/caveats/read-scope.js';
import { parsedScope } from '../../../../src/archive/reading/scope.js';
import { asJobId, asSessionId, asUserId } from '../../../../src/model/ids.js';
import {
  draft,
  job,
  makeArchive,
  NO_JOB,
  session,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { NOTHING_FOUND } from '../../../support/tables/caveat-counts.js';

/** ULIDs of 2026-02-01 and 2026-04-01. */
const MADE = '01KGB7ZK00000000000000000A';
const LATER = '01KN35E3R0000000000000000A';
/** A cuid of 2024-01-02, and an id of its form that cannot be one. */
const CUID = 'clqvzt0000000abcdefgh1234';
const NO_CUID = '0123456789abcdefghijklmno';

const NOTHING: GapEntry = {
  ...NO_JOB,
  status: 'failed',
  reason: 'HTTP 500',
};
const ofJob = (id: string): GapEntry => ({ ...NOTHING, job: asJobId(id) });

/** Ann's session with such jobs. */
async function archiveOf(jobs: string[], over: Partial<SessionEntry>, id = 's'): Promise<Archive> {
  const archive = await makeArchive(createMemoryStorage());
  await archive.log.append(
    draft({
      sessions: [session('ann', id, { total: jobs.length, archived: jobs.length, ...over })],
      jobs: jobs.map((of, index) => job('ann', id, of, { index })),
    }),
  );
  await archive.index.refresh();
  return archive;
}

const MONTHS = ['2024-01', '2026-01', '2026-02', '2026-03', '2026-04', '2026-05'];

/** The months that the gap may be of. */
async function monthsOf(archive: Archive, gap: GapEntry, id = 's'): Promise<string[]> {
  const found = [];
  for (const month of MONTHS) {
    const { period } = parsedScope({ from: month, to: month });
    const gaps = await gapsInPeriod(archive, period!)(asUserId('ann'), asSessionId(id), [gap]);
    if (gaps.length > 0) found.push(month);
  }
  return found;
}

it.each([
  ['a session without a known time', 's', '2025-01', '2025-02', 1],
  ['a session that was made later', MADE, '2025-01', '2025-02', 0],
  ['a session that was made before, whose history may go on', MADE, '2026-06', '2026-07', 1],
])(
  'a gap of a session as a whole that was not read to its end is in doubt in a period: %s',
  async (...given) => {
    const [, id, from, to, sessions] = given;
    const archive = await makeArchive(createMemoryStorage());
    const unread = session('ann', id, { complete: false, archived: 0, total: 2 });
    await archive.log.append(draft({ sessions: [unread] }));
    const scope = parsedScope({ users: ['ann'], from, to });
    const { signal } = new AbortController();
    const { doubts } = (await readScope(archive, scope, signal))(NOTHING_FOUND).facts;
    expect(doubts?.lacking.count).toBe(sessions);
  },
);

it.each<[string, string[], Partial<SessionEntry>, string, string[]]>([
  ['from its first job to its last', [MADE, LATER], {}, 's', ['2026-02', '2026-03', '2026-04']],
  ['also newest first', [LATER, MADE], {}, 's', ['2026-02', '2026-03', '2026-04']],
  [
    'from anywhen, if it begins with a job without a time',
    ['a', MADE, LATER],
    {},
    's',
    MONTHS.slice(0, 5),
  ],
  ['anywhen, if a job has no time and the times fall', ['0', LATER, MADE], {}, 's', MONTHS],
  ['to anywhen, if it ends with one', [MADE, LATER, '0'], {}, 's', MONTHS.slice(2)],
  ['since it was made, if it is not complete', [LATER], { complete: false }, MADE, MONTHS.slice(2)],
  ['since it was made, if it has no jobs', [], {}, MADE, MONTHS.slice(2)],
  ['anywhen, if its id tells nothing', [LATER], { complete: false }, 's', MONTHS],
])('a gap of a session as a whole may be %s', async (_, jobs, over, id, months) => {
  const archive = await archiveOf(jobs, over, id);
  expect(await monthsOf(archive, NOTHING, id)).toEqual(months);
});

it('a gap of a job is where the job is, by its neighbours if its id tells nothing', async () => {
  const archive = await archiveOf([MADE, 'a', LATER], { complete: false });
  expect(await monthsOf(archive, ofJob(MADE))).toEqual(['2026-02']);
  expect(await monthsOf(archive, ofJob('a'))).toEqual(['2026-02', '2026-03', '2026-04']);
});

it('a gap of an unarchived job is where its id says, unless other ids show that as chance', async () => {
  expect(await monthsOf(await archiveOf([MADE], {}), ofJob(LATER))).toEqual(['2026-04']);
  expect(await monthsOf(await archiveOf([MADE], {}), ofJob(CUID))).toEqual(['2024-01']);
  expect(await monthsOf(await archiveOf([MADE, NO_CUID], {}), ofJob(CUID))).toEqual(MONTHS);
  expect(await monthsOf(await archiveOf([], {}, 'other'), ofJob(LATER))).toEqual(['2026-04']);
});

it('a gap of a job of a pseudonymised copy is anywhen: its ids are digests', async () => {
  const archive = await archiveOf([], { complete: false }, MADE);
  const copy = {
    ...archive,
    identity: {
      ...archive.identity,
      pseudonymised: { texts: 'kept' as const, times: 'days' as const },
    },
  };
  expect(await monthsOf(copy, ofJob(LATER), MADE)).toEqual(MONTHS);
  expect(await monthsOf(copy, NOTHING, MADE)).toEqual(MONTHS);
});

it('Each user has gaps of its own, and an interruption ends them', async () => {
  const archive = await archiveOf([MADE], {});
  await archive.log.append(
    draft({ base: 1, sessions: [session('ben', 's')], jobs: [job('ben', 's', LATER)] }),
  );
  await archive.index.refresh();
  const { period } = parsedScope({ from: '2026-04', to: '2026-04' });
  const stop = new AbortController();
  const inPeriod = gapsInPeriod(archive, period!, stop.signal);
  const gapsOf = (user: string) => inPeriod(asUserId(user), asSessionId('s'), [NOTHING]);
  expect(await gapsOf('ann')).toEqual([]);
  expect(await gapsOf('ben')).toEqual([NOTHING]);
  expect(await gapsOf('ann')).toEqual([]);
  stop.abort(new Error('Ctrl-C'));
  await expect(gapsOf('ann')).rejects.toThrow('Ctrl-C');
});
