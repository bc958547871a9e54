/** What is missing of conversations that are gone, or of users who left the list, is told alike by all outputs. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import { metricsIn } from '../../support/base/metrics-folder.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
let file: string;
beforeEach(async () => {
  people = await SearchRig.start();
  const { directory } = people.rig;
  file = join(directory, 'users.txt');
  await mkdir(join(directory, 'metrics'));
  await list('ada', 'bob');
  for (const user of ['ada', 'bob']) {
    people.talk(user, `${user}-kept`, 'Sales', [{ table: 'there.csv', csv: 'a,b\n1,2\n' }]);
    people.talk(user, `${user}-lost`, 'Costs', [{ table: 'lost.csv', csv: null }]);
  }
});
afterEach(() => people[Symbol.asyncDispose]());

const list = (...users: string[]) => writeFile(file, users.join('\n'));
const words = (...more: string[]): string[] => {
  const { rig } = people;
  return [
    ...['export', '--users-file', file, '--out', rig.out, '--base-url', rig.emulator.baseUrl],
    ...['--metrics-dir', join(rig.directory, 'metrics'), '--min-users', '10%', ...more],
  ];
};
const night = (exitCode: number, ...more: string[]) =>
  cliJson<ExportSummary & { readonly next?: string }>(words(...more), exitCode);
const accept = (...whose: string[]) =>
  cli(['gap', 'accept', people.rig.out, ...whose, '--reason', 'lost', '--by', 'ana', '--yes']);
const status = () => cliJson<ArchiveStatus>(['status', people.rig.out]);
const statusText = async () => (await cli(['status', people.rig.out])).stdout.replace(/\s+/g, ' ');
const outcome = async (run: string) => {
  const sql = `select outcome, is_complete from runs where run_id = '${run}'`;
  const { rows } = await cliJson<{ rows: object[] }>(['query', people.rig.out, sql]);
  return Object.values<unknown>({ ...rows[0] });
};
const metric = async (name: string) =>
  Array.from(
    (await metricsIn(join(people.rig.directory, 'metrics'))).matchAll(
      new RegExp(`^jobvault_${name}\\{.*\\} (\\d+)$`, 'gm'),
    ),
    ([, count]) => Number(count),
  ).reduce((sum, count) => sum + count, 0);

it('a user with an open gap in a conversation that is gone is one with gaps, in all outputs', async () => {
  await night(3);
  for (const user of ['ada', 'bob']) people.rig.state.deleteSession(user, `${user}-lost`);
  for (let again = 0; again < 2; again++) {
    const { run, status: ended, users, gaps } = await night(3);
    expect(ended).toBe('gaps');
    expect(users).toMatchObject({ complete: 0, with_gaps: 2, incomplete_by_decision: 0 });
    expect(gaps.toSorted((a, b) => (a.user < b.user ? -1 : 1))).toMatchObject([
      { session: 'ada-lost', known: true, is_elsewhere: true, is_absent: true },
      { session: 'bob-lost', known: true, is_elsewhere: true, is_absent: true },
    ]);
    expect(await outcome(run)).toEqual(['gaps', false]);
    expect(await status()).toMatchObject({
      last_export: { run, outcome: 'gaps', complete: 0, incomplete_by_decision: 0 },
    });
    expect(await statusText()).toContain('not complete, all 2 users read, 2 with gaps');
  }
  await accept('--user', 'ada');
  const { users, run } = await night(3);
  expect(users).toMatchObject({ complete: 0, with_gaps: 1, incomplete_by_decision: 1 });
  expect(await outcome(run)).toEqual(['gaps', false]);
  expect(await metric('gaps')).toBe(1);
  expect(await metric('accepted_gaps')).toBe(1);
  await accept('--user', 'bob');
  const last = await night(0);
  expect(last.users).toMatchObject({ complete: 0, with_gaps: 0, incomplete_by_decision: 2 });
  expect(await outcome(last.run)).toEqual(['incomplete-by-decision', false]);
  expect(await metric('accepted_gaps')).toBe(2);
});

it('accepted gaps count as `gap list` does, of whoever left the list, too, and with a budget', async () => {
  await night(3);
  await accept('--user', 'ada', '--user', 'bob');
  await list('ada');
  await night(0);
  expect(await metric('accepted_gaps')).toBe(2);
  people.talk('cleo', 'cleo-kept', 'Sales', [{ table: 'there.csv', csv: 'a,b\n1,2\n' }]);
  await list('cleo');
  const { stdout } = await cli(words());
  expect(stdout).toContain('nothing is missing of the users whom it reads');
  await list('ada', 'bob');
  const { budget } = await night(0, '--max-requests', '3');
  expect(budget).toBeDefined();
  expect(await metric('accepted_gaps')).toBe(2);
});

it('a gap of whoever left the list is told beside users without gaps: the run ends with it', async () => {
  await night(3);
  people.rig.state.deleteSession('bob', 'bob-lost');
  await accept('--user', 'ada');
  await list('ada');
  const decided = await night(3);
  expect(decided.status).toBe('gaps');
  expect(await outcome(decided.run)).toEqual(['gaps', false]);
  expect(await status()).toMatchObject({
    gaps_of_unread_users: 1,
    full_check: { requests: 3 },
    last_export: { outcome: 'gaps', incomplete_by_decision: 1, gaps_of_unread_users: 1 },
  });
  expect(await statusText()).toContain(
    'not complete, 1 user read, 1 not complete, by decision; 1 gap of users whom it did not read',
  );
  await accept('--user', 'bob');
  expect(await statusText()).toContain('of users whom it did not read, none open any more');
  const last = await night(0);
  expect(last.status).toBe('incomplete-by-decision');
  expect(await outcome(last.run)).toEqual(['incomplete-by-decision', false]);
});

it('a conversation that is gone and that two spellings had lacks its file once', async () => {
  people.talk('Ada', 'ada-lost', 'Costs', [{ table: 'lost.csv', csv: null }]);
  people.talk('Ada', 'Ada-kept', 'Sales', [{ table: 'there.csv', csv: 'a,b\n1,2\n' }]);
  await list('ada', 'Ada');
  await night(3);
  for (const user of ['ada', 'Ada']) people.rig.state.deleteSession(user, 'ada-lost');
  const { run, users, gaps } = await night(3);
  expect(gaps).toHaveLength(1);
  expect(users).toMatchObject({ complete: 1, with_gaps: 1 });
  expect(await outcome(run)).toEqual(['gaps', false]);
  expect(await status()).toMatchObject({ last_export: { complete: 1 } });
});

it('a gap of whoever left the list is fetched by an export that names the user', async () => {
  await night(3);
  await list('ada');
  people.rig.state.deleteSession('ada', 'ada-lost');
  const { next } = await night(3);
  const said = `no export fills what conversations lack that are no longer at the service; jobvault gap accept ${people.rig.out} --session ID --reason TEXT accepts it. jobvault export --user ID fetches what users lack whom exports of everybody read no more (1 of the 2)`;
  expect(next).toContain(said);
  const listed = (await cli(['gap', 'list', people.rig.out])).stdout;
  expect(listed).toContain(said);
  expect(listed.split('gap accept')).toHaveLength(2);
  expect(listed).toContain(
    '2: all in sessions that are no longer at the service, or of users whom exports of everybody read no more',
  );
  const text = await statusText();
  expect(text).toContain(said);
  expect(text).not.toContain('--retry-gaps');
  const { gaps } = await cliJson<{ gaps: { user_id: string }[] }>([
    ...['gap', 'list', people.rig.out],
  ]);
  expect(gaps.toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1))).toMatchObject([
    { user_id: 'ada', is_absent: true, is_read_no_more: false },
    { user_id: 'bob', is_absent: false, is_read_no_more: true },
  ]);
  await accept('--user', 'ada');
  expect((await status()).runs[0]).toMatchObject({ kind: 'accept', by: ['ana'] });
  expect(await statusText()).toContain('accepted gaps changed by ana');
  const { stdout } = await cli(['gap', 'list', people.rig.out]);
  expect(stdout).toContain(
    'jobvault export --user ID fetches what users lack whom exports of everybody read no more; jobvault gap accept',
  );
});

it('whoever left the list is told to be read no more, and has not the oldest listing', async () => {
  await night(3);
  const of = (user: string, ...more: string[]) =>
    cli(['status', people.rig.out, '--user', user, ...more]);
  const unread = /^ +exports +those of everybody read this user no more: nothing new is archived$/m;
  expect((await of('bob')).stdout).not.toMatch(unread);
  await list('ada');
  await night(3);
  expect((await of('bob')).stdout).toMatch(unread);
  expect(JSON.parse((await of('bob', '--json')).stdout)).toMatchObject({
    details: [{ user: 'bob', is_read_no_more: true }],
  });
  expect((await of('ada')).stdout).not.toMatch(unread);
  expect(await status()).toMatchObject({
    last_export: { listed_before: 1, listed_before_named: ['bob'] },
    oldest_listing: { user: 'ada' },
  });
});
