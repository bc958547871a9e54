/** `jobvault prune` and `export --delete-archived` as a shell sees them: words in; exit code and lines out. */
import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PruneSummary } from '../../../src/prune/prune-summary.js';
import { cli as cliInProcess } from '../../support/programs/cli-in-process.js';
import { oneLine, PruneCli } from '../../support/programs/prune-cli-run.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { metricsIn } from '../../support/base/metrics-folder.js';
import { fault } from '../../support/base/fault.js';

let rig: PruneRig;
let cli: PruneCli;
beforeEach(async () => {
  rig = await PruneRig.start({ apiKeys: { 'demo-key': 'demo', 'other-key': 'other' } });
  cli = new PruneCli(rig);
  rig.state.putFile('lost.csv', 'a\n1\n');
  rig.addSessions('ann', ['a1', 'a2']);
  rig.addSession('bob', 'b1');
});
afterEach(() => rig[Symbol.asyncDispose]());

const run = (words: readonly string[], key?: string) => cli.run(words, key);
const prune = (...words: string[]) => cli.prune(...words);

describe('jobvault prune', () => {
  beforeEach(async () => {
    await rig.rig.archived();
  });

  it('plans without a rule and without a DELETE, and asks the service only for its time', async () => {
    const requests = rig.emulator.stats.totalRequests;
    const { exitCode, stdout, stderr } = await run(['prune', rig.out, '--dry-run']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain(
      `No rule is given, so nothing is to be deleted: the log knows of nothing that speaks against 3 conversations of ${rig.out}`,
    );
    expect(stdout).toMatch(
      /user ann, session a1 "Session a1": for a rule \(2 questions\): its newest job is from \d{4}-\d\d-\d\d \(told by its id\)\n/,
    );
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'To delete, give a rule: --older-than, --keep, --free-slots, --session, or --all.',
    );
    expect(rig.emulator.stats.totalRequests).toBe(requests + 1);
  });

  it('deletes with --yes and a rule: exit code 0, and again with nothing to do', async () => {
    rig.emulator.faults.deleteAnswers500AfterDeleting = true;
    const first = await prune('--yes', '--all', '--json');
    expect(first.exitCode).toBe(0);
    expect(oneLine(first)).toMatchObject({
      status: 'complete',
      archive: rig.out,
      deletions: { deleted: 3, refused: 0 },
    });
    const second = await prune('--yes', '--all');
    expect(second.exitCode).toBe(0);
    expect(second.stdout).toMatch(/^Complete: nothing to delete/);
  });

  it('says of the plan that it is carried out, where nobody is asked', async () => {
    const words = ['prune', rig.out, '--base-url', rig.emulator.baseUrl, '--yes', '--all'];
    const { exitCode, stderr } = await cliInProcess([...words, '--log-format', 'text']);
    expect([exitCode, stderr.split('\n')[0]]).toEqual([
      0,
      `Plan, carried out now (--yes): 3 conversations of ${rig.out} to delete from the service`,
    ]);
  });

  it('metrics of a refused deletion end with the next prune without one, not with a dry run', async () => {
    rig.grow('ann', 'a1');
    const words = ['--metrics-dir', rig.path('.')];
    const counted = async () =>
      (await metricsIn(rig.path('.')))
        .split('\n')
        .flatMap(
          (one) => /_(exit_code\{|deletions.*outcome="refused").*\} (\d+)$/.exec(one)?.[2] ?? [],
        );
    expect((await prune('--yes', '--keep', '0', ...words)).exitCode).toBe(7);
    expect(await counted()).toEqual(['7', '1']);
    expect((await prune('--dry-run', '--keep', '9', ...words)).exitCode).toBe(0);
    expect(await counted()).toEqual(['7', '1']);
    expect((await prune('--yes', '--keep', '9', ...words)).exitCode).toBe(0);
    expect(await counted()).toEqual(['0', '0']);
  });

  it('says what it refuses, and ends with 7', fault('F-34'), async () => {
    rig.grow('ann', 'a1');
    await writeFile(rig.path('holds.txt'), '\uFEFFbob\r\n\r\n');
    const { exitCode, stdout } = await prune(
      ...['--yes', '--keep', '0', '--hold-file', rig.path('holds.txt')],
    );
    expect(exitCode).toBe(7);
    expect(stdout).toMatch(/^1 conversation deleted, 1 kept by a hold, 1 refused: 1 grown since\n/);
    expect(stdout).toContain('jobvault export archives what is new');
    expect(stdout).not.toContain('hold list');
    expect(stdout).toContain(
      'user ann, session a1 "Session a1": not deleted: 1 new job since: to be archived',
    );
    expect(stdout).toContain('user ann, session a2 "Session a2": deleted\n');
    expect(stdout).toContain(
      'user bob, session b1 "Session b1": kept by a hold: its user is on hold',
    );
  });

  it("deletes nothing with another project's key (7), an expired one (6), or no service (5)", async () => {
    const words = ['prune', rig.out, ...cli.service, '--yes', '--all'];
    const other = await run(words, 'other-key');
    expect(other.exitCode).toBe(7);
    expect(other.stdout).toContain('the API key may be that of another project');

    rig.state.keys.expire('demo-key');
    const expired = await run(words);
    expect([expired.exitCode, expired.stdout.split(':')[0]]).toEqual([6, 'Failed']);
    expect(expired.stderr).toMatch(/^jobvault: .*the API key has expired/m);

    rig.state.keys.setProject('demo-key', 'demo');
    rig.emulator.faults.api = [{ answer: { kind: 'html' } }];
    expect((await run(words)).exitCode).toBe(5);
    expect(rig.deletesSent).toBe(0);
  });

  it.each([
    [['--yes'], 'nothing says which sessions are to be deleted'],
    [['--yes', '--hold-file', 'holds'], '--hold-file holds cannot be read'],
    [['--yes', '--plan', 'nowhere.json'], '--plan nowhere.json cannot be read'],
    [['--yes', '--all', '--base-url', 'http://127.0.0.1:1'], 'is the archive of http://'],
    [['--dry-run', '--user', 'eve'], 'has no user "eve"'],
    [['--yes', '--session', 'a9'], 'has no session "a9"'],
    [['--older-than', 'soon'], '--older-than is "soon"; allowed is a duration above 0'],
    [['--free-slots', '151'], '--free-slots is "151"; allowed is a whole number from 1 to 150'],
    [['--max-delete', '0'], '--max-delete is "0"; allowed is a whole number from 1'],
  ])('%j is a mistake that one sentence tells: exit code 2', async (words, complaint) => {
    const given = words.includes('--base-url') ? ['prune', rig.out, ...words] : undefined;
    const { exitCode, stderr, stdout } = await (given ? run(given) : prune(...words));
    expect(exitCode).toBe(2);
    expect(stderr.split('\n')[0]).toContain(complaint);
    expect([stdout, rig.deletesSent]).toEqual([expect.not.stringContaining('deleted:'), 0]);
  });

  it('needs to know the service where it is to delete', async () => {
    const { exitCode, stderr } = await run(['prune', rig.out, '--yes', '--all']);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('--base-url is missing; give it'),
    ]);
  });

  it('saves a plan and carries it out; it overwrites nothing but plans', async () => {
    const file = rig.path('plan.json');
    expect((await prune('--session', 'a1', '--save-plan', file)).exitCode).toBe(0);
    expect((await prune('--session', 'a2', '--save-plan', file, '--yes')).exitCode).toBe(0);
    const { exitCode, stdout } = await prune('--yes', '--plan', file);
    expect([exitCode, rig.left()]).toEqual([0, ['a1', 'b1']]);
    expect(stdout).toMatch(
      /^Complete: 1 conversation deleted from the service; still archived in /,
    );

    await writeFile(rig.path('diary.txt'), 'Dear diary');
    const foreign = await prune('--save-plan', rig.path('diary.txt'));
    expect([foreign.exitCode, foreign.stderr]).toEqual([2, expect.stringContaining('as a plan')]);
    expect(await readFile(rig.path('diary.txt'), 'utf8')).toBe('Dear diary');
    expect((await prune('--yes', '--plan', file, '--all')).exitCode).toBe(2);
  });

  it('counts what a plan or --session names and an earlier run has deleted as gone', async () => {
    const file = rig.path('plan.json');
    const one = ['--session', 'a1'];
    await prune(...one, '--session', 'a2', '--save-plan', file);
    expect((await prune(...one, '--yes')).exitCode).toBe(0);
    const whatIsGone = {
      deletions: { deleted: 0, refused: 0 },
      gone: 1,
      sessions: [
        { session: 'a1', outcome: 'gone', detail: 'an earlier run has deleted it' },
        { session: 'a2', outcome: 'planned' },
      ],
    };
    const planned = await prune('--plan', file, '--dry-run', '--json');
    expect(oneLine(planned)).toMatchObject({ ...whatIsGone, planned: 1 });
    const { stdout } = await prune('--plan', file, '--yes');
    expect(stdout).toContain('1 already gone from the service');
    const named = await prune(...one, '--yes', '--json');
    expect(oneLine(named)).toMatchObject({ gone: 1, sessions: [whatIsGone.sessions[0]] });
    expect(await rig.recorded()).toHaveLength(2);
  });
});

it('the export deletes what it has just archived, and says so in its summary', async () => {
  const end = await cli.export('--delete-archived', '--all', '--yes', '--json');
  expect(end.exitCode).toBe(0);
  const summary = oneLine(end);
  expect(summary).toMatchObject({
    status: 'complete',
    jobs: { archived: 6 },
    deletions: { deleted: 3, refused: 0 },
    prune: { status: 'complete', deletions: { deleted: 3 } },
  });
  expect(rig.left()).toEqual([]);
  expect(await rig.recorded()).toHaveLength(3);
});

it(
  'the export leaves what ended with a gap, exits 7, and tells both reports',
  fault('F-19'),
  async () => {
    rig.emulator.faults.files = [{ answer: { kind: 'status', status: 404 } }];
    rig.addSession('ann', 'a3', { files: ['lost.csv'] });
    rig.emulator.faults.refusedUsers = { bob: 1003 };
    const { exitCode, stdout } = await cli.export('--delete-archived', '--keep', '0', '--yes');
    expect(exitCode).toBe(7);
    expect(stdout).toMatch(/^Finished with gaps after /);
    expect(stdout).toContain(
      '2 conversations deleted, 1 refused: 1 of an export that ended with gaps',
    );
    expect(stdout).toContain(
      'session a3 "Session a3": not deleted: its export has just ended with a gap',
    );
    expect(rig.left().sort()).toEqual(['a3', 'b1']);
  },
);

it('the export leaves sessions of a user whose export failed, though they are archived', async () => {
  await rig.rig.export();
  rig.emulator.faults.api = [
    {
      operations: ['listSessions'],
      userId: 'bob',
      first: 2,
      answer: { kind: 'error', status: 200, code: 300002 },
    },
  ];
  const end = await cli.export('--delete-archived', '--all', '--yes', '--json');
  const { prune: pruned } = oneLine(end) as { prune: PruneSummary };
  expect(outcomes(pruned)).toEqual({ a1: 'deleted', a2: 'deleted', b1: 'export' });
  expect(end.exitCode).toBe(7);
});

it('jobvault export --delete-archived prunes nobody but its own users', async () => {
  await rig.rig.export();
  const words = ['export', '--out', rig.out, ...cli.service, '--user', 'bob', '--user', 'eve'];
  const deleting = ['--delete-archived', '--all', '--yes', '--allow-unknown-users'];
  expect((await run([...words, ...deleting])).exitCode).toBe(0);
  expect(rig.left()).toEqual(['a1', 'a2']);
});

it(
  'jobvault export --delete-archived with --search deletes only what the search has selected',
  fault('F-53'),
  async () => {
    await rig.rig.export();
    const end = await cli.export(
      '--search',
      'Session a1',
      '--delete-archived',
      '--all',
      '--yes',
      '--json',
    );
    expect([end.exitCode, rig.left()]).toEqual([0, ['a2', 'b1']]);
  },
);

it('jobvault export --delete-archived with --retry-gaps deletes only what was tried again', async () => {
  rig.addSession('bob', 'late', { files: ['late.csv'] });
  await rig.rig.export();
  rig.state.putFile('late.csv', 'a\n1\n');
  const end = await cli.export('--retry-gaps', '--delete-archived', '--all', '--yes', '--json');
  expect([end.exitCode, rig.left()]).toEqual([0, ['a1', 'a2', 'b1']]);
  expect(oneLine(end)).toMatchObject({ deletions: { deleted: 1, refused: 0 } });
});

it('what --max-delete leaves for the next run is no refusal', async () => {
  await rig.rig.archived();
  const plan = await cli.prune('--all', '--max-delete', '2', '--dry-run');
  expect(plan.stdout).toMatch(/^ {2}left +1 conversation for the next run: --max-delete 2$/m);
  expect(plan.stdout).toMatch(/^ {2}not deleted +none$/m);
  const first = await cli.prune('--all', '--max-delete', '1', '--yes');
  expect([first.exitCode, rig.left().length]).toEqual([0, 2]);
  expect(first.stdout).toMatch(
    /^1 conversation deleted, 2 left for the next run: --max-delete 1$/m,
  );
  expect(first.stdout).not.toMatch(/^Next:|refused|budget/m);
  const night = await cli.export('--delete-archived', '--all', '--max-delete', '1', '--yes');
  expect([night.exitCode, rig.left().length]).toEqual([0, 1]);
  expect(night.stdout).toContain('1 left for the next run: --max-delete 1');
  expect(night.stdout).not.toContain('Stopped by its budget');
});

it('status says of a prune that failed whether the archive has its deletions', async () => {
  rig.addSession('bob', 'late', { files: ['late.csv'] });
  await rig.rig.export();
  const failed = async (...words: string[]): Promise<unknown> => {
    const { stdout } = await cliInProcess(['status', rig.out, '--json', ...words], {
      JOBVAULT_METRICS_DIR: rig.rig.directory,
    });
    return (JSON.parse(stdout) as { failed_runs: unknown }).failed_runs;
  };
  const prune = () => cli.prune('--all', '--yes', '--metrics-dir', rig.rig.directory);
  expect((await prune()).exitCode).toBe(7);
  expect(rig.left()).toEqual(['late']);
  expect(await failed()).toMatchObject([
    { command: 'prune', exit_code: 7, saved: true, deleted: 3 },
  ]);
  expect((await prune()).exitCode).toBe(7);
  expect(await failed()).toMatchObject([{ command: 'prune', saved: false }]);
  // the runs that are shown do not tell of it
  await rig.rig.export({ users: ['ann'] });
  expect(await failed('--runs', '1')).toMatchObject([{ command: 'prune', saved: null }]);
});

it('the export without a rule is a mistake, before anything is asked of the service', async () => {
  const { exitCode, stderr } = await cli.export('--delete-archived', '--max-delete', '5', '--yes');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('--delete-archived does not say which sessions');
  expect(rig.emulator.stats.totalRequests).toBe(0);
});

it('jobvault export --delete-archived deletes nothing where the export was broken off', async () => {
  await rig.rig.export();
  rig.state.keys.expire('demo-key');
  const end = await cli.export('--delete-archived', '--all', '--yes', '--json');
  expect(end.exitCode).toBe(6);
  expect(oneLine(end)).toMatchObject({ status: 'failed', deletions: { deleted: 0 } });
  expect(rig.left()).toHaveLength(3);
});
