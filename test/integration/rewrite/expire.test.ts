/** Sessions in which everything is older than so long leave the archive; doubt and holds keep them. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ed25519Verifier } from '../../../src/archive/log/commit-verifier.js';
import { ulid } from '../../../src/base/ulid.js';
import { systemClock, systemRandom } from '../../../src/base/runtime.js';
import { sessionEntryOf } from '../../../src/archive/state/apply-commit.js';
import { openArchive } from '../../../src/library/operations.js';
import type { OpenOptions } from '../../../src/library/call-context.js';
import type { ExpireChoices } from '../../../src/rewrite/expiry/expire-options.js';
import { asSessionId, asUserId } from '../../../src/model/ids.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { bagProblems } from '../../support/tables/bag-validator.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { ed25519Pair, startingSigner } from '../../support/base/signing-keys.js';
import { fault } from '../../support/base/fault.js';

const DAY = 86_400_000;
const YEAR = 365.25 * DAY;

let rig: ExportRig;
beforeEach(async () => {
  rig = await ExportRig.start({ artifactsPerJob: 0 });
});
afterEach(() => rig[Symbol.asyncDispose]());

/** An id with a time, also of a year before there were cuids of the service. */
function idOf(atMs: number): string {
  return `job-${ulid({ ...systemClock, now: () => atMs }, systemRandom)}`;
}

/** A session with jobs that were asked so many years ago; null: nobody knows when. */
function talk(user: string, session: string, ...yearsAgo: readonly (number | null)[]): void {
  const jobs = yearsAgo.map((years, at) =>
    oldJob(years === null ? `${session}-${at}` : idOf(rig.clock.now() - years * YEAR)),
  );
  if (rig.state.userIds().includes(user) && rig.state.sessionIds(user).includes(session)) {
    for (const job of jobs) rig.state.addJob(user, session, job);
  } else rig.state.addSession(user, { id: session }, jobs);
}

function jobsOf(user: string, session: string): string[] {
  const { state } = rig;
  return state.jobIds(user, session).map((job) => state.jobText(user, session, job));
}

async function expired(choices: Partial<ExpireChoices> = {}, options: OpenOptions = {}) {
  await using archive = await openArchive(rig.out, { clock: rig.clock, ...options });
  return await archive.expire({ olderThanMs: 7 * YEAR, ...choices });
}

async function archivedSessions(): Promise<unknown[]> {
  const rows = await rig.rows('sessions');
  return [...new Set(rows.map((row) => row['session_id']))].sort();
}

it('an expiry plans and changes nothing, then erases what is older, with a receipt', async () => {
  talk('ann', 'old', 9, 8);
  talk('ann', 'mixed', 9, 1);
  talk('ben', 'young', 1);
  await rig.archived();
  const before = await rig.files('');
  const plan = await expired({ dryRun: true });
  expect(plan).toMatchObject({ status: 'planned', planned: 1, expired: 0, refused: 0, kept: 2 });
  expect(plan.sessions).toMatchObject([
    { user: 'ann', session: 'old', jobs: 2, outcome: 'planned', at_service: true },
  ]);
  expect(await rig.files('')).toEqual(before);

  const done = await expired();
  expect(done).toMatchObject({
    status: 'complete',
    planned: 0,
    expired: 1,
    kept: 2,
    erased: { sessions: 1, jobs: 2 },
  });
  expect(await archivedSessions()).toEqual(['mixed', 'young']);
  const report = await rig.verify();
  expect(report).toMatchObject({ problems: [], orphans: [] });
  const day = done.older_than.slice(0, 10);
  const reason = `expired: nothing was newer than ${day}`;
  expect(report.rewrites.erasures).toMatchObject([{ receipt: done.receipt, reason }]);
  expect(await expired()).toMatchObject({ status: 'complete', expired: 0, receipt: null });
});

it('an expiry leaves a pack of evidence that holds what stays, and nothing of what went', async () => {
  talk('ann', 'went-away', 9, 8);
  talk('ann', 'stays', 9, 1);
  await rig.archived();
  expect(await expired()).toMatchObject({ status: 'complete', expired: 1 });
  const { exitCode, summary, pack } = await handOver(rig, '--user', 'ann');
  expect(exitCode).toBe(0);
  expect(summary()).toMatchObject({ status: 'incomplete-by-decision', sessions: 1, jobs: 2 });
  expect(await bagProblems(pack.directory)).toEqual([]);
  expect(await pack.filesWith('went-away')).toEqual([]);
  expect((await pack.page('index')).map((row) => row['session_id'])).toEqual(['stays']);
  // two sessions were listed, and one is here: whether the other was erased, no receipt tells
  const [ann = {}] = await pack.page('summary');
  const told = [ann['sessions_listed'], ann['erased_since'], ann['complete']];
  expect(told).toEqual(['2', '1', 'by decision']);
});

it('rows of erase and expire add up to the counts where two spellings list a session', async () => {
  talk('ann', 'old', 9, 8);
  talk('ann', 'young', 1);
  rig.state.addSession('Ann', { id: 'old' }, jobsOf('ann', 'old'));
  rig.state.addSession('Ann', { id: 'young' }, jobsOf('ann', 'young'));
  await rig.archived();
  for (const [command, words] of [
    ['erase', ['--session', 'old']],
    ['expire', ['--older-than', '7y', '--trust-this-clock']],
  ] as const) {
    const given = [command, rig.out, ...words, '--dry-run'];
    const { sessions } = await cliJson<{ sessions: { session: string; counts_for: unknown }[] }>(
      given,
    );
    const ofOld = sessions.filter(({ session }) => session === 'old');
    expect([command, ofOld.map((row) => row.counts_for).toSorted()]).toEqual([
      command,
      [expect.stringMatching(/^ann$/i), null],
    ]);
    const { stdout } = await cli(given);
    expect([command, stdout]).toEqual([
      command,
      expect.stringContaining('(the same one under another spelling)'),
    ]);
  }
  const { planned, kept } = await expired({ dryRun: true });
  expect([planned, kept]).toEqual([1, 1]);
  // what a prune deletes under one spelling it has deleted under the other
  const prune = await cliJson<{ sessions: Record<string, unknown>[] }>([
    'prune',
    rig.out,
    '--all',
    '--dry-run',
  ]);
  expect(prune.sessions.map((row) => row['session']).toSorted()).toEqual(['old', 'young']);
});

it('an expiry keeps a session of which one job may be newer, and says so', async () => {
  talk('ann', 'silent', null);
  const old = [9.7, 9.6, 9.5, 9.4, 9.3, 9.2, 9.1];
  talk('ann', 'between', ...old, null, 8);
  talk('ann', 'after', 9, 8, null);
  talk('ann', 'prior', null, ...old, 8);
  await rig.export();
  // jobs without a time are settled once two reads agree
  rig.clock.ahead = 11 * 60_000;
  await rig.export();
  const done = await expired();
  expect(done).toMatchObject({ status: 'refused', expired: 2, refused: 2, time_unknown: 2 });
  const refused = done.sessions.filter(({ outcome }) => outcome === 'refused');
  expect(refused.map(({ session, reason }) => [session, reason]).sort()).toEqual([
    ['after', 'time-unknown'],
    ['silent', 'time-unknown'],
  ]);
  expect(await archivedSessions()).toEqual(['after', 'silent']);
  // what was seen seven years ago was asked before, if this clock is right
  rig.clock.ahead = 8 * YEAR;
  const later = await expired({ trustThisClock: true });
  expect(later).toMatchObject({ status: 'complete', expired: 2, time_unknown: 0 });
});

it('an old session stays whose newest pages hold no id that tells a time', async () => {
  await using paged = await ExportRig.start({ artifactsPerJob: 0, maxPageSize: 4 });
  const { state, clock } = paged;
  const old = [9, 8.9, 8.8, 8.7, 8.6, 8.5].map((years) => oldJob(idOf(clock.now() - years * YEAR)));
  state.addSession('ann', { id: 'revived' }, old);
  await paged.export();
  for (let at = 0; at < 4; at++) state.addJob('ann', 'revived', oldJob(`silent-${at}`));
  await paged.export();
  clock.ahead = 11 * 60_000;
  await paged.export();
  await using archive = await openArchive(paged.out, { clock });
  expect(await archive.expire({ olderThanMs: 7 * YEAR })).toMatchObject({
    planned: 0,
    sessions: [{ session: 'revived', outcome: 'refused', reason: 'time-unknown' }],
  });
});

it(
  'an expiry counts from a change seen after the history had been read to its end',
  fault('F-124'),
  async () => {
    talk('ann', 'amended', 9, 8);
    talk('ann', 'as-it-was', 9, 8);
    await rig.archived();
    const [job = ''] = rig.state.jobIds('ann', 'amended');
    rig.state.changeJob('ann', 'amended', job, (record) => {
      const text = JSON.stringify(record).replace(/Of [^"]*/, 'Said anew.');
      return JSON.parse(text) as typeof record;
    });
    await rig.export({ full: true });
    for (const dryRun of [true, false]) {
      const { sessions, kept } = await expired({ dryRun });
      expect([sessions.map(({ session }) => session), kept]).toEqual([['as-it-was'], 1]);
    }
    expect(await archivedSessions()).toEqual(['amended']);
  },
);

it('an expiry says of a held session that it is on hold, also where nothing tells its time', async () => {
  talk('ann', 'silent', null);
  await rig.archived();
  await using archive = await openArchive(rig.out);
  const plan = () => archive.expire({ olderThanMs: 7 * YEAR });
  expect((await plan()).sessions).toMatchObject([{ reason: 'time-unknown' }]);
  await archive.hold({ sessions: ['silent'], reason: 'Matter 1', by: 'Grace' });
  expect(await plan()).toMatchObject({
    ...{ refused: 0, held: 1 },
    sessions: [{ outcome: 'held', reason: 'hold' }],
  });
});

it('an expiry honours the holds of the log and of a file, whatever else is said', async () => {
  for (const user of ['ann', 'ben', 'cyd']) talk(user, `${user}-old`, 9);
  await rig.archived();
  await using archive = await openArchive(rig.out);
  await archive.hold({ sessions: ['ann-old'], reason: 'Matter 1', by: 'Grace' });
  const file = join(rig.directory, 'holds.txt');
  await writeFile(file, 'ben\n');
  const words = ['expire', rig.out, '--older-than', '7y', '--hold-file', file];
  const run = await cli([...words, '--yes']);
  // a hold that keeps its sessions is what is meant: the words of prune, and no refusal
  expect(run.exitCode).toBe(0);
  const lines = run.stdout
    .split('\n')
    .filter((line) => !/^(older than|erased|receipt|log|but|time) /.test(line.trim()));
  const told = lines.filter((line) => !/^ {4}user (?:ann|ben), /.test(line));
  expect(told).toEqual([
    `Complete: 1 conversation erased from ${rig.out}`,
    '  refused         none',
    '  kept by a hold  2 conversations',
    '  kept            none',
    expect.stringMatching(/^ {4}user cyd, session cyd-old \(1 question\): erased: /),
    ...[expect.anything(), expect.anything(), expect.anything(), ''],
  ]);
  // users come in the order of the log
  expect(lines.filter((line) => !told.includes(line)).toSorted()).toEqual([
    '    user ann, session ann-old (1 question): kept by a hold: the session is on hold',
    '    user ben, session ben-old (1 question): kept by a hold: its user is on hold',
  ]);
  expect(await archivedSessions()).toEqual(['ann-old', 'ben-old']);
  await archive.release({ sessions: ['ann-old'], reason: 'closed', by: 'Grace' });
  const again = await cliJson([...words, '--yes']);
  expect(again).toMatchObject({ status: 'complete', expired: 1, refused: 0, held: 1 });
  expect(await archivedSessions()).toEqual(['ben-old']);
  const commits = (await rig.files('_commits')).filter((path) => path.endsWith('.json'));
  const log = await Promise.all(commits.map((path) => readFile(join(rig.out, path), 'utf8')));
  expect(log.filter((text) => text.includes('ann-old'))).toEqual([]);
  expect(await archive.holds()).toMatchObject([{ session: '[erased]', reason: 'Matter 1' }]);
});

it('a named user on hold refuses an expiry: exit code 7; one with a held session does not', async () => {
  for (const user of ['ann', 'ben']) talk(user, `${user}-old`, 9);
  await rig.archived();
  await using archive = await openArchive(rig.out);
  await archive.hold({ users: ['ann'], sessions: ['ben-old'], reason: 'Matter 1', by: 'Grace' });
  const words = (user: string) => [
    ...['expire', rig.out, '--older-than', '7y', '--user', user, '--yes'],
  ];
  const { exitCode, stdout } = await cli(words('ann'));
  expect(exitCode).toBe(7);
  const lines = stdout.split('\n');
  expect(lines[0]).toBe(`Refused: nothing erased from ${rig.out}`);
  expect(lines).toContain(
    '    user ann, session ann-old (1 question): refused: its user is on hold',
  );
  expect(await cliJson(words('ben'))).toMatchObject({
    ...{ status: 'complete', expired: 0, refused: 0, held: 1 },
    sessions: [{ session: 'ben-old', outcome: 'held', reason: 'hold' }],
  });
  expect(await archivedSessions()).toEqual(['ann-old', 'ben-old']);
});

it('an expiry goes on without what is held, or has grown, between the plan and its execution', async () => {
  for (const user of ['ann', 'ben', 'cyd']) talk(user, `${user}-old`, 9);
  await rig.archived();
  const done = await expired({
    confirm: async (plan) => {
      expect(plan.planned).toBe(3);
      await using archive = await openArchive(rig.out);
      await archive.hold({ sessions: ['ann-old'], reason: 'late', by: 'Grace' });
      talk('ben', 'ben-old', 1);
      talk('dee', 'dee-old', 9); // old, and nobody has seen it in the plan
      await rig.export({ users: ['ben', 'dee'] });
      return true;
    },
  });
  expect(done).toMatchObject({ status: 'complete', expired: 1, refused: 0, held: 1, kept: 2 });
  expect(await archivedSessions()).toEqual(['ann-old', 'ben-old', 'dee-old']);
  expect(await rig.verify()).toMatchObject({ problems: [] });
});

it('an expiry keeps what is young under one spelling of its user, and refuses it under none', async () => {
  talk('ann', 'old', 9, 8);
  const young = oldJob(idOf(rig.clock.now() - YEAR));
  rig.state.addSession('Ann', { id: 'old' }, [...jobsOf('ann', 'old'), young]);
  await rig.archived();
  const kept = { status: 'complete', expired: 0, refused: 0, kept: 1, sessions: [] };
  expect(await expired()).toMatchObject(kept);
  expect(await archivedSessions()).toEqual(['old']);
});

it('an expiry erases nothing that it has not shown, and nothing where the answer is no', async () => {
  talk('ann', 'ann-old', 9);
  await rig.archived();
  const before = await rig.files('');
  const declined = await expired({ confirm: () => Promise.resolve(false) });
  expect(declined).toMatchObject({ status: 'declined', expired: 0, planned: 1 });
  expect(await rig.files('')).toEqual(before);
  const done = await expired({
    confirm: async () => {
      talk('ben', 'ben-old', 9);
      await rig.export({ users: ['ben'] });
      return true;
    },
  });
  expect(done).toMatchObject({ expired: 1 });
  expect(await archivedSessions()).toEqual(['ben-old']);
});

it('an expiry keeps what may still change at the service, until the service has it no more', async () => {
  const id = idOf(rig.clock.now() - 9 * YEAR);
  const silent = JSON.stringify({ job_id: id, question: { blocks: [] } });
  rig.state.addSession('ann', { id: 'open' }, [silent]);
  talk('ann', 'young', 1);
  await rig.export();
  const [session] = (await expired()).sessions;
  expect(session).toMatchObject({ session: 'open', outcome: 'refused', reason: 'unsettled' });
  rig.state.deleteSession('ann', 'open');
  await rig.export();
  expect(await expired()).toMatchObject({ expired: 1, sessions: [{ at_service: false }] });
  expect(await archivedSessions()).toEqual(['young']);
});

it('an expiry keeps a session of which the log counts more jobs than it names', async () => {
  talk('ann', 'old', 9);
  await rig.archived();
  const { log, states } = await rig.open();
  const known = (await states.load(asUserId('ann'))).sessions.get(asSessionId('old'))!;
  const entry = sessionEntryOf(asUserId('ann'), asSessionId('old'), { ...known, archived: 2 });
  const { run } = await log.read(1);
  const draft = { kind: 'export', base: 1, run, checkpoint: 2, tool: 't', scope: {} } as const;
  await log.append({ ...draft, sessions: [entry] });
  expect((await expired()).sessions).toMatchObject([{ reason: 'incomplete' }]);
});

it('an expiry takes one person alone, and no session of another with the same id', async () => {
  const shared = [oldJob(idOf(rig.clock.now() - 9 * YEAR))];
  for (const user of ['ann', 'ben']) rig.state.addSession(user, { id: 'twin' }, shared);
  talk('ann', 'own', 9);
  talk('cyd', 'cyd-old', 9);
  await rig.export();
  const done = await expired({ users: ['ann'] });
  // which of the two was archived first is chance
  const sessions = [...done.sessions].sort((a, b) => (a.session < b.session ? -1 : 1));
  expect(sessions).toMatchObject([
    { session: 'own', outcome: 'erased' },
    { session: 'twin', outcome: 'refused', reason: 'shared-id' },
  ]);
  expect(await archivedSessions()).toEqual(['cyd-old', 'twin']);
  await expect(expired({ users: ['anne'] })).rejects.toThrow('did you mean "ann"?');
});

it('an expiry signs its commits where the log is signed', async () => {
  const { privateKey, publicKey } = ed25519Pair();
  const signer = startingSigner(privateKey);
  talk('ann', 'old', 9);
  talk('ben', 'young', 1);
  await rig.export({ signer });
  await expect(expired()).rejects.toThrow('signed');
  const done = await expired({}, { signer });
  expect(done).toMatchObject({ status: 'complete', expired: 1 });
  await using archive = await openArchive(rig.out);
  const report = await archive.verify({ publicKeys: [ed25519Verifier(publicKey)] });
  expect(report).toMatchObject({ problems: [] });
});

it('jobvault expire needs an age, and takes none from a file or a variable', async () => {
  talk('ann', 'old', 9);
  await rig.archived();
  const environment = { JOBVAULT_OLDER_THAN: '1d', JOBVAULT_YES: 'true' };
  const run = await cli(['expire', rig.out], environment);
  expect([run.exitCode, run.stderr]).toEqual([
    2,
    expect.stringContaining('--older-than is missing; give it (erase sessions in which'),
  ]);
  const unasked = await cli(['expire', rig.out, '--older-than', '7y'], environment);
  expect([unasked.exitCode, unasked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
  expect(await archivedSessions()).toEqual(['old']);
});

it('jobvault expire tells what goes, and that the service still has it', async () => {
  talk('ann', 'old', 9);
  await rig.archived();
  const plan = await cli(['expire', rig.out, '--older-than', '7y', '--dry-run']);
  expect(plan.exitCode).toBe(0);
  expect(plan.stdout).toContain('Plan, nothing is erased: 1 conversation of');
  expect(plan.stdout).toMatch(
    /session old \(1 question\): to erase: nothing in it is newer than \d{4}/,
  );
  expect(plan.stdout).toContain('The service still lists 1 of these conversations');
  expect(plan.stdout).toContain('To erase, run it without --dry-run.');
  expect(plan.stdout).not.toContain('for good');
  const named = ['--reason', 'ticket 7', '--by', 'Grace Hopper'];
  const told = await cli(['expire', rig.out, '--older-than', '7y', '--dry-run', ...named]);
  expect(told.stdout).toMatch(
    /^ {2}log {2,}reason “ticket 7”, by “Grace Hopper”: these stay for good$/m,
  );
  const done = await cli([
    ...['expire', rig.out, '--older-than', '7y', '--yes'],
    ...['--log-format', 'text'],
  ]);
  expect(done.exitCode).toBe(0);
  expect(done.stderr.split('\n')[0]).toBe(
    `Plan, carried out now (--yes): 1 conversation of ${rig.out} to erase`,
  );
  expect(done.stdout).toContain('Complete: 1 conversation erased from');
  expect(done.stdout).toMatch(/receipt {2,}\w{26}, in commits/);
});
