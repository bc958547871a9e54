/** Which session or job somebody means, and how sessions are listed of which rows or times are missing. */
import { beforeEach, describe, expect, it } from 'vitest';
import { fromSnapshot, type Archive } from '../../../../src/archive/archive.js';
import {
  listArchivedSessions,
  rowsOfSessions,
} from '../../../../src/archive/reading/session-list.js';
import { resolveJob, resolveSessions } from '../../../../src/archive/reading/resolve-sessions.js';
import { UsageError } from '../../../../src/base/error.js';
import {
  deletionEntry,
  draft,
  job,
  makeJsonlArchive,
  reopened,
  runOf,
  session,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { snapshotOf } from '../../../support/store/snapshots.js';
import { commitJobs } from '../../../support/store/written-jobs.js';

let archive: Archive;
/** Ann has abcdef-1 and abcdef-2, ben has abcdef-1 in another spelling of his name, and xyz. */
beforeEach(async () => {
  archive = await makeJsonlArchive(createMemoryStorage());
  await commitJobs(archive, [
    { user: 'ann', session: 'abcdef-1', job: 'j1' },
    { user: 'ann', session: 'abcdef-2', job: 'j2' },
    { user: 'ben', session: 'abcdef-1', job: 'j1' },
    { user: 'ben', session: 'xyz', job: 'j3' },
  ]);
  await archive.index.refresh();
});

const meant = (sessions: string[], users: string[] = []) =>
  resolveSessions({ archive, signal: new AbortController().signal }, { users, sessions });

it('a session is meant by its whole id, in the order given, and what means none stays as it is', async () => {
  expect(await meant(['xyz', 'abcdef-2', 'nothing', 'abcdef-1'])).toEqual([
    'xyz',
    'abcdef-2',
    'nothing',
    'abcdef-1',
  ]);
});

it('a session is meant by a whole id of the service without a look at the log', async () => {
  const ids = ['0192b000-0000-7000-8000-000000000000', 'cm3ikdeuj02zk01l1yeui0001'];
  const refused = { ...archive, index: undefined } as unknown as Archive;
  const reading = { archive: refused, signal: new AbortController().signal };
  expect(await resolveSessions(reading, { users: [], sessions: ids })).toEqual(ids);
  expect(await meant([ids[0] ?? '', 'ben called it xyz'])).toEqual([ids[0], 'xyz']);
  for (const other of [`x${ids[0]}`, `${ids[0]}0`, `x${ids[1]}`, `${ids[1]}0`]) {
    await expect(resolveSessions(reading, { users: [], sessions: [other] })).rejects.toThrow();
  }
});

it('a session is meant by the beginning of its id from six characters on', async () => {
  expect(await meant(['abcdef-2'.slice(0, 8)])).toEqual(['abcdef-2']);
  await commitJobs(archive, [{ user: 'cyd', session: '1234567', job: 'j' }], { run: 'B' });
  expect(await meant(['123456'])).toEqual(['1234567']);
  await expect(meant(['12345'])).rejects.toThrow(
    `"12345" is too short: one id begins with it; give 6 characters of the id or more, or a session's exact name`,
  );
  await expect(meant(['abc'])).rejects.toThrow('"abc" is too short: 2 ids begin with it');
});

it('a session is meant by its exact name, of the users that are named', async () => {
  expect(await meant(['ben called it xyz'])).toEqual(['xyz']);
  expect(await meant(['ben called it xyz'], ['ben'])).toEqual(['xyz']);
  expect(await meant(['ben called it xyz'], ['ann'])).toEqual(['ben called it xyz']);
  expect(await meant(['ben called it'])).toEqual(['ben called it']);
  expect(await meant(['abcdef'], ['ben'])).toEqual(['abcdef-1']);
  await expect(meant(['ben called it xyz'], ['bem'])).rejects.toThrow(UsageError);
});

it('a session is meant by one text alone: of several it is said which they are, and whose', async () => {
  await expect(meant(['abcdef'])).rejects.toThrow(
    '"abcdef" means 2 sessions of memory: abcdef-1 of ann and ben, abcdef-2 of ann; give more of the id',
  );
  const more = Array.from({ length: 9 }, (_, at) => ({
    user: 'cyd',
    session: `many-of-them-${9 - at}`,
    job: 'j',
  }));
  await commitJobs(archive, more, { run: 'B' });
  await expect(meant(['many-of'])).rejects.toThrow(
    /: many-of-them-1 of cyd, .*many-of-them-8 of cyd, and 1 more; give more/,
  );
  await expect(meant(['many-of'])).rejects.toThrow(UsageError);
});

it('a session is meant also if it was deleted, or is known from a snapshot', async () => {
  const dans = [session('dan', 'deleted-1')];
  await archive.log.append(draft({ base: 1, run: runOf('B'), sessions: dans }));
  const deletions = [deletionEntry('dan', 'deleted-1')];
  await archive.log.append(draft({ base: 2, run: runOf('C'), deletions }));
  await archive.index.refresh();
  expect(await meant(['deleted'])).toEqual(['deleted-1']);
  await snapshotOf(archive);
  archive = fromSnapshot(reopened(archive));
  await archive.index.refresh();
  expect(archive.index.snapshot).toBeDefined();
  expect(await meant(['deleted'])).toEqual(['deleted-1']);
});

describe('session list', () => {
  const jobs = new Set(['abcdef-1', 'abcdef-2', 'abcdef', '1234567']);

  it('a job is meant by its whole id, or the beginning of one', () => {
    expect(['abcdef', 'abcdef-2', '123456', 'none'].map((id) => resolveJob(id, jobs))).toEqual([
      'abcdef',
      'abcdef-2',
      '1234567',
      undefined,
    ]);
  });

  it('a job is meant by no text that is too short, or means several', () => {
    expect(() => resolveJob('12345', jobs)).toThrow('"12345" is too short: one id begins with it');
    expect(() => resolveJob('abcdef-', jobs)).toThrow(
      '"abcdef-" means 2 jobs of this session: abcdef-1, abcdef-2; give more of the id',
    );
  });
});

it.each([
  [3, 2],
  [2, 3],
])(
  "a session is listed by its newest row's name, in whatever order written: %i and %i",
  async (...versions) => {
    for (const [at, sessionVersion] of versions.entries()) {
      const jobs = [{ user: 'ann', session: 'abcdef-2', job: 'j2', version: sessionVersion }];
      const run = at === 0 ? 'B' : 'C';
      await commitJobs(archive, jobs, { run, checkpoint: sessionVersion, sessionVersion });
    }
    await archive.index.refresh();
    const rows = await rowsOfSessions({ archive }, ['abcdef-2', 'abcdef-2', 'xyz']);
    const found = [...rows.values()].map((row) => [
      row['session_id'],
      Number(row['session_version']),
    ]);
    expect(found.toSorted()).toEqual([
      ['abcdef-2', 3],
      ['xyz', 1],
    ]);
  },
);

it('a session without a row has no name, and what time its ids or bounds tell', async () => {
  const MADE = '01KGB7ZK00000000000000000A';
  const LATER = '01KN35E3R0000000000000000A';
  await archive.log.append(
    draft({
      base: 1,
      run: runOf('B'),
      sessions: [session('eve', 'no-row'), session('eve', 'before'), session('eve', 'after')],
      jobs: [
        ...['b', MADE, LATER].map((id, index) => job('eve', 'before', id, { index })),
        ...[MADE, LATER, '0'].map((id, index) => job('eve', 'after', id, { index })),
      ],
    }),
  );
  const { sessions: listed } = await listArchivedSessions(
    { archive },
    { users: ['eve'], sessions: [] },
  );
  expect(listed.map((one) => [one.session_id, one.name, one.created_at, one.jobs])).toEqual([
    ['after', null, null, 3],
    ['before', null, null, 3],
    ['no-row', null, null, 0],
  ]);
  const monthOf = (at: string | null) => at?.slice(0, 7);
  const bounds = listed.map((one) => [one.newest_job_after, one.newest_job_before].map(monthOf));
  expect(bounds).toEqual([
    ['2026-04', undefined],
    ['2026-04', '2026-04'],
    [undefined, undefined],
  ]);
});

describe('a list of sessions', () => {
  const [FEBRUARY, APRIL] = ['01KGB7ZK00000000000000000A', '01KN35E3R0000000000000000A'];
  const listed = async (of: Archive, most?: number) =>
    (await listArchivedSessions({ archive: of }, { users: ['cyd'], sessions: [], most })).sessions;

  beforeEach(async () => {
    await commitJobs(
      archive,
      [
        { user: 'cyd', session: 'of no time', job: 'j' },
        { user: 'cyd', session: 'another of none', job: 'j' },
        { user: 'cyd', session: FEBRUARY, job: 'j' },
        { user: 'cyd', session: 'of April', job: APRIL },
      ],
      { run: 'B' },
    );
  });

  it('begins with the newest job; one without times counts its own, one with none is last', async () => {
    const all = await listed(archive);
    const days = all.map((one) => [
      one.session_id,
      one.created_at?.slice(0, 10) ?? null,
      one.newest_job_before?.slice(0, 10) ?? null,
    ]);
    expect(days).toEqual([
      ['of April', null, '2026-04-01'],
      [FEBRUARY, '2026-02-01', null],
      ['another of none', null, null],
      ['of no time', null, null],
    ]);
    expect(all.map(({ name }) => name)).toContain('cyd called it of April');
  });

  it('has the newest alone where no more are asked for, however many there are', async () => {
    const jobs = Array.from({ length: 1100 }, (_, at) => {
      return { user: 'cyd', session: `plain ${at}`, job: 'j' };
    });
    await commitJobs(archive, jobs, { run: 'C' });
    const all = await listed(archive);
    expect(all).toHaveLength(1104);
    expect(await listed(archive, 3)).toEqual(all.slice(0, 3));
  });

  it('is the same in a copy with pseudonyms, whose ids tell no time', async () => {
    const identity = {
      ...archive.identity,
      pseudonymised: { texts: 'kept' as const, times: 'kept' as const },
    };
    const copy = { ...reopened(archive), identity };
    expect(await listed(copy)).toEqual(await listed(archive));
  });

  it('takes no pseudonym for a time that only looks like one', async () => {
    await archive.log.append(
      draft({
        base: 2,
        run: runOf('C'),
        sessions: [session('cyd', 'without rows')],
        jobs: [job('cyd', 'without rows', APRIL)],
      }),
    );
    const copy = reopened(archive);
    const times = async (of: Archive) =>
      (await listed(of)).find((one) => one.session_id === 'without rows')?.newest_job_before;
    expect(await times(copy)).toMatch(/^2026-04-01/);
    const identity = {
      ...archive.identity,
      pseudonymised: { texts: 'kept' as const, times: 'kept' as const },
    };
    expect(await times({ ...copy, identity })).toBeNull();
  });
});

it('a session is meant by no text that means eight, and all of them are named', async () => {
  const more = Array.from({ length: 8 }, (_, at) => ({
    user: 'cyd',
    session: `many-of-them-${at + 1}`,
    job: 'j',
  }));
  await commitJobs(archive, more, { run: 'B' });
  await expect(meant(['many-of'])).rejects.toThrow(/many-of-them-8 of cyd; give more/);
});

it('a session is meant by its name although another id begins with that, which makes two', async () => {
  await commitJobs(archive, [{ user: 'cyd', session: 'ben called it xyz too', job: 'j' }], {
    run: 'B',
  });
  await expect(meant(['ben called it xyz'])).rejects.toThrow('means 2 sessions of memory');
  expect(await meant(['ben called it xyz'], ['ben'])).toEqual(['xyz']);
});

it('the list is in the order of their newest jobs, and of their ids where the times are equal', async () => {
  const [february, march, april] = ['01KGB7ZK00', '01KJ000000', '01KN35E3R0'];
  const times = { b: february, d: april, a: march, e: april, c: april };
  const jobs = Object.entries(times).map(([id, time]) => job('eve', id, `${time}000000000000000A`));
  const sessions = Object.keys(times).map((id) => session('eve', id));
  await archive.log.append(draft({ base: 1, run: runOf('B'), sessions, jobs }));
  const { sessions: listed } = await listArchivedSessions(
    { archive },
    { users: ['eve'], sessions: [] },
  );
  expect(listed.map((one) => one.session_id)).toEqual(['c', 'd', 'e', 'a', 'b']);
});
