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
  const [row] = await archive.query('SELECT count(*) FROM current_jobs', async (result) => {
    const rows = [];
    for await (const batch of result.rows()) rows.push(...batch);
    return rows;
  });
  expect(row).toEqual([String(rig.state.totals().jobs)]);
  expect((await archive.views()).sql).toContain('CREATE');
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
