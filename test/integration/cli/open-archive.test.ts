/** The library's one way in: an archive that is open, and what can be done with it. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ErasureHeldError, openArchive, UsageError, type OpenArchive } from '../../../src/index.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

let rig: ExportRig;
let archive: OpenArchive;
beforeAll(async () => {
  rig = await ExportRig.start({ users: 2, sessions: 2, jobs: 6 });
  await rig.archived();
  archive = await openArchive(rig.out);
});
afterAll(async () => {
  await archive.close();
  await rig[Symbol.asyncDispose]();
});

it('tells what it holds, of all and of one user and of one session', async () => {
  const [user = ''] = rig.state.userIds();
  expect(archive.location).toBe(rig.out);
  expect(archive.identity.service.base_url).toBe(rig.emulator.baseUrl);
  const status = await archive.status();
  expect([status.users.total, status.sessions.total, status.jobs.total]).toEqual([
    2,
    4,
    rig.state.totals().jobs,
  ]);
  const sessions = await archive.sessionStatuses(user);
  expect(sessions.map(({ session }) => session)).toEqual([...rig.state.sessionIds(user)].sort());
  expect(await archive.sessionStatuses('nobody')).toEqual([]);
  const [first] = sessions;
  const conversation = await archive.show(first?.session ?? '');
  expect(conversation.session['user_id']).toBe(user);
  expect(conversation.jobs).toHaveLength(first?.jobs.total ?? -1);
  await expect(archive.show('nothing')).rejects.toThrow(UsageError);
});

it('proves itself, and answers in SQL', async () => {
  const { problems, commits } = await archive.verify();
  expect([problems, commits]).toEqual([[], 1]);
  expect((await archive.repair()).problems).toEqual([]);
  const rows = await archive.query('SELECT count(*) AS jobs FROM current_jobs');
  expect(rows).toEqual([{ jobs: rig.state.totals().jobs }]);
  const texts = await archive.queryResult('SELECT 1 AS n', async (result) => {
    const found = [];
    for await (const batch of result.rows()) found.push(...batch);
    return found;
  });
  expect(texts).toEqual([['1']]);
  expect((await archive.views()).sql).toContain('CREATE');
});

it('gives numbers, dates, booleans, lists and null, as JavaScript has them', async () => {
  const sql = `SELECT 1 AS int, 1.5::DECIMAL(4,2) AS dec, 9007199254740993 AS big, 'inf'::DOUBLE AS inf,
    TIMESTAMPTZ '2026-01-05 12:00:00.123456+00' AS at, TIMESTAMP '2026-01-05 12:00:00' AS plain,
    DATE '2026-01-05' AS day, true AS yes, NULL::VARCHAR AS none, [1, 2] AS list, {a: 'x'} AS struct,
    DATE '-0044-03-15' AS ides, 'text' AS text, 1234567890123456789012.50::DECIMAL(30,2) AS sum,
    0.1::DECIMAL(38,20) AS tenth, [DATE '2026-01-05'] AS days`;
  expect(await archive.query(sql)).toEqual([
    {
      ...{ int: 1, dec: 1.5, big: 9_007_199_254_740_993n, inf: Infinity },
      at: new Date('2026-01-05T12:00:00.123Z'),
      plain: new Date('2026-01-05T12:00:00Z'),
      day: new Date('2026-01-05T00:00:00Z'),
      ...{ yes: true, none: null, list: [1, 2], struct: { a: 'x' } },
      ides: expect.stringContaining('BC') as string,
      ...{ text: 'text', sum: '1234567890123456789012.50', tenth: 0.1, days: ['2026-01-05'] },
    },
  ]);
  const [user = ''] = rig.state.userIds();
  const users = [{ user_id: user, team: 'Sales' }];
  expect(
    await archive.query(`SELECT team FROM users WHERE user_id = '${user}'`, { users }),
  ).toEqual([{ team: 'Sales' }]);
  for await (const { jobs } of archive.conversations({ users: [user] })) {
    // typed: a text or null
    expect(jobs.map(({ job }) => job.question_text?.slice(0, 3).length)).toContain(3);
  }
});

it('is copied, compacted and erased from, each time by one call', async () => {
  const [user = ''] = rig.state.userIds();
  const target = join(rig.directory, 'copy');
  expect((await archive.copyTo(target)).through).toBe(1);
  await using copy = await openArchive(target);
  expect((await copy.compact({ graceMs: 0 })).merged.files).toBe(0);
  expect((await copy.erase({ users: [user], dryRun: true })).status).toBe('planned');
  expect((await copy.erase({ users: [user] })).status).toBe('erased');
  expect((await copy.status()).users.total).toBe(1);
  expect((await archive.status()).users.total).toBe(2);
});

it('plans a deletion, and refuses to carry one out for another service', async () => {
  const { summary } = await archive.planPrune({ rules: { all: true } });
  expect(summary.planned).toBeGreaterThan(0);
  const other = { baseUrl: 'https://other.example.com', apiKey: 'demo-key' };
  await expect(archive.prune({ ...other, rules: { all: true } })).rejects.toThrow(
    `${rig.out} is the archive of ${rig.emulator.baseUrl}, not of https://other.example.com`,
  );
});

it('brings itself up to date from its service, and is compared with it', async () => {
  const [user = ''] = rig.state.userIds();
  const access = { apiKey: 'demo-key' };
  const { summary } = await archive.export({ ...access, users: [user] });
  expect([summary.status, summary.jobs.archived]).toEqual(['complete', 0]);
  const { users, equalJobs, differences } = await archive.compare(access);
  expect([users, equalJobs, differences]).toEqual([2, rig.state.totals().jobs, []]);
  expect((await archive.repair({ service: access })).found.problems).toEqual([]);
  const elsewhere = { ...access, baseUrl: 'https://other.example.com' };
  await expect(archive.compare(elsewhere)).rejects.toThrow('is the archive of');
});

it('names the files of a table, and refuses another', async () => {
  const files = await archive.files('jobs');
  expect(files.map(({ table }) => table)).toContain('jobs');
  await expect(archive.files('jobz')).rejects.toThrow('there is no table "jobz"; allowed is');
});

it('puts a user on hold, refuses to erase what is held, and releases it', async () => {
  const target = join(rig.directory, 'held');
  await archive.copyTo(target);
  await using copy = await openArchive(target);
  const [user = ''] = rig.state.userIds();
  const given = { users: [user], reason: 'Matter 7', by: 'Grace Hopper' };
  const [held] = await copy.hold(given);
  expect([held?.user, held?.reason, held?.release]).toEqual([user, 'Matter 7', null]);
  await expect(copy.erase({ users: [user] })).rejects.toThrow(ErasureHeldError);
  const [released] = await copy.release(given);
  expect(await copy.holds()).toEqual([released]);
});

it('makes a report and an evidence pack in empty places', async () => {
  const { jobs } = rig.state.totals();
  const report = await archive.report(join(rig.directory, 'page'), { title: 'Mine' });
  expect([report.status, report.title, report.jobs]).toEqual(['complete', 'Mine', jobs]);
  const again = await archive.report(join(rig.directory, 'page'), { title: 'Newer' });
  expect(again.title).toBe('Newer');
  await expect(archive.report(rig.directory)).rejects.toThrow('is not empty');
  const pack = await archive.evidence(join(rig.directory, 'pack'));
  expect([pack.status, pack.jobs]).toEqual(['complete', jobs]);
});

it('is refused where there is none', async () => {
  await expect(openArchive(join(rig.directory, 'nowhere'))).rejects.toThrow(UsageError);
});

it('takes a period relative to now, and keeps which one it was', async () => {
  const why = { reason: 'Art. 15', by: 'Dana' };
  const request = await archive.newRequest({ name: 'Matter 3', ...why, from: 'this-year' });
  expect(request.from).toMatch(/^\d{4}$/);
  expect((await archive.search('nothingofthekind', { from: '1d' })).matches).toBe(0);
  const refused = archive.search('x', { from: 'soon' });
  await expect(refused).rejects.toThrow(/^from is "soon"; allowed is .*last-month/);
});
