/** `status`, a search, the report, a person's workbook and an evidence pack count the same gaps, and none is complete in doubt. */
import { createOrOpenArchive } from '../../../src/archive/open-archive.js';
import { openStorage } from '../../../src/storage/open-storage.js';
import { archiveSettings } from '../../support/store/archive-samples.js';
import { listedIn } from '../../../src/archive/log/manifest.js';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { expect, it } from 'vitest';
import type { UserEntry } from '../../../src/archive/log/commit.js';
import type { UserDetail } from '../../../src/cli/output/reports/user-status-report.js';
import { openArchive } from '../../../src/library/operations.js';
import { session as sessionEntry } from '../../support/store/archive-samples.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { eraseFromArchive } from '../../support/http/one-call.js';
import { completenessOf } from '../../../src/archive/reading/caveats/caveat-text.js';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import { caveatCounts } from '../../support/tables/caveat-counts.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';

interface Told {
  readonly status: string;
  readonly gaps: number;
}

/** Of what is made: a doubt is a gap that nobody has accepted, too. */
function gapsIn(told: { readonly caveats: readonly Caveat[] }): number {
  const counts = caveatCounts(told, 'gap', 'doubted', 'accepted_gap');
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

interface Output extends Told {
  readonly exitCode: number;
}

/** Where each command writes to, and whether it can be asked for a part of the sessions. */
const COMMANDS = [
  ['report', 'report', true],
  ['workbook', 'workbook.xlsx', false],
  ['evidence', 'pack', true],
] as const;

/** What each command says of the user, in JSON. What it has made is read below. */
async function told(rig: ExportRig, user: string, ...words: string[]) {
  const outputs: Partial<Record<(typeof COMMANDS)[number][0], Output>> = {};
  for (const [command, name, hasParts] of COMMANDS) {
    const out = join(rig.directory, `made-${name}`);
    const given = [command, rig.out, '--user', user, ...(hasParts ? words : []), '--out', out];
    const { exitCode, stdout } = await cli([...given, '--json']);
    const summary = JSON.parse(stdout) as Told & { readonly caveats: readonly Caveat[] };
    outputs[command] = { exitCode, status: summary.status, gaps: gapsIn(summary) };
  }
  return outputs;
}

/** What each command says of the user to people. */
async function toldToPeople(rig: ExportRig, user: string): Promise<string[]> {
  const texts: string[] = [];
  for (const [command, name] of COMMANDS) {
    const out = join(rig.directory, `shown-${name}`);
    texts.push((await cli([command, rig.out, '--user', user, '--out', out])).stdout);
  }
  return texts;
}

/** The same in the words of the other commands. What a search says of the user is held against it. */
async function statusOf(rig: ExportRig, user: string) {
  const words = ['status', rig.out, '--user', user];
  const { details, users } = await cliJson<{
    readonly details: readonly UserDetail[];
    readonly users: { readonly complete: number };
  }>(words);
  const [detail] = details;
  const counts: Readonly<Record<string, number>> = detail?.gaps ?? {};
  const gaps = Object.values(counts).reduce((sum, count) => sum + count, 0);
  expect(detail?.status === 'complete').toBe(users.complete === 1);
  await using archive = await openArchive(rig.out);
  const caveats = await archive.caveats({ users: [user] });
  expect([completenessOf(caveats), gapsIn({ caveats })]).toEqual([detail?.status, gaps]);
  return { status: detail?.status, gaps };
}

/** Another commit says of the user what the first one did not. */
async function sayOfUser(rig: ExportRig, said: Partial<UserEntry>): Promise<void> {
  const { log, storage } = await rig.open();
  const { run, ...commit } = await log.read(1);
  const users = await listedIn({ log, storage }, commit);
  const draft = { kind: 'export', base: 1, run, checkpoint: 2, tool: 't', scope: {} } as const;
  await log.append({ ...draft, users: [{ ...users[0]!, ...said }] });
}

async function coverOf(rig: ExportRig): Promise<string> {
  const { sheets } = await readXlsx(await readFile(join(rig.directory, 'made-workbook.xlsx')));
  return String(sheets[0]?.rows[2]?.[1]);
}

async function firstPageOf(rig: ExportRig): Promise<string> {
  return readFile(join(rig.directory, 'made-report/index.html'), 'utf8');
}

it('counts the same gaps of a user in the report, the workbook and the pack', async () => {
  await using rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 1 });
  const [user = ''] = rig.state.userIds();
  const [session = ''] = rig.state.sessionIds(user);
  const lost = oldJob(rig.state.newJobId(0), ['lost.csv', 'gone.csv']);
  rig.state.addJob(user, session, lost);
  const { gaps } = await rig.export();
  expect(gaps).toHaveLength(2);
  for (const [command, one] of Object.entries(await told(rig, user))) {
    expect([command, one.status, one.gaps, one.exitCode]).toEqual([
      command,
      'incomplete',
      gaps.length,
      3,
    ]);
  }
  expect(await statusOf(rig, user)).toEqual({ status: 'incomplete', gaps: gaps.length });
});

it('counts a gap where a history was not read to its end, though nothing is known to be lost', async () => {
  await using rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 1 });
  await rig.archived();
  const [user = ''] = rig.state.userIds();
  const [session = ''] = rig.state.sessionIds(user);
  const { log } = await rig.open();
  const { run } = await log.read(1);
  const sessions = [sessionEntry(user, session, { complete: false, archived: 1, total: 2 })];
  const draft = { kind: 'export', base: 1, run, checkpoint: 2, tool: 't', scope: {} } as const;
  await log.append({ ...draft, sessions });
  for (const { status, gaps } of Object.values(await told(rig, user))) {
    expect([status, gaps]).toEqual(['incomplete', 1]);
  }
  expect(await statusOf(rig, user)).toEqual({ status: 'incomplete', gaps: 1 });
  const { stdout } = await cli(['status', rig.out, '--user', user]);
  expect(stdout).toContain('its history has not been read to the end yet');
});

it('counts a session no more whose gaps are filled or that is erased, and every other one', async () => {
  await using rig = await ExportRig.start({ users: 2, sessions: 3, jobs: 1 });
  const [user = '', other = ''] = rig.state.userIds();
  const [filled = '', erased = '', left = ''] = rig.state.sessionIds(user);
  const lose = (whose: string, session: string): void => {
    rig.state.addJob(whose, session, oldJob(rig.state.newJobId(0), ['lost.csv']));
  };
  for (const session of [filled, erased, left]) lose(user, session);
  lose(other, rig.state.sessionIds(other)[0] ?? '');
  await rig.export();
  const countOf = async (...users: string[]): Promise<number> => {
    await using archive = await openArchive(rig.out);
    const caveats = await archive.caveats({ users });
    return gapsIn({ caveats });
  };
  expect([await countOf(user), await countOf(other), await countOf()]).toEqual([3, 1, 4]);
  const { log } = await rig.open();
  const { run } = await log.read(1);
  const draft = { kind: 'export', base: 1, run, checkpoint: 2, tool: 't', scope: {} } as const;
  await log.append({ ...draft, sessions: [sessionEntry(user, filled, { archived: 2, total: 2 })] });
  await eraseFromArchive({ archive: rig.out, sessions: [erased] });
  expect([await countOf(user), await countOf(other), await countOf()]).toEqual([1, 1, 2]);
  expect(await statusOf(rig, user)).toEqual({ status: 'incomplete', gaps: 1 });
  expect(await statusOf(rig, other)).toEqual({ status: 'incomplete', gaps: 1 });
});

it('calls no user complete where sessions were erased since the last listing', async () => {
  await using rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 1 });
  await rig.archived();
  const [user = ''] = rig.state.userIds();
  const [session = ''] = rig.state.sessionIds(user);
  await eraseFromArchive({ archive: rig.out, sessions: [session] });
  for (const { status, gaps } of Object.values(await told(rig, user))) {
    expect([status, gaps]).toEqual(['incomplete-by-decision', 0]);
  }
  expect(await statusOf(rig, user)).toEqual({ status: 'incomplete-by-decision', gaps: 0 });
  const { stdout } = await cli(['status', rig.out, '--user', user]);
  expect(stdout).toMatch(
    /last listing +\S+Z, [^:]+ ago: 2 conversations listed, .*; 1 conversation of any user erased since$/m,
  );
});

it.each([
  ['more sessions were listed than the archive has', { listed: 3, total_items: 3 }],
  ['the service spoke of more sessions than it listed', { complete: false, total_items: 3 }],
  ['the listing failed', { complete: false, listed: 0, error: 'nobody answers' }],
])('counts one gap where %s', async (_, said) => {
  await using rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 1 });
  await rig.archived();
  await sayOfUser(rig, said);
  const [user = ''] = rig.state.userIds();
  for (const [command, { status, gaps }] of Object.entries(await told(rig, user))) {
    expect([command, status, gaps]).toEqual([command, 'incomplete', 1]);
  }
  expect(await statusOf(rig, user)).toEqual({ status: 'incomplete', gaps: 1 });
});

it.each([
  ['whose sessions were never listed as a whole', 'named'],
  ['of whom a listed session was left', 'left'],
])('calls nothing complete of a user %s', async (_, how) => {
  await using rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 1 });
  const [user = ''] = rig.state.userIds();
  const [session = ''] = rig.state.sessionIds(user);
  if (how === 'named') await rig.export({ users: [user], sessions: [session] });
  else {
    await rig.archived();
    await sayOfUser(rig, { complete: false });
  }
  const all = await told(rig, user);
  for (const [command, { status, gaps, exitCode }] of Object.entries(all)) {
    expect([command, status, gaps, exitCode]).toEqual([command, 'not-proven', 0, 3]);
  }
  for (const text of await toldToPeople(rig, user)) {
    expect(text).toMatch(/^Not proven complete: 1 user is not proven complete\n/);
  }
  expect(await statusOf(rig, user)).toEqual({ status: 'not-proven', gaps: 0 });
  expect(await coverOf(rig)).toBe('Not proven complete: 1 user is not proven complete');
  const page = await firstPageOf(rig);
  expect(page).toContain('not proven complete; see above');
  expect(page).not.toContain('<span>none known</span>');
  expect(page).not.toContain('tile good');
});

it('asks for no listing of a report of named sessions', async () => {
  await using rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 1 });
  const [user = ''] = rig.state.userIds();
  const [session = ''] = rig.state.sessionIds(user);
  await rig.export({ users: [user], sessions: [session] });
  const { report, evidence } = await told(rig, user, '--session', session);
  expect([report?.status, evidence?.status]).toEqual(['complete', 'complete']);
  expect(await firstPageOf(rig)).toContain('<span>none known</span>');
});

it('calls a user complete whose last listing was, and says so on cover and first page', async () => {
  await using rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 1 });
  await rig.archived();
  const [user = ''] = rig.state.userIds();
  for (const { status, gaps } of Object.values(await told(rig, user))) {
    expect([status, gaps]).toEqual(['complete', 0]);
  }
  expect(await statusOf(rig, user)).toEqual({ status: 'complete', gaps: 0 });
  expect(await coverOf(rig)).toBe('Complete');
  expect(await firstPageOf(rig)).toContain('<span>none known</span>');
});

it('calls nothing complete of an archive of which no run has saved anything', async () => {
  await using rig = await ExportRig.start();
  await createOrOpenArchive(await openStorage(rig.out), archiveSettings({}));
  const said = 'Not complete: nothing is archived yet';
  for (const [command, ...words] of [
    ['report', '--out', join(rig.directory, 'empty')],
    ['evidence', '--out', join(rig.directory, 'empty-pack')],
    ['workbook', '--from', '2020', '--out', join(rig.directory, 'empty.xlsx')],
    ['search', 'x'],
    ['show'],
  ] as const) {
    const { exitCode, stdout } = await cli([command, rig.out, ...words]);
    expect([command, exitCode, stdout.startsWith(said)]).toEqual([command, 3, true]);
  }
  const { stdout } = await cli(['gap', 'list', rig.out]);
  expect(stdout).toContain(
    'has a gap.\n  missing  nothing is archived yet: no export has saved anything;',
  );
});
