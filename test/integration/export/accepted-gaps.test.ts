/** A file that is gone for good: once somebody has accepted the gap, runs do not fail for it, and nothing is deleted. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import { cli, cliJson, cliOnTerminal } from '../../support/programs/cli-in-process.js';
import { PruneCli } from '../../support/programs/prune-cli-run.js';
import { metricsIn } from '../../support/base/metrics-folder.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';

const GONE = 'gone.csv';
const GONE_TOO = 'gone-too.csv';

let rig: PruneRig;
let prune: PruneCli;
/** The file of a job of a1 is gone; a2 has none. */
beforeEach(async () => {
  rig = await PruneRig.start();
  prune = new PruneCli(rig);
  rig.addSession('ann', 'a1', { files: [GONE] });
  rig.addSession('ann', 'a2');
  expect((await run()).exitCode).toBe(3);
});
afterEach(() => rig[Symbol.asyncDispose]());

const exporting = () => ['export', '--out', rig.out, ...prune.service, '--user', 'ann'];
async function run(...words: string[]) {
  const ended = await cli([...exporting(), '--json', ...words]);
  return { ...ended, summary: JSON.parse(ended.stdout) as ExportSummary };
}
const MATTER = ['--reason', 'Ticket 7', '--by', 'Grace'];
const accept = (...words: string[]) =>
  cli(['gap', 'accept', rig.out, '--session', 'a1', ...MATTER, ...words]);

it('a gap that somebody accepts is counted apart, and fails no run', async () => {
  const accepted = await accept();
  expect(accepted).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(
      /^Accepted 1 gap in commit \d+\. Runs do not fail for it any more; its session is still not deleted from the service\.\nstatus tells that at once; an alert on gaps ends with the next export of everybody that reaches its end\.\n$/,
    ) as string,
  });
  const metrics = rig.path('.');
  const { exitCode, summary, stderr } = await run(
    ...['--metrics-dir', metrics, '--log-level', 'warn'],
  );
  expect([exitCode, summary.status, stderr]).toEqual([0, 'incomplete-by-decision', '']);
  const sql = `SELECT outcome, is_complete FROM runs WHERE run_id = '${summary.run}'`;
  expect(await cliJson(['query', rig.out, sql])).toMatchObject({
    rows: [{ outcome: summary.status, is_complete: false }],
  });
  const { runs } = await cliJson<ArchiveStatus>(['status', rig.out, '--runs', '1']);
  expect(runs).toMatchObject([{ outcome: summary.status, complete: 0, incomplete_by_decision: 1 }]);
  expect(summary.gaps).toMatchObject([
    { session: 'a1', status: 'missing', accepted: true, accepted_by: 'Grace' },
  ]);
  const lines = await metricsIn(metrics);
  expect(lines).toMatch(/^jobvault_accepted_gaps\{.*\} 1$/m);
  expect(lines).toMatch(/^jobvault_gaps\{.*reason="missing"\} 0$/m);
  const people = await cli(exporting());
  expect(people.stdout).toMatch(
    /^Not complete, by decision, and nothing new after .*: 4 questions of 1 user unchanged in /,
  );
  expect(people.stdout).toMatch(/ gaps +0 .*\n +accepted +1 +1 accepted gap; see below\n/);
  expect(people.stdout).toMatch(/ accepted +1 +user ann, session a1, /);
});

it('the gap is listed and shown with who accepts it, and its user is not proven complete', async () => {
  await accept();
  const { gaps } = await cliJson<{ gaps: unknown[] }>(['gap', 'list', rig.out]);
  const at: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
  expect(gaps).toMatchObject([
    {
      ...{ user_id: 'ann', session_id: 'a1', status: 'missing' },
      ...{ accepted_at: at, accepted_by: 'Grace', accepted_reason: 'Ticket 7' },
    },
  ]);
  expect((await cli(['gap', 'list', rig.out])).stdout).toContain('Grace: Ticket 7');
  const status = await cliJson<{ users: unknown }>(['status', rig.out]);
  expect(status).toMatchObject({ gaps: {}, accepted_gaps: 1, users: { complete: 0 } });
  const shown = await cli(['status', rig.out, '--user', 'ann']);
  expect(shown.stdout).toMatch(/missing +1 accepted gap: /);
  expect(shown.stdout).toContain('(accepted by Grace)');
});

it('the gap fails runs again once that is withdrawn, and can be accepted again', async () => {
  const withdraw = (...words: string[]) =>
    cli(['gap', 'withdraw', rig.out, '--session', 'a1', ...MATTER, ...words]);
  expect(await withdraw()).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('no gap of session "a1" is accepted in') as string,
  });
  await accept();
  expect((await run()).exitCode).toBe(0);
  expect((await withdraw()).stdout).toMatch(
    /^Withdrawn in commit \d+: 1 accepted gap\. It fails runs again\.\n$/,
  );
  const { gaps } = await cliJson<{ gaps: unknown[] }>(['gap', 'list', rig.out]);
  expect(gaps).toMatchObject([{ session_id: 'a1', accepted_at: null, accepted_by: null }]);
  expect((await run()).exitCode).toBe(3);
  expect((await accept()).exitCode).toBe(0);
  expect((await run()).exitCode).toBe(0);
  expect((await rig.rig.verify()).problems).toEqual([]);
});

it('the gap leaves nothing of its session in the log after an erasure, withdrawn or not', async () => {
  await accept();
  await cli(['gap', 'withdraw', rig.out, '--session', 'a1', '--reason', 'of a1', '--by', 'ann']);
  expect((await cli(['erase', rig.out, '--user', 'ann', '--yes'])).exitCode).toBe(0);
  for (const path of await rig.rig.files('_commits')) {
    if (!path.endsWith('.json')) continue;
    expect(await readFile(join(rig.out, path), 'utf8')).not.toMatch(/"a1"|"ann"|of a1/);
  }
  expect((await rig.rig.verify()).problems).toEqual([]);
});

it('a gap that somebody accepts keeps its session from being deleted, whatever the rule', async () => {
  await accept();
  const pruned = await prune.prune('--all', '--yes');
  expect([pruned.exitCode, rig.left()]).toEqual([7, ['a1']]);
  const exported = await cli([...exporting(), '--delete-archived', '--all', '--yes']);
  expect([exported.exitCode, rig.left()]).toEqual([7, ['a1']]);
});

it('a gap that somebody accepts is that one: another gap of the session fails the run', async () => {
  await accept();
  rig.grow('ann', 'a1', [GONE_TOO]);
  const { exitCode, summary, stderr } = await run();
  expect(exitCode).toBe(3);
  expect(summary.gaps.map(({ accepted }) => accepted ?? false).toSorted()).toEqual([false, true]);
  expect(stderr).toContain('1 new gap; 1 accepted gap');
  const people = (await cli(exporting())).stdout;
  expect(people).toMatch(
    / gaps +1 +1 of files; see below\n +accepted +1 +1 accepted gap; see below\n/,
  );
  expect(people).toMatch(/ missing +1 +user ann, [^\n]*\n +accepted +1 +user ann, session a1/);
});

it('the gap lapses when the file is there again: if it goes once more, that is new', async () => {
  await accept();
  rig.state.putFile(GONE, 'a,b\n1,2\n');
  expect((await run('--retry-gaps')).summary.gaps).toEqual([]);
  const { gaps } = await cliJson<{ gaps: unknown[] }>(['gap', 'list', rig.out]);
  expect(gaps).toEqual([]);
  expect((await cli(['gap', 'list', rig.out])).stdout).toContain('has a gap');
});

it('the gap is verified and copied with the log, and erased with its session', async () => {
  await accept();
  expect((await cli(['verify', rig.out])).exitCode).toBe(0);
  const copy = rig.path('copy');
  expect((await cli(['copy', rig.out, copy])).exitCode).toBe(0);
  const ofCopy = await cliJson<{ gaps: unknown[] }>(['gap', 'list', copy]);
  expect(ofCopy.gaps).toMatchObject([{ accepted_by: 'Grace' }]);
  expect((await cli(['erase', rig.out, '--session', 'a1', '--yes'])).exitCode).toBe(0);
  expect((await cli(['verify', rig.out])).exitCode).toBe(0);
  for (const name of await rig.rig.files('_commits')) {
    expect(await readFile(`${rig.out}/${name}`, 'utf8'), name).not.toContain('Ticket 7');
  }
});

it.each([
  [['--session', 'a2'], 'there is no gap of session "a2" that can be accepted'],
  [['--session', 'zz'], 'has no session "zz"'],
  [
    ['--session', 'a1', '--job', 'zz'],
    'there is no gap of job "zz" of session "a1" that can be accepted',
  ],
  [[], 'nothing is named whose gaps are meant; give a session, a user or a status'],
  [['--user', 'zoe', '--dry-run'], 'has no user "zoe"'],
  [
    ['--status', 'lost'],
    '--status is "lost"; allowed is expired, forbidden, missing, rejected, unresolved, failed, not_fetched, refused, incomplete, doubtful',
  ],
  [
    ['--user', 'ann'],
    'nothing was done, because there is no terminal to ask at; pass --yes, or --dry-run to see the plan',
  ],
])('gap accept %s is refused: exit code 2', async (words, text) => {
  const { exitCode, stderr } = await cli(['gap', 'accept', rig.out, ...MATTER, ...words]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(text)]);
});

describe('gaps of a user or a status', () => {
  beforeEach(async () => {
    rig.addSession('ann', 'a3', { files: [GONE, GONE_TOO] });
    expect((await run()).exitCode).toBe(3); // ann's come first
    rig.addSession('bob', 'b1', { files: [GONE] });
    expect((await run('--user', 'bob')).exitCode).toBe(3);
  });
  const many = (...words: string[]) => ['gap', 'accept', rig.out, ...MATTER, ...words];
  const planOf = (headline: string, ...lines: string[]) =>
    [
      `${headline} ${rig.out}`,
      `  missing  ${lines.at(-1)}: the file host does not have the file; an export looks again`,
      ...lines.slice(0, -1),
      '',
    ].join('\n');

  it('are shown, and accepted after a yes: those of this user alone', async () => {
    const plan = planOf(
      'Plan, nothing is accepted; would accept: 3 gaps of 2 conversations of 1 user of',
      '    session a1 of ann (1 gap)',
      '    session a3 of ann (2 gaps)',
      '3',
    );
    expect(await cli(many('--user', 'ann', '--dry-run'))).toMatchObject({
      exitCode: 0,
      stdout: plan,
    });
    const no = await cliOnTerminal(many('--user', 'ann'), { columns: 1000, stdin: 'n\n' });
    expect([no.exitCode, no.stdout]).toEqual([7, '']);
    expect(no.stderr).toBe(
      `${plan}Accept 3 gaps of 2 conversations of 1 user of ${rig.out}, for the reason Ticket 7? [y/N] Nothing was accepted.\n`,
    );
    const yes = await cliOnTerminal(many('--user', 'ann'), { columns: 1000, stdin: 'y\n' });
    expect(yes.stdout.replaceAll('\n', ' ')).toMatch(
      /^Accepted 3 gaps in commit \d+\. Runs do not fail for them any more; their sessions are still not deleted from the service\. status tells that at once; an alert on gaps ends with the next export of everybody that reaches its end\. $/,
    );
    const { gaps } = await cliJson<{ gaps: { session_id: string; accepted_by: string | null }[] }>([
      ...['gap', 'list', rig.out],
    ]);
    expect(gaps.filter((gap) => gap.accepted_by === null)).toMatchObject([{ session_id: 'b1' }]);
  });

  it('are shown with --yes, too, and withdrawn likewise', async () => {
    const ended = await cli(many('--status', 'missing', '--yes', '--log-format', 'text'));
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toBe(
      `${planOf(
        'Plan, carried out now (--yes); accepts: 4 gaps of 3 conversations of 2 users of',
        '    session a1 of ann (1 gap)',
        '    session a3 of ann (2 gaps)',
        '    session b1 of bob (1 gap)',
        '4',
      )}Accept 4 gaps of 3 conversations of 2 users of ${rig.out}, for the reason Ticket 7? yes (--yes)\n`,
    );
    const withdraw = ['gap', 'withdraw', rig.out, ...MATTER, '--user', 'bob'];
    expect((await cli([...withdraw, '--dry-run'])).stdout).toBe(
      planOf(
        'Plan, nothing is withdrawn; would withdraw: 1 gap of 1 conversation of 1 user of',
        '    session b1 of bob (1 gap)',
        '1',
      ),
    );
    expect((await cli([...withdraw, '--yes'])).stdout).toMatch(
      /^Withdrawn in commit \d+: 1 accepted gap\. It fails runs again\.\n$/,
    );
  });
});

it('gap accept wants a reason', async () => {
  const { exitCode, stderr } = await cli(['gap', 'accept', rig.out, '--session', 'a1']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--reason is missing')]);
});
