/** Holds in the log: they bind every command that deletes, until they are released (I-48, I-49 in FORMAT.md). */
import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CommitLog } from '../../../src/archive/log/commit-log.js';
import { openArchiveIn } from '../../../src/archive/open-archive.js';
import { createLocalStorage } from '../../../src/storage/local/local-storage.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { erased } from '../../support/rigs/erase-rig.js';
import { grepArchive } from '../../support/store/grep-archive.js';
import { oneLine, PruneCli } from '../../support/programs/prune-cli-run.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';
import { ed25519Pair } from '../../support/base/signing-keys.js';

let rig: PruneRig;
let prune: PruneCli;
beforeEach(async () => {
  rig = await PruneRig.start();
  prune = new PruneCli(rig);
  rig.addSessions('ann', ['a1', 'a2']);
  rig.addSession('bob', 'b1');
  await rig.rig.archived();
});
afterEach(() => rig[Symbol.asyncDispose]());

const MATTER = ['--reason', 'Matter 7', '--by', 'Grace'];

async function hold(action: 'add' | 'release', ...words: string[]) {
  return cli(['hold', action, rig.out, ...MATTER, ...words]);
}

async function held(): Promise<unknown[]> {
  return (await cliJson<{ holds: unknown[] }>(['hold', 'list', rig.out])).holds;
}

// who runs the tests may be root, whose name stands for nobody
it.each([
  ['a hold on nobody', 2, ['hold', 'add', '--user', 'nobody', '--reason', 'x']],
  ['a release of no hold', 2, ['hold', 'release', '--yes', '--user', 'bob', '--reason', 'x']],
  ['a request about nobody', 2, ['request', 'new', 'Q', '--user', 'nobody', '--reason', 'x']],
  ['a search for no request', 2, ['search', 'word', '--request', 'none']],
  ['no gap', 2, ['gap', 'accept', '--session', 'a1', '--reason', 'x']],
  ['a plan', 0, ['erase', '--user', 'bob', '--dry-run']],
] as const)('%s is not told as recorded by anybody', async (_what, exitCode, [word, ...more]) => {
  const [second = ''] = more;
  const isPair = ['hold', 'request', 'gap'].includes(word);
  const words = isPair ? [word, second, rig.out, ...more.slice(1)] : [word, rig.out, ...more];
  const ended = await cli(words);
  expect(ended.exitCode).toBe(exitCode);
  expect(ended.stderr).not.toContain('recorded as done by');
});

it('a hold in the log is listed with who asked for it and why, also after its release', async () => {
  expect(await held()).toEqual([]);
  const { exitCode, stdout } = await hold('add', '--user', 'bob', '--session', 'a1');
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringMatching(
      /^Held in commit \d+: user bob, conversation a1\nFrom now on, jobvault will not erase them from this archive, nor delete them from the service with it; other tools, and other archives such as a copy of this one, are not stopped\.\nIts reason and who asked for it will stand in every evidence pack, workbook and report about them, whichever request that is for; --request keeps them out of those for other requests\.\n$/,
    ),
  ]);
  const since: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
  const id: unknown = expect.stringMatching(/^[0-9A-Z]{26}$/);
  const told = {
    hold_id: id,
    reason: 'Matter 7',
    by: 'Grace',
    set_by: 'Grace',
    request_id: null,
    since,
  };
  const released = { released_at: null, released_by: null, release_reason: null };
  const binding = { ...released, other_spellings: [], same_persons: [] };
  expect(await held()).toEqual([
    { user_id: 'bob', session_id: null, ...told, ...binding },
    { user_id: null, session_id: 'a1', ...told, ...binding },
  ]);
  expect((await hold('release', '--yes', '--user', 'bob')).exitCode).toBe(0);
  expect(await held()).toMatchObject([
    { user_id: 'bob', released_at: since },
    { session_id: 'a1', released_at: null },
  ]);
  expect((await cli(['verify', rig.out])).exitCode).toBe(0);
});

it('a hold in the log is one hold if it is added twice for the same reason, and that is said', async () => {
  await hold('add', '--user', 'bob');
  const again = await hold('add', '--user', 'bob', '--session', 'a1');
  const day = new Date().toISOString().slice(0, 10);
  expect(again.stdout).toMatch(
    new RegExp(
      `^Already held since ${day} for the same reason, asked for by Grace: user bob\\nHeld in commit \\d+: conversation a1\\nFrom now on, jobvault will not erase`,
    ),
  );
  const both = await hold('add', '--user', 'bob', '--session', 'a1');
  expect([both.exitCode, both.stdout]).toEqual([
    0,
    `Already held since ${day} for the same reason, asked for by Grace: user bob\n` +
      `Already held since ${day} for the same reason, asked for by Grace: conversation a1\n`,
  ]);
  expect(await held()).toHaveLength(2);
  await cli(['hold', 'add', rig.out, '--user', 'bob', '--reason', 'Matter 8', '--by', 'Grace']);
  expect(await held()).toHaveLength(3);
});

it('a hold in the log beside others is told with them, where it is set and where it ends', async () => {
  await hold('add', '--user', 'bob');
  const others = 'Other holds stay until each is released: user bob (1 hold)\n';
  const words = ['--user', 'bob', '--reason', 'Matter 8', '--by', 'Grace'];
  const second = await cli(['hold', 'add', rig.out, ...words]);
  expect(second.stdout).toContain(`\n${others}`);
  const [, { hold_id: id = '' } = {}] = (await held()) as { hold_id?: string }[];
  const release = [
    'hold',
    'release',
    '--yes',
    rig.out,
    '--hold',
    id,
    '--reason',
    'done',
    '--by',
    'Dana',
  ];
  expect((await cli(release)).stdout).toContain(others);
});

it('a hold in the log is listed with the reason of its release', async () => {
  await hold('add', '--user', 'bob');
  const why = ['--reason', 'Matter 7 is closed', '--by', 'Dana'];
  await cli(['hold', 'release', '--yes', rig.out, '--user', 'bob', ...why]);
  const day = new Date().toISOString().slice(0, 10);
  expect((await cli(['hold', 'list', rig.out])).stdout.replace(/^[0-9A-Z]{8} /m, 'THE-HOLD ')).toBe(
    'hold      held      since       by     reason    released\n' +
      `THE-HOLD  user bob  ${day}  Grace  Matter 7  ${day} by Dana: Matter 7 is closed\n`,
  );
  expect(await held()).toMatchObject([
    { released_by: 'Dana', release_reason: 'Matter 7 is closed' },
  ]);
});

it('a hold in the log binds prune without a flag, whatever rule is given, until its release', async () => {
  await hold('add', '--user', 'bob', '--session', 'a1');
  const { exitCode, stdout } = await prune.prune('--yes', '--all', '--max-delete', '9');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('session a1 "Session a1": kept by a hold: the session is on hold');
  expect(stdout).toContain('kept by a hold: its user is on hold');
  expect(rig.left()).toEqual(['a1', 'b1']);
  expect((await prune.export('--delete-archived', '--all', '--yes')).exitCode).toBe(0);
  expect(rig.left()).toEqual(['a1', 'b1']);
  await hold('release', '--yes', '--user', 'bob');
  await prune.prune('--yes', '--all');
  expect(rig.left()).toEqual(['a1']);
});

it('a hold in the log binds a plan that was made before it', async () => {
  const plan = rig.path('plan.json');
  await prune.prune('--save-plan', plan);
  await hold('add', '--session', 'a2');
  const run = await prune.prune('--yes', '--plan', plan, '--json');
  expect(run.exitCode).toBe(7);
  expect(oneLine(run)).toMatchObject({ deletions: { refused: 1 } });
  expect(rig.left()).toEqual(['a2']);
});

it('a hold in the log binds a prune that was under way when it came', async () => {
  let hasHeld = false;
  rig.emulator.faults.beforeRequest = async () => {
    if (hasHeld) return;
    hasHeld = true;
    await hold('add', '--user', 'ann', '--user', 'bob');
  };
  expect((await prune.prune('--yes', '--all')).exitCode).toBe(0);
  expect(rig.left()).toEqual(['a1', 'a2', 'b1']);
  expect(rig.deletesSent).toBe(0);
});

it.each([
  ['--user', 'ann', '--user', 'ann'],
  ['--session', 'a1', '--user', 'ann'],
  ['--user', 'ann', '--session', 'a1'],
])('a hold in the log refuses an erasure: %s %s held, %s %s to go', async (by, id, ...words) => {
  await hold('add', by, id);
  const { exitCode, stderr } = await cli(['erase', rig.out, '--yes', ...words]);
  expect([exitCode, stderr]).toEqual([7, expect.stringContaining('on hold')]);
  expect((await cli(['erase', rig.out, '--yes', '--user', 'bob'])).exitCode).toBe(0);
});

it('a hold in the log refuses an erasure that had made its plan before', async () => {
  const archive = await openArchiveIn(createLocalStorage({ directory: rig.out }));
  const log: CommitLog = archive.log;
  const append = log.append.bind(log);
  log.append = async (draft) => {
    log.append = append;
    await hold('add', '--session', 'a1');
    return append(draft);
  };
  await expect(erased(archive)).rejects.toThrow('"a1" of "ann" is not erased');
  expect((await cli(['verify', rig.out])).exitCode).toBe(0);
});

it('a hold stays, without saying on whom, where its subject is erased after its release', async () => {
  await hold('add', '--session', 'a1', '--user', 'bob');
  await hold('release', '--yes', '--session', 'a1');
  await hold('release', '--yes', '--user', 'bob');
  const { exitCode, stdout } = await cli(['erase', rig.out, '--yes', '--user', 'ann']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /Reports,\s+workbooks\s+and\s+evidence\s+packs\s+that\s+were\s+made\s+before/,
  );
  const day = new Date().toISOString().slice(0, 10);
  const since: unknown = expect.stringContaining(day);
  const told = { reason: 'Matter 7', by: 'Grace', since, released_at: since };
  expect(await held()).toMatchObject([
    { user_id: 'bob', ...told },
    { user_id: null, session_id: '[erased]', ...told, release_reason: 'Matter 7' },
  ]);
  expect(await grepArchive(rig.out, ['"a1"', 'ann'])).toEqual([]);
  expect((await cli(['verify', rig.out])).exitCode).toBe(0);
  await cli(['erase', rig.out, '--yes', '--user', 'bob']);
  const { stdout: list } = await cli(['hold', 'list', rig.out]);
  expect(list.replaceAll(/^[0-9A-Z]{8} /gm, 'THE-HOLD ')).toBe(
    'hold      held                   since       by     reason    released\n' +
      `THE-HOLD  user [erased]          ${day}  Grace  Matter 7  ${day} by Grace: Matter 7\n` +
      `THE-HOLD  conversation [erased]  ${day}  Grace  Matter 7  ${day} by Grace: Matter 7\n`,
  );
  expect((await cli(['verify', rig.out])).exitCode).toBe(0);
});

it('a hold in the log names nobody, too, where it spells the id in another way that binds', async () => {
  const [composed, decomposed] = ['Zo\u00eb', 'Zoe\u0308'];
  rig.addSession(composed, 'z1');
  await rig.rig.export();
  const why = ['--reason', `Matter of ${decomposed}`];
  await cli(['hold', 'add', rig.out, '--user', decomposed, ...why]);
  expect((await cli(['erase', rig.out, '--yes', '--user', composed])).exitCode).toBe(7);
  expect((await hold('release', '--yes', '--user', composed)).exitCode).toBe(0);
  expect((await cli(['erase', rig.out, '--yes', '--user', composed])).exitCode).toBe(0);
  expect(await held()).toMatchObject([{ user_id: '[erased]', reason: '[erased]' }]);
  expect(await grepArchive(rig.out, [composed, decomposed])).toEqual([]);
});

it('a hold in the log of somebody else stays in force, but names nobody who is erased', async () => {
  const words = ['--user', 'bob', '--reason', 'sued by ann, see a1', '--by', 'ann'];
  await cli(['hold', 'add', rig.out, ...words]);
  await cli(['hold', 'release', '--yes', rig.out, ...words]);
  await hold('add', '--user', 'bob');
  expect((await cli(['erase', rig.out, '--yes', '--user', 'ann'])).exitCode).toBe(0);
  expect(await held()).toMatchObject([
    { user_id: 'bob', reason: '[erased]', by: '[erased]' },
    { user_id: 'bob', reason: 'Matter 7', by: 'Grace', released_at: null },
  ]);
  expect(await grepArchive(rig.out, ['ann'])).toEqual([]);
  expect((await cli(['verify', rig.out])).exitCode).toBe(0);
  expect((await prune.prune('--yes', '--user', 'bob', '--all')).exitCode).toBe(7);
  expect(rig.left()).toContain('b1');
});

it('are in the evidence of their subject, and in nobody else’s', async () => {
  await hold('add', '--user', 'bob', '--session', 'a1');
  await hold('release', '--yes', '--session', 'a1');
  const indexes: { user: string; html: string; csv: string }[] = [];
  const pages = await Promise.all(
    ['ann', 'bob'].map(async (user) => {
      const out = rig.path(`evidence-${user}`);
      const { exitCode } = await cli(['evidence', rig.out, '--user', user, '--out', out]);
      expect(exitCode).toBe(0);
      const read = (name: string) => readFile(`${out}/data/${name}`, 'utf8');
      indexes.push({ user, html: await read('index.html'), csv: await read('index.csv') });
      return (await read('holds.csv')).split('\r\n');
    }),
  );
  const [ofAnn = [], ofBob = []] = pages;
  const [annIndex, bobIndex] = ['ann', 'bob'].map((one) =>
    indexes.find(({ user }) => user === one),
  );
  expect(annIndex?.html).toMatch(
    /<li>Conversation Session a1 of ann was on hold from 2\d{3}-\d\d-\d\d to 2\d{3}-\d\d-\d\d: Matter 7 \(asked by Grace\)<\/li>/,
  );
  expect(bobIndex?.html).toMatch(
    /<li>User bob is on hold since 2\d{3}-\d\d-\d\d: Matter 7 \(asked by Grace\)<\/li>/,
  );
  const heldIn = (csv = '') => csv.split('\r\n').map((line) => line.split(',').at(-1));
  expect(new Set(heldIn(annIndex?.csv))).toEqual(new Set(['on_hold', 'no', '']));
  expect(new Set(heldIn(bobIndex?.csv))).toEqual(new Set(['on_hold', 'yes', '']));
  expect(ofAnn).toEqual([
    '\ufeffuser_id,session_id,reason,by,set_by,since,released_at,released_by,release_reason,commit,release_commit',
    expect.stringMatching(
      /^,a1,Matter 7,Grace,Grace,2\d{3}-[^,]+,2\d{3}-[^,]+,Grace,Matter 7,\d+,\d+$/,
    ) as string,
    '',
  ]);
  expect(ofBob).toEqual([
    ofAnn[0],
    expect.stringMatching(/^bob,,Matter 7,Grace,Grace,2\d{3}-[^,]+,,,,\d+,$/) as string,
    '',
  ]);
});

it('are in the evidence, too, where they spell the id in another way that binds', async () => {
  rig.addSession('Zo\u00eb', 'z1');
  await rig.rig.export();
  await hold('add', '--user', 'Zoe\u0308');
  const out = rig.path('evidence');
  await cli(['evidence', rig.out, '--user', 'Zo\u00eb', '--out', out]);
  expect(await readFile(`${out}/data/holds.csv`, 'utf8')).toContain('Matter 7');
});

it('hold is not released of a user beside a session: only the session may be meant', async () => {
  await hold('add', '--user', 'ann', '--session', 'a1');
  const { exitCode, stderr } = await hold('release', '--yes', '--user', 'ann', '--session', 'a1');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('these are two holds')]);
  expect((await hold('release', '--yes', '--session', 'a1')).stdout).toMatch(
    /: conversation a1\n$/,
  );
  await prune.prune('--yes', '--all', '--user', 'ann');
  expect(rig.left()).toContain('a1');
});

it.each([
  [['add', '--user', 'anne'], 'user "anne" matches no user and no session of'],
  [['add', '--session', 'ann'], 'session "ann" matches no user and no session of'],
  [['add'], 'nothing is named to be held'],
  [['add', '--user', ' '], 'an id is empty'],
  [['release', '--user', 'ann'], 'user "ann" is not on hold in'],
  [
    ['add', '--session', 'ann,a1'],
    'session "ann,a1" (user,session is a line of a hold file; here give the id of the session alone) matches no',
  ],
  [['release', '--session', 'ann,a1'], 'here give the id of the session alone) is not on hold in'],
])('hold refuses %j with exit code 2, and appends nothing', async (words, told) => {
  const before = await rig.rig.files('');
  const { exitCode, stderr } = await cli([
    'hold',
    ...words.slice(0, 1),
    rig.out,
    ...MATTER,
    ...words.slice(1),
  ]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(told)]);
  expect(await rig.rig.files('')).toEqual(before);
});

it('hold needs a reason, and takes the login name for who asked', async () => {
  const without = await cli(['hold', 'add', rig.out, '--user', 'ann']);
  expect([without.exitCode, without.stderr]).toEqual([2, expect.stringContaining('--reason')]);
  expect((await cli(['hold', 'add', rig.out, '--user', 'ann', '--reason', 'x'])).exitCode).toBe(0);
  expect(await held()).toMatchObject([{ by: expect.stringMatching(/./) as unknown }]);
});

it('hold may be set on strangers where that is allowed: it binds once they come', async () => {
  expect((await hold('add', '--user', 'cyd', '--allow-unknown-holds')).exitCode).toBe(0);
  rig.addSession('cyd', 'c1');
  await rig.rig.export();
  expect((await prune.prune('--yes', '--all')).exitCode).toBe(0);
  expect(rig.left()).toEqual(['c1']);
});

it('hold of two matters on one user is released for one by nobody who has not seen the other', async () => {
  await hold('add', '--user', 'ann');
  await cli(['hold', 'add', rig.out, '--user', 'ann', '--reason', 'Matter 8', '--by', 'Alan']);
  const { exitCode, stderr } = await hold('release', '--yes', '--user', 'ann');
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringMatching(
      /--hold \S{8} \("Matter 7", asked by Grace\), --hold \S{8} \("Matter 8", asked by Alan\)\./,
    ),
  ]);
  expect((await hold('release', '--yes', '--user', 'ann', '--all-holds')).exitCode).toBe(0);
  expect(await held()).toHaveLength(2);
  await prune.prune('--yes', '--all');
  expect(rig.left()).toEqual([]);
});

it('hold is signed where the log is signed, and refused without the key', async () => {
  const key = ['--signing-key', rig.path('key.pem')];
  await writeFile(rig.path('key.pem'), ed25519Pair().privateKey, { mode: 0o600 });
  rig.addSession('ann', 'a3');
  expect((await prune.export(...key, '--start-signing')).exitCode).toBe(0);
  expect((await hold('add', '--user', 'ann')).exitCode).toBe(2);
  expect((await hold('add', '--user', 'ann', ...key)).exitCode).toBe(0);
  expect(await held()).toHaveLength(1);
  expect((await cli(['verify', rig.out])).exitCode).toBe(0);
});
