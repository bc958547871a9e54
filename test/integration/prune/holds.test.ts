/** Holds: what stands in a hold file stays, and a line that may be a mistake stops everything. */
import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { decodePlan, encodePlan } from '../../../src/prune/plan/saved-plan.js';
import { PruneCli } from '../../support/programs/prune-cli-run.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';
import { fault } from '../../support/base/fault.js';

let rig: PruneRig;
let cli: PruneCli;
beforeEach(async () => {
  rig = await PruneRig.start();
  cli = new PruneCli(rig);
  rig.addSessions('ann', ['a1', 'a2']);
  rig.addSession('bob', 'b1');
  await rig.rig.archived();
});
afterEach(() => rig[Symbol.asyncDispose]());

const withHolds = async (text: string | Uint8Array, ...words: string[]) => {
  await writeFile(rig.path('holds.txt'), text);
  const given = ['--yes', '--all', '--hold-file', rig.path('holds.txt'), ...words];
  return cli.prune(...given);
};

it.each([
  ['a comment', 'a1 # legal hold\n'],
  ['quotes', '"a1"\n'],
  ['a tab', 'a1\t# legal\n'],
  ['user,session', 'ann,a1\n'],
  ['columns', 'reason;session_id\ncase 7;a1\n'],
  ['CR alone', '# first\ra1\r'],
  ['UTF-16', Buffer.from('\uFEFFa1\r\n', 'utf16le')],
])('a hold file with %s holds', fault('F-52'), async (_what, text) => {
  const { exitCode, stdout } = await withHolds(text);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /^Complete: 2 conversations deleted from the service, 1 kept by a hold; still archived in /,
  );
  expect(stdout).toContain('  not deleted     none\n  kept by a hold  1 conversation\n');
  expect(stdout).toContain('session a1 "Session a1": kept by a hold: the session is on hold\n');
  expect(rig.left()).toEqual(['a1']);
});

it.each([
  ['a9', 'line 2 ("a9") matches no user and no session of'],
  ['ann,b1', 'line 2 ("ann,b1") matches no user and no session of'],
  ['a1,a2,b1', 'line 2 ("a1,a2,b1") is not understood; allowed is an id, or user,session'],
  ['"a1', String.raw`line 2 ("\"a1") is not understood`],
])(
  'a hold file with the line %s deletes nothing, and names the line: exit code 2',
  fault('F-52'),
  async (line, complaint) => {
    const { exitCode, stderr } = await withHolds(`bob\n${line}\n`);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(complaint)]);
    expect([rig.deletesSent, rig.left().length]).toEqual([0, 3]);
  },
);

it('a hold file may name strangers where that is allowed', async () => {
  const { exitCode } = await withHolds('bob\na9\n', '--allow-unknown-holds');
  expect([exitCode, rig.left()]).toEqual([0, ['b1']]);
});

it('a hold file holds for export --delete-archived, too', fault('F-52'), async () => {
  await writeFile(rig.path('holds.txt'), 'a1 # legal hold\n');
  const words = ['--delete-archived', '--all', '--yes', '--hold-file', rig.path('holds.txt')];
  expect((await cli.export(...words)).exitCode).toBe(0);
  expect(rig.left()).toEqual(['a1']);
  await writeFile(rig.path('holds.txt'), 'a9\n');
  expect((await cli.export(...words)).exitCode).toBe(2);
  expect(rig.left()).toEqual(['a1']);
});

it('a hold file binds beside another one, and beside the one that is configured', async () => {
  await writeFile(rig.path('a1.txt'), 'a1\n');
  await writeFile(rig.path('a2.txt'), 'a2\n');
  await writeFile(rig.path('bob.txt'), 'bob\n');
  const config = rig.path('nightly.yaml');
  await writeFile(config, `hold-file: ${rig.path('bob.txt')}\n`);
  const two = ['--hold-file', rig.path('a1.txt'), '--hold-file', rig.path('a2.txt')];
  const { exitCode } = await cli.prune('--yes', '--all', '--config', config, ...two);
  expect([exitCode, rig.left().sort()]).toEqual([0, ['a1', 'a2', 'b1']]);
  await cli.prune('--yes', '--all', '--config', config, ...two.slice(0, 2));
  expect(rig.left().sort()).toEqual(['a1', 'b1']);
});

it.each([
  ['is empty', ''],
  ['has only a heading', 'id,user_id\n'],
])(
  'a hold file that %s stops every command before any request',
  fault('F-78'),
  async (_what, text) => {
    const file = rig.path('empty.csv');
    await writeFile(file, text);
    const before = rig.emulator.stats.totalRequests;
    const flags = ['--yes', '--hold-file', file];
    const session = ['--user', 'ann', '--out', rig.out, ...cli.service];
    for (const ended of [
      await cli.prune('--all', ...flags),
      await cli.export('--delete-archived', '--all', ...flags),
      await cli.run(['erase', rig.out, '--user', 'ann', ...flags]),
      await cli.run(['expire', rig.out, '--older-than', '1s', ...flags]),
      await cli.run(['sessions', 'delete', 'a1', ...session, ...flags]),
    ]) {
      expect([ended.exitCode, ended.stderr]).toEqual([
        2,
        expect.stringContaining('would hold nothing'),
      ]);
    }
    expect(rig.emulator.stats.totalRequests).toBe(before);
    expect((await cli.prune('--all', ...flags, '--allow-empty-holds')).exitCode).toBe(0);
    expect(rig.left()).toEqual([]);
  },
);

it(
  'with a column of ids beside the users holds these, also where unknown holds are allowed',
  fault('F-78'),
  async () => {
    const text = 'id,user_id\n1,ann\n2,bob\n';
    const { exitCode } = await withHolds(text, '--allow-unknown-holds');
    expect([exitCode, rig.left()]).toEqual([0, ['a1', 'a2', 'b1']]);
  },
);

it('with a misspelt user is refused, also where the id beside it is that of a session', async () => {
  const { exitCode, stderr } = await withHolds('id,user_id\nb1,anm\n');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('line 2 ("b1,anm") matches no')]);
  expect(rig.left()).toHaveLength(3);
});

it(
  'with a title above its heading is refused, also where unknown holds are allowed',
  fault('F-101'),
  async () => {
    const text = 'Legal holds 2026\nid,user_id\n1,ann\n';
    const { exitCode, stderr } = await withHolds(text, '--allow-unknown-holds');
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('line 2 ("id,user_id") has names of columns alone'),
    ]);
    expect(rig.left()).toHaveLength(3);
  },
);

it(
  'a file holds each id of a pair that is not archived, where unknown holds are allowed',
  fault('F-101'),
  async () => {
    const text = 'Legal holds 2026\nnumber;user\n1;ann\nann,b1\n';
    const { exitCode } = await withHolds(text, '--allow-unknown-holds');
    expect([exitCode, rig.left()]).toEqual([0, ['a1', 'a2', 'b1']]);
  },
);

it('a hold file holds no other session of a user where the archive has the pair', async () => {
  const { exitCode } = await withHolds('ann,a1\n', '--allow-unknown-holds');
  expect([exitCode, rig.left()]).toEqual([0, ['a1']]);
});

it('a file refuses a session asked for by its id, which a rule only passes over: exit code 7', async () => {
  const { exitCode, stdout } = await withHolds('bob\n', '--session', 'b1');
  expect(exitCode).toBe(7);
  expect(stdout).toMatch(/^0 conversations deleted, 1 refused: 1 on hold\n/);
  expect(stdout).toContain('user bob, session b1 "Session b1": not deleted: its user is on hold\n');
  // no export helps against a hold
  expect(stdout).not.toContain('jobvault export');
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /Next: the reason is beside each session\. jobvault hold list \S+ names the holds, with who asked/,
  );
  const rule = await withHolds('bob\n', '--json');
  expect([rule.exitCode, rule.stderr]).toEqual([0, '']);
  expect(JSON.parse(rule.stdout)).toMatchObject({
    status: 'complete',
    deletions: { deleted: 2, refused: 0, left: 0, held: 1 },
    // users come in any order
    sessions: expect.arrayContaining([
      expect.objectContaining({ session: 'b1', outcome: 'held', reason: 'hold' }),
    ]) as unknown,
  });
});

it('a named user on hold refuses a prune: exit code 7; one with a held session does not', async () => {
  const { exitCode, stdout } = await withHolds('bob\n', '--user', 'bob');
  expect(exitCode).toBe(7);
  expect(stdout).toMatch(/^0 conversations deleted, 1 refused: 1 on hold\n/);
  expect(stdout).toContain('user bob, session b1 "Session b1": not deleted: its user is on hold\n');
  const plan = await withHolds('bob\n', '--user', 'bob', '--dry-run', '--json');
  expect(JSON.parse(plan.stdout)).toMatchObject({
    deletions: { refused: 1, held: 0 },
    sessions: [{ session: 'b1', outcome: 'refused', reason: 'hold' }],
  });
  const session = await withHolds('b1\n', '--user', 'bob', '--json');
  expect([session.exitCode, session.stderr]).toEqual([0, '']);
  expect(JSON.parse(session.stdout)).toMatchObject({ deletions: { refused: 0, held: 1 } });
  expect(rig.left()).toContain('b1');
});

it('a hold file binds the plan that was made with it', fault('F-55'), async () => {
  const file = rig.path('plan.json');
  await writeFile(rig.path('holds.txt'), 'bob\n');
  await cli.prune('--save-plan', file, '--hold-file', rig.path('holds.txt'));
  const plan = decodePlan(await readFile(file, 'utf8'), file);
  expect(plan.holds).toEqual([{ id: 'bob' }]);
  const held = { ...plan.sessions[0]!, user: 'bob', session: 'b1' };
  await writeFile(file, encodePlan({ ...plan, sessions: [held] }));
  const edited = await cli.prune('--yes', '--plan', file);
  expect([edited.exitCode, edited.stdout]).toEqual([7, expect.stringContaining('on hold')]);
  expect(rig.left()).toContain('b1');
});
