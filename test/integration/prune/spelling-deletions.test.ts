/** A deletion of a session is a deletion of it under every spelling of its user, and each output counts it once. */
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { readXlsx } from 'hucre/xlsx';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PruneSummary } from '../../../src/prune/prune-summary.js';
import type { RunStatus } from '../../../src/archive/state/run-history.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';

type Row = Record<string, unknown>;
interface Status {
  readonly sessions: Row;
  readonly runs: readonly RunStatus[];
  readonly at_the_cap: unknown;
}
interface Exported {
  readonly prune: PruneSummary;
  readonly at_the_cap: readonly string[];
  readonly deletions: Row;
}

let rig: PruneRig;
/** A service that takes `Ana` for `ana`. */
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.emulator.faults.resolveUser = (id) => (id === 'Ana' ? 'ana' : id);
  await writeFile(rig.path('api-key'), 'demo-key', { mode: 0o600 });
  await mkdir(rig.path('metrics'));
});
afterEach(() => rig[Symbol.asyncDispose]());

const BOTH = ['ana', 'Ana'];
const ask = (): string[] => [
  ...['--base-url', rig.emulator.baseUrl, '--api-key-file', rig.path('api-key')],
  ...['--rate', '10000', '--metrics-dir', rig.path('metrics')],
];
const asUsers = (users: readonly string[]): string[] => users.flatMap((user) => ['--user', user]);
const night = (users: readonly string[], ...more: string[]): string[] => [
  ...['export', '--out', rig.out, ...ask(), ...asUsers(users), ...more],
];

async function rows(sql: string): Promise<Row[]> {
  return (await cliJson<{ rows: Row[] }>(['query', rig.out, sql])).rows;
}

/** What the metrics of the command say of deletions, by outcome. */
async function measured(command: string): Promise<Record<string, number>> {
  const names = await readdir(rig.path('metrics'));
  const files = names.map((name) => readFile(rig.path(`metrics/${name}`), 'utf8'));
  const lines = (await Promise.all(files)).flatMap((text) => text.split('\n'));
  const ofCommand = lines.filter(
    (line) => line.startsWith('jobvault_run_deletions{') && line.includes(`command="${command}"`),
  );
  const found = ofCommand.map((line) => /outcome="(\w+)"\} (\d+)/.exec(line) ?? []);
  return Object.fromEntries(found.map(([, outcome = '', count]) => [outcome, Number(count)]));
}

/** Each session of the archive as every place has it: how many are there, absent, and deleted. */
async function told(): Promise<Record<string, unknown>> {
  const count = 'count_if(is_gone)::INT AS gone, count_if(is_deleted)::INT AS deleted';
  const { sessions } = await cliJson<Status>(['status', rig.out]);
  const ofUser = async (user: string) => {
    const { details } = await cliJson<{ details: [Status] }>(['status', rig.out, '--user', user]);
    const { gone, deleted } = details[0].sessions;
    return { gone, deleted };
  };
  return {
    status: { gone: sessions['gone'], deleted: sessions['deleted'] },
    ana: await ofUser('ana'),
    Ana: await ofUser('Ana'),
    current: (await rows(`SELECT ${count} FROM current_sessions`))[0],
  };
}

const toldAs = (counts: Row): Row => ({
  status: counts,
  ana: counts,
  Ana: counts,
  current: counts,
});

it('what is deleted under one spelling is deleted under the other, also for the next night', async () => {
  rig.addSessions('ana', ['a1', 'a2', 'a3']);
  await rig.rig.archived({ users: BOTH });
  await cliJson(['prune', rig.out, '--user', 'ana', '--session', 'a1', '--yes', ...ask()]);
  expect(await told()).toEqual(toldAs({ gone: 0, deleted: 1 }));
  const after = await cliJson<Row>(night(BOTH));
  expect(after).toMatchObject({ sessions: { listed: 2 } });
  expect(after).not.toHaveProperty('newly_gone_sessions');
  expect(await told()).toEqual(toldAs({ gone: 0, deleted: 1 }));
  expect(await rows('SELECT user_id, session_id, outcome FROM deletions ORDER BY ALL')).toEqual([
    { user_id: 'Ana', session_id: 'a1', outcome: 'confirmed' },
    { user_id: 'ana', session_id: 'a1', outcome: 'confirmed' },
  ]);
  // a workbook has each session once, and its cover says of no sheet that it has more
  const book = rig.path('both.xlsx');
  await cliJson(['workbook', rig.out, ...asUsers(BOTH), '--out', book]);
  const { sheets } = await readXlsx(await readFile(book));
  const cover = JSON.stringify(sheets[0]?.rows);
  expect(cover).toContain('1 row: Sessions deleted from the service after they were archived"');
});

it('a prune of both spellings tells one number everywhere, and the next night goes on', async () => {
  rig.addSessions('ana', ['a1', 'a2', 'a3']);
  await rig.rig.archived({ users: BOTH });
  const plan = await cliJson<PruneSummary>(['prune', rig.out, '--all', '--dry-run']);
  expect(plan.planned).toBe(3);
  expect(plan.sessions.map(({ session, outcome }) => `${session} ${outcome}`)).toEqual([
    'a1 planned',
    'a2 planned',
    'a3 planned',
  ]);
  const { exitCode, stdout, stderr } = await cli(['prune', rig.out, '--all', '--yes', ...ask()]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('Complete: 3 conversations deleted from the service;');
  expect(stdout).not.toContain('another spelling');
  expect(stderr).toContain('Delete 3 conversations with 6 questions from the service permanently?');
  expect(stderr).toMatch(/deletions recorded .*"sessions":3}/);
  expect(await measured('prune')).toMatchObject({ deleted: 3, gone: 0, refused: 0, kept: 0 });
  expect(await told()).toEqual(toldAs({ gone: 0, deleted: 3 }));
  const { runs } = await cliJson<Status>(['status', rig.out]);
  expect(runs[0]).toMatchObject({ kind: 'prune', deletions: 3 });
  await cliJson(night(BOTH));
  expect(await told()).toEqual(toldAs({ gone: 0, deleted: 3 }));
});

it('a plan counts against --max-delete what goes under two spellings once, as the run does', async () => {
  rig.addSessions('ana', ['a1', 'a2']);
  rig.addSessions('ben', ['b1', 'b2']);
  await rig.rig.archived({ users: BOTH });
  await rig.rig.export({ users: ['ben'] });
  const words = ['prune', rig.out, '--all', '--max-delete', '3'];
  const plan = await cliJson<PruneSummary>([...words, '--dry-run']);
  expect([plan.planned, plan.deletions.left]).toEqual([3, 1]);
  const { deletions } = await cliJson<PruneSummary>([...words, '--yes', ...ask()]);
  expect(deletions).toMatchObject({ deleted: 3, refused: 0, left: 1 });
});

it('a saved plan names what goes once, and its deletion is one under each spelling', async () => {
  rig.addSessions('ana', ['a1', 'a2']);
  await rig.rig.archived({ users: BOTH });
  const file = rig.path('plan.json');
  await cli(['prune', rig.out, '--keep', '1', '--save-plan', file]);
  const saved = JSON.parse(await readFile(file, 'utf8')) as { sessions: Row[] };
  expect(saved.sessions.map(({ session }) => session)).toEqual(['a1']);
  await cliJson(['prune', rig.out, '--plan', file, '--yes', ...ask()]);
  expect(await told()).toEqual(toldAs({ gone: 0, deleted: 1 }));
});

it('a session goes under the spelling that has all of it, in plan and run alike', async () => {
  rig.addSessions('ana', ['a1', 'a2']);
  await rig.rig.archived({ users: BOTH });
  rig.grow('ana', 'a1');
  await rig.rig.export({ users: ['Ana'] });
  const going = ({ sessions }: PruneSummary) =>
    sessions
      .filter(({ outcome }) => ['planned', 'deleted'].includes(outcome))
      .map(({ user, session, jobs }) => `${session} of ${user}: ${jobs}`);
  const alone = ['prune', rig.out, '--user', 'ana', '--session', 'a1', '--dry-run'];
  expect(await cliJson<PruneSummary>(alone)).toMatchObject({
    planned: 0,
    deletions: { refused: 1 },
    sessions: [{ outcome: 'refused', reason: 'doubtful' }],
  });
  const words = ['prune', rig.out, '--all'];
  const plan = await cliJson<PruneSummary>([...words, '--dry-run']);
  expect(going(plan)).toContain('a1 of Ana: 3');
  const named = ({ sessions }: PruneSummary) => sessions.map(({ session }) => session).sort();
  const { stdout } = await cli([...words, '--dry-run']);
  expect([named(plan), stdout.match(/session a1/g)]).toEqual([['a1', 'a2'], ['session a1']]);
  expect(plan).toMatchObject({ planned: 2, deletions: { refused: 0 } });
  const done = await cliJson<PruneSummary>([...words, '--yes', ...ask()]);
  expect([going(done), named(done)]).toEqual([going(plan), named(plan)]);
  expect(done).toMatchObject({ status: 'complete', deletions: { deleted: 2, refused: 0 } });
});

it('a session of two spellings is named under the one for which status counts it', async () => {
  rig.addSessions('ana', ['a1', 'a2', 'a3']);
  for (const user of BOTH) await rig.rig.export({ users: [user] });
  const words = asUsers(BOTH);
  const { details } = await cliJson<{ details: { user: string; detail: Row[] }[] }>([
    ...['status', rig.out, ...words],
  ]);
  const counted = details.flatMap(({ user, detail }) =>
    detail.filter(({ counts_for: other }) => other === null).map(() => user),
  );
  expect(counted).toEqual(['Ana', 'Ana', 'Ana']);
  const named = ({ sessions }: PruneSummary) =>
    sessions.map(({ user, outcome }) => `${outcome} of ${user}`).toSorted();
  const rules = ['prune', rig.out, '--keep', '1'];
  const plan = await cliJson<PruneSummary>([...rules, '--dry-run']);
  expect(named(plan)).toEqual(['kept of Ana', 'planned of Ana', 'planned of Ana']);
  const done = await cliJson<PruneSummary>([...rules, '--yes', ...ask()]);
  expect(named(done)).toEqual(['deleted of Ana', 'deleted of Ana', 'kept of Ana']);
});

it('what the rules keep of one spelling stays, whatever they keep of the other', async () => {
  rig.addSessions('ana', ['a1', 'a2', 'a3']);
  await rig.rig.archived({ users: BOTH });
  rig.grow('ana', 'a1');
  await rig.rig.export({ users: ['Ana'] });
  const words = ['prune', rig.out, '--keep', '1'];
  const outcomes = ({ sessions }: PruneSummary) => [
    ...new Set(sessions.map(({ session, outcome }) => `${session} ${outcome}`).toSorted()),
  ];
  const plan = await cliJson<PruneSummary>([...words, '--dry-run']);
  expect(outcomes(plan)).toEqual(['a1 kept', 'a2 planned', 'a3 kept']);
  const done = await cliJson<PruneSummary>([...words, '--yes', ...ask()]);
  expect(outcomes(done)).toEqual(['a1 kept', 'a2 deleted', 'a3 kept']);
});

it('what a killed run has deleted under one spelling is told once, and deleted under both', async () => {
  rig.addSessions('ana', ['a1', 'a2']);
  await rig.rig.archived({ users: BOTH });
  await rig.beginDeletion('ana', 'a1');
  rig.state.deleteSession('ana', 'a1');
  const { sessions, deletions } = await rig.pruned({ rules: { keep: 1 } });
  expect(sessions.filter(({ session }) => session === 'a1')).toMatchObject([
    { user: 'ana', outcome: 'deleted' },
  ]);
  expect(deletions).toMatchObject({ deleted: 1, refused: 0 });
  expect(await told()).toEqual(toldAs({ gone: 0, deleted: 1 }));
});

it('a deletion that cannot be settled under one spelling is left alone under both', async () => {
  rig.addSessions('ana', ['a1', 'a2']);
  await rig.rig.archived({ users: BOTH });
  await rig.beginDeletion('ana', 'a1');
  rig.emulator.state.keys.setProject('other-key', 'another project');
  const { sessions } = await rig.pruned({ apiKey: 'other-key' });
  expect(sessions.filter(({ session }) => session === 'a1')).toMatchObject([
    { user: 'ana', outcome: 'refused', reason: 'unproven' },
  ]);
});

it('slots of a user of two spellings are made free once, and every output counts them so', async () => {
  const ids = Array.from({ length: 150 }, (_, n) => `s${String(n).padStart(3, '0')}`);
  for (const id of ids) rig.addSession('ana', id, { jobs: 1 });
  const making = ['--delete-archived', '--free-slots', '20'];
  await rig.rig.archived({ users: BOTH });
  const dry = await cliJson<Exported>(night(BOTH, ...making, '--dry-run'));
  expect(dry).toMatchObject({
    sessions: { listed: 150, archived: 150 },
    jobs: { announced: 150, archived: 150 },
  });
  const { prune: plan } = dry;
  expect(plan).toMatchObject({ planned: 20, kept: 130, deletions: { refused: 0 } });
  const made = await cliJson<Exported>(night(BOTH, ...making, '--yes'));
  expect(made.deletions).toMatchObject({ deleted: 20, refused: 0 });
  expect(made.at_the_cap).toEqual([]);
  expect(rig.left()).toEqual(ids.slice(20));
  expect(made.prune).toMatchObject({ planned: null, kept: 130 });
  expect(await measured('export')).toMatchObject({ deleted: 20, refused: 0, kept: 130, gone: 0 });
  const { runs, at_the_cap: capped } = await cliJson<Status>(['status', rig.out]);
  expect([runs[0]?.deletions, capped]).toEqual([20, []]);
  expect(await told()).toEqual(toldAs({ gone: 0, deleted: 20 }));
  const after = await cliJson<Exported>(night(BOTH, ...making, '--yes'));
  expect(after).toMatchObject({ deletions: { deleted: 0, refused: 0 }, at_the_cap: [] });
  expect(await told()).toEqual(toldAs({ gone: 0, deleted: 20 }));
});
