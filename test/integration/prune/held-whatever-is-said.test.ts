/** What is on hold stays at the service and in the archive, whatever flags a command that deletes is given. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eraseCommand } from '../../../src/cli/commands/erase.js';
import { expireCommand } from '../../../src/cli/commands/expire.js';
import { exportCommand } from '../../../src/cli/commands/export.js';
import { pruneCommand } from '../../../src/cli/commands/prune.js';
import { sessionsDeleteCommand } from '../../../src/cli/commands/service/sessions.js';
import type { SettingGroup } from '../../../src/config/resolve-settings.js';
import { storageSettings } from '../../../src/config/storage-settings.js';
import { telemetrySettings } from '../../../src/config/telemetry-settings.js';
import { cli, cliOnTerminal } from '../../support/programs/cli-in-process.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';
import { ed25519Pair } from '../../support/base/signing-keys.js';
import { fault } from '../../support/base/fault.js';

const HELD_IN_LOG = ['a1', 'a2', 'b1'];
const HELD_IN_FILE = 'b2';
const FREE = 'b3';
const HELD = [...HELD_IN_LOG, HELD_IN_FILE];

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.addSessions('ann', ['a1', 'a2']);
  rig.addSessions('bob', ['b1', HELD_IN_FILE, FREE]);
  await rig.rig.archived();
  const matter = ['--user', 'ann', '--session', 'b1', '--reason', 'Matter 7'];
  expect((await cli(['hold', 'add', rig.out, ...matter])).exitCode).toBe(0);
  await writeFile(rig.path('key.pem'), ed25519Pair().privateKey, { mode: 0o600 });
  await writeFile(rig.path('api-key'), 'demo-key', { mode: 0o600 });
  await writeFile(rig.path('users.txt'), 'ann\nbob\n');
  await writeFile(rig.path('nobody.txt'), 'nobody\n');
  await writeFile(rig.path('holds.txt'), `${HELD_IN_FILE}\nstranger\n`);
  await writeFile(rig.path('empty.txt'), '');
});
afterEach(() => rig[Symbol.asyncDispose]());

const archivedSessions = async (): Promise<string[]> => {
  const rows = await rig.rig.rows('sessions');
  return [...new Set(rows.map((row) => String(row['session_id'])))].sort();
};

/** Of the command's flags, those that are not given; where an archive is and who is told delete nothing. */
function notGiven(settings: SettingGroup, words: readonly string[]): string[] {
  const elsewhere = { ...storageSettings, ...telemetrySettings };
  const told = ['timestamp-url'];
  const others = new Set([...told, ...Object.values(elsewhere).map(({ name }) => name)]);
  return Object.values(settings)
    .map(({ name }) => name)
    .filter((name) => !others.has(name) && !words.includes(`--${name}`))
    .toSorted();
}

const service = (): string[] => [
  ...['--base-url', rig.emulator.baseUrl, '--api-key-file', rig.path('api-key')],
  ...['--api-key-header', 'x-pd-api-key', '--rate', '10000'],
];
const holds = (): string[] => [
  ...['--hold-file', rig.path('holds.txt'), '--allow-unknown-holds'],
  ...['--hold-file', rig.path('empty.txt'), '--allow-empty-holds'],
];
const rewriting = (): string[] => [
  ...['--signing-key', rig.path('key.pem'), '--start-signing', '--parquet-codec', 'snappy'],
  ...['--reason', 'cleaning up', '--by', 'Grace', '--no-wait', '--yes'],
  ...['--head-file', rig.path('head.txt')],
];

/** All that a deletion from the service may be told beside its rule. */
const deleting = (): string[] => [
  ...service(),
  ...holds(),
  ...[
    '--accept-suspicious',
    '--trust-this-clock',
    '--accept-unfetched',
    'TABLE',
    '--max-delete',
    '99',
    '--yes',
  ],
  ...['--signing-key', rig.path('key.pem'), '--start-signing', '--no-wait', '--page-size', '10'],
  ...['--file-concurrency', '2', '--max-file-size', '1MB', '--allow-private-network'],
  ...['--storage-base-url', rig.emulator.filesUrl, '--user', 'ann', '--user', 'bob'],
  ...['--head-file', rig.path('head.txt')],
];

const RULES = [['--all'], ['--older-than', '1s'], ['--keep', '0'], ['--free-slots', '150']];
const OTHER_RULES = ['free-slots', 'keep', 'older-than'];

it.each(RULES)('prune %s keeps it, with every flag that goes with that', async (...rule) => {
  const named = [...HELD, FREE].flatMap((id) => ['--session', id]);
  const words = ['prune', rig.out, ...rule, ...named, ...deleting()];
  const { exitCode, stderr } = await cli(words);
  expect(exitCode, stderr).toBe(7);
  expect(rig.left()).toEqual(HELD);
  // a plan brings its own rules, and this archive has no project
  const left = ['all', ...OTHER_RULES, 'dry-run', 'plan', 'project', 'save-plan'];
  expect(notGiven(pruneCommand.settings, words)).toEqual(
    left.filter((name) => name !== rule[0]?.slice(2)).toSorted(),
  );
});

it('export --delete-archived keeps it, with every flag that goes with that', async () => {
  const words = [
    ...['export', '--out', rig.out, '--delete-archived', '--all', ...deleting()],
    ...['--users-file', rig.path('users.txt'), '--shard', '1/1', '--full', '--with-datasets'],
    ...['--search', 'Session', '--format', 'parquet', '--parquet-codec', 'snappy', '--no-delta'],
    ...['--settle-time', '1s', '--concurrency', '1', '--checkpoint-size', '1KB'],
    ...['--checkpoint-interval', '1s', '--change-signing-key', '--max-requests', '999'],
    ...['--max-duration', '1h', '--max-staleness', '1d', '--reread', '1d'],
    ...['--allow-unknown-users', '--allow-other-conversations'],
    ...['--exclude-user', 'nobody', '--exclude-users-file', rig.path('nobody.txt')],
  ];
  const { exitCode, stderr } = await cli(words);
  expect(exitCode, stderr).toBe(0);
  expect(rig.left()).toEqual(HELD);
  expect(notGiven(exportCommand.settings, words)).toEqual(
    ['dry-run', 'min-users', 'project', 'retry-gaps', 'session', ...OTHER_RULES].toSorted(),
  );
});

it.each([
  ['--user', 'ann', '--user', 'bob'],
  ['--session', FREE, '--session', 'a1'],
  ['--session', FREE, '--session', 'b1'],
  ['--session', FREE, '--session', HELD_IN_FILE],
])('erase %s %s %s %s takes nothing, with every flag that goes with that', async (...named) => {
  const before = await rig.rig.files('');
  const words = ['erase', rig.out, ...named, ...holds(), ...rewriting(), '--suppress'];
  const { exitCode, stderr } = await cli(words);
  expect([exitCode, stderr]).toEqual([
    7,
    expect.stringMatching(/on hold: (the hold of|--hold-file) .*; nothing was changed/),
  ]);
  expect(await rig.rig.files('')).toEqual(before);
  const other = named[0] === '--user' ? 'session' : 'user';
  // erase-for-request.test.ts: a request goes with neither, and is refused by a hold, too; the others erase nothing
  const ofRequest = ['except-held', 'request', 'undated'];
  const ofOthers = ['list', 'suppress-only', 'unsuppress'];
  expect(notGiven(eraseCommand.settings, words)).toEqual(
    ['dry-run', other, ...ofRequest, ...ofOthers].toSorted(),
  );
});

it('expire keeps it, with every flag that there is', async () => {
  const words = [
    ...['expire', rig.out, '--older-than', '1s', '--yes', '--user', 'ann', '--user', 'bob'],
    '--trust-this-clock',
    ...[...holds(), ...rewriting()],
  ];
  const strict = await cli(words.filter((word) => word !== '--allow-unknown-holds'));
  expect([strict.exitCode, strict.stderr]).toEqual([2, expect.stringContaining('"stranger"')]);
  expect(await archivedSessions()).toEqual([...HELD, FREE]);
  // a user who is on hold is named
  const { exitCode, stderr } = await cli(words);
  expect(exitCode, stderr).toBe(7);
  expect(await archivedSessions()).toEqual(HELD);
  // --min-retention erases nothing
  expect(notGiven(expireCommand.settings, words)).toEqual(['dry-run', 'min-retention']);
});

const harm = (path = ''): Promise<void> =>
  path === 'jobvault.json' ? rm(join(rig.out, path)) : writeFile(join(rig.out, path), '{}');

const deletion = (session: string, user: string, ...more: string[]) => [
  ...['sessions', 'delete', session, '--user', user, ...service(), '--yes', ...more],
];
const held = [7, expect.stringMatching(/^Nothing was deleted: .* is on hold\.\n$/)];

it('sessions delete keeps what a file or the log of the archive holds, with every flag', async () => {
  const flags = [
    ...['--hold-file', rig.path('holds.txt'), '--out', rig.out],
    ...['--hold-file', rig.path('empty.txt'), '--allow-empty-holds', '--allow-unknown-holds'],
  ];
  for (const [session, user] of [...HELD_IN_LOG, HELD_IN_FILE].map(
    (id) => [id, id.startsWith('a') ? 'ann' : 'bob'] as const,
  )) {
    const { exitCode, stderr } = await cli(deletion(session, user, ...flags));
    expect([exitCode, stderr]).toEqual(held);
  }
  const words = deletion(FREE, 'bob', ...flags);
  expect((await cli(words)).exitCode).toBe(0);
  expect(rig.left()).toEqual(HELD);
  expect(notGiven(sessionsDeleteCommand.settings, words)).toEqual(['dry-run', 'without-archive']);
});

it(
  'sessions delete obeys a misspelt hold of a file by deleting nothing',
  fault('F-101'),
  async () => {
    await writeFile(rig.path('misspelt.txt'), 'anm\n');
    const flags = ['--out', rig.out, '--hold-file', rig.path('misspelt.txt')];
    const { exitCode, stderr } = await cli(deletion(FREE, 'bob', ...flags));
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(
        /misspelt\.txt, line 1 \("anm"\) matches no user .* --allow-unknown-holds/,
      ),
    ]);
    expect(rig.emulator.stats.requests.deleteSession).toBe(0);
    const allowed = deletion(FREE, 'bob', ...flags, '--allow-unknown-holds');
    expect((await cli(allowed)).exitCode).toBe(0);
  },
);

it(
  'sessions delete deletes nothing that the named archive has never had',
  fault('F-101'),
  async () => {
    rig.addSession('bob', 'b9');
    const words = deletion('b9', 'bob', '--out', rig.out);
    const { exitCode, stderr } = await cli(words);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('has never had session b9, so its holds say nothing of it'),
    ]);
    expect(rig.left()).toContain('b9');
  },
);

it('sessions delete says of an erased session how it can go, not to export it', async () => {
  rig.addSession('bob', 'b9');
  await rig.rig.export({ users: ['bob'] });
  const erase = ['erase', rig.out, '--session', 'b9', '--reason', 'asked for', '--yes'];
  expect((await cli(erase)).exitCode).toBe(0);
  const { exitCode, stderr } = await cli(deletion('b9', 'bob', '--out', rig.out));
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining(
      'does not have session b9, from which sessions were erased, so its holds say nothing of it, and nothing was deleted: --without-archive deletes it without a look at holds; to name another archive, --out',
    ),
  ]);
  expect(rig.left()).toContain('b9');
});

it('sessions delete sends nothing where no archive is named, by a flag, a variable or a file', async () => {
  const { exitCode, stderr } = await cli(deletion('a1', 'ann'));
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('no archive is named')]);
  expect(rig.emulator.stats.requests.deleteSession).toBe(0);
  const environment = { JOBVAULT_API_KEY: 'demo-key', JOBVAULT_OUT: rig.out };
  expect((await cli(deletion('a1', 'ann'), environment)).exitCode).toBe(7);
});

it('sessions delete checks hold files without an archive, and says that these are all', async () => {
  const flags = ['--without-archive', '--hold-file', rig.path('holds.txt')];
  const { exitCode, stderr } = await cli(deletion(HELD_IN_FILE, 'bob', ...flags));
  expect([exitCode, stderr]).toEqual([
    7,
    '--without-archive: only hold files are checked.\nNothing was deleted: the session is on hold.\n',
  ]);
});

it('sessions delete knows the archive of the configuration, with no flag', async () => {
  const config = rig.path('jobvault.config.yaml');
  await writeFile(config, `out: ${JSON.stringify(rig.out)}\n`);
  const { exitCode, stderr } = await cli(deletion('a1', 'ann', '--config', config));
  expect([exitCode, stderr]).toEqual(held);
  expect(rig.left()).toContain('a1');
});

it.each([
  ['is none', 2, 'cannot be read, so nothing was deleted: ', () => harm('jobvault.json')],
  ['is damaged', 4, '_commits/', async () => harm((await rig.rig.files('_commits')).at(-1))],
] as const)(
  'sessions delete sends nothing where the archive that is named %s',
  async (_, code, text, harmed) => {
    await harmed();
    const { exitCode, stderr } = await cli(deletion(FREE, 'bob', '--out', rig.out));
    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(text)]);
    expect([rig.deletesSent, rig.left()]).toEqual([0, [...HELD, FREE]]);
  },
);

it('sessions delete sends nothing where the archive that is named is of another service', async () => {
  const elsewhere = rig.emulator.baseUrl.replace('127.0.0.1', 'localhost');
  const words = deletion(FREE, 'bob', '--out', rig.out);
  const asked = words.map((word) => (word === rig.emulator.baseUrl ? elsewhere : word));
  const { exitCode, stderr } = await cli(asked);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('is the archive of http://127')]);
  expect([rig.deletesSent, rig.left()]).toEqual([0, [...HELD, FREE]]);
});

it('sessions delete sees a hold that comes while somebody is asked', async () => {
  const holding = cliOnTerminal(
    deletion(FREE, 'bob', '--out', rig.out).filter((word) => word !== '--yes'),
    {
      stdin: 'y\n',
    },
  );
  rig.emulator.faults.beforeRequest = async ({ operation }) => {
    if (operation !== 'getSession') return;
    await cli(['hold', 'add', rig.out, '--session', FREE, '--reason', 'Matter 8']);
  };
  const { exitCode, stderr } = await holding;
  expect([exitCode, stderr]).toEqual([7, expect.stringContaining('the session is on hold')]);
  expect(rig.deletesSent).toBe(0);
});
