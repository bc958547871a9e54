/** What the plan and the report of an erasure say: whom it erases, what goes, which texts of people stay. */
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ed25519Pair } from '../../support/base/signing-keys.js';
import { cli, cliJson, cliOnTerminal } from '../../support/programs/cli-in-process.js';
import { EraseRig } from '../../support/rigs/erase-rig.js';
import { fault } from '../../support/base/fault.js';

let people: EraseRig;
let out: string;
beforeEach(async () => {
  people = await EraseRig.start();
  for (const [user, id] of [
    ['ann', 'a-1'],
    ['ann', 'a-2'],
    ['ben', 'b-1'],
  ] as const) {
    people.talk(user, id);
  }
  await people.rig.archived();
  ({ out } = people.rig);
});
afterEach(() => people[Symbol.asyncDispose]());

const timeless = (text: string) => text.replace(/^ +time .*$/m, '').replaceAll(/\n\n+/g, '\n');

it('A plan names the user and each session, and the texts of requests and holds that stay', async () => {
  const by = ['--by', 'Ann Smith', '--reason', 'Art. 17, for ann'];
  await cli(['request', 'new', out, 'Erase Ann S.', '--user', 'ann', ...by]);
  await cli(['hold', 'add', out, '--user', 'ann', '--reason', 'Case of Smith', '--by', 'Dana']);
  await cli([
    'hold',
    'release',
    '--yes',
    out,
    '--user',
    'ann',
    '--reason',
    'settled',
    '--by',
    'Dana',
  ]);
  const { exitCode, stdout } = await cli(['erase', out, '--user', 'ann', '--dry-run']);
  expect([exitCode, timeless(stdout).replace(/10 in 4 tables/, 'N rows')]).toEqual([
    0,
    [
      `Plan, nothing is erased; would erase: user ann (2 conversations, 2 questions, 0 stored files) of ${out}`,
      '  rows          N rows',
      '  files         0 stored, 0 B, of no other user',
      '  open request  once this is erased, nothing can be made for “Erase Ann S.” any more: its words, or whom it is about, go with what is erased',
      '    conversation a-1 of ann (1 question)',
      '    conversation a-2 of ann (1 question)',
      '3 texts of the log become [erased], as they name what goes, or are the words of a request about it:',
      '    request “Erase Ann S.”: name, reason, who',
      'These texts stay in the log; look whether one names the person:',
      '    hold: “Case of Smith”, “Dana”, “settled”',
      'Delete at the service first: 2 conversations of these are still there, and only',
      'an archive that has a conversation can prove that it may be deleted there.',
      `  jobvault prune ${out} --user ann --all`,
      'The next export archives again what the service still has of this, unless it is',
      'deleted there or the user is excluded from every export.',
      'To keep this user out of every later run, give it',
      '  jobvault export … --exclude-user ann',
      'or write into its configuration file',
      '  exclude-user: ["ann"]',
      '',
    ].join('\n'),
  ]);
  const done = await cli(['erase', out, '--user', 'ann', '--yes', '--log-format', 'text']);
  expect(done.stderr.split('\n')[0]).toBe(
    `Plan, carried out now (--yes); erases: user ann (2 conversations, 2 questions, 0 stored files) of ${out}`,
  );
  const report = done.stdout;
  expect(report).toMatch(/^Erased: user ann \(2 conversations, 2 questions, 0 stored files\) of /);
  expect(report).toContain('    hold: “Case of Smith”, “Dana”, “settled”\n');
});

it.each([
  [['--user', 'ann'], 'user ann (2 conversations, 2 questions, 0 stored files)'],
  [
    ['--user', 'ann', '--user', 'ben'],
    'users ann, ben (3 conversations, 3 questions, 0 stored files)',
  ],
  [
    ['--session', 'b-1'],
    'conversation b-1 of user ben (1 conversation, 1 question, 0 stored files)',
  ],
  [['--session', 'b-1', '--session', 'a-1'], '2 conversations, 2 questions, 0 stored files'],
])('The question says whom %j erases', async (words, whom) => {
  const { exitCode, stderr } = await cliOnTerminal(['erase', out, ...words], { stdin: 'n\n' });
  expect([exitCode, stderr]).toEqual([
    7,
    expect.stringContaining(`Erase ${whom} from ${out} permanently? [y/N]`),
  ]);
});

it('who erased is in the receipt, and shown with it; a later erasure of them masks it', async () => {
  const yes = ['--yes', '--log-level', 'warn'];
  const refused = await cli(['erase', out, '--user', 'ann', '--by', 'Ann B.', ...yes]);
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringContaining(
      'the name of the person who erases has “Ann”, which names what is to be erased, and the receipt stays for good; give --by without it, such as an initial or a number',
    ),
  ]);
  const { stdout } = await cli(['erase', out, '--user', 'ann', '--by', 'ben', ...yes]);
  expect(stdout).toMatch(/^ {2}receipt +[0-9A-Z]{26}, by ben, in commits 2 to 3$/m);
  const told = async () =>
    [
      (await cli(['status', out])).stdout,
      (await cli(['verify', out])).stdout,
      (await cli(['erase', out, '--list'])).stdout,
    ]
      .flatMap(
        (text) =>
          /erasure by .*|erased on .{10} by \S+(?=:)|0 stored files; 2 were still at the service +\S+(?= )/g.exec(
            text,
          ) ?? [],
      )
      .map((text) => text.replace(/on .{10}/, 'on DAY').replaceAll(/ +/g, ' '));
  expect(await told()).toEqual([
    'erasure by ben',
    'erased on DAY by ben',
    '0 stored files; 2 were still at the service ben',
  ]);
  await cli(['erase', out, '--user', 'ben', '--by', 'Grace', ...yes]);
  expect(await cliJson(['erase', out, '--list'])).toMatchObject({
    erasures: [{ by: '[erased]' }, { by: 'Grace' }],
  });
  expect((await cli(['verify', out])).exitCode).toBe(0);
});

it('A plan needs no key where the log is signed, and names the hold that is in the way', async () => {
  const key = join(people.rig.directory, 'key.pem');
  await writeFile(key, ed25519Pair().privateKey, { mode: 0o600 });
  const signed = ['--signing-key', key, '--start-signing'];
  const why = ['--reason', 'Matter 7', '--by', 'Grace'];
  await cli(['hold', 'add', out, '--user', 'ben', ...why, ...signed]);
  expect(await cliJson(['erase', out, '--user', 'ann', '--dry-run'])).toMatchObject({
    status: 'planned',
    users: ['ann'],
    sessions: [{ session: 'a-1' }, { session: 'a-2' }],
  });
  expect((await cli(['erase', out, '--user', 'ben', '--dry-run'])).exitCode).toBe(7);
  const unsigned = await cli(['erase', out, '--user', 'ann', '--yes']);
  expect([unsigned.exitCode, unsigned.stderr]).toEqual([2, expect.stringContaining('is signed')]);
});

it.each([
  [
    ['ann'],
    `
To keep this user out of every later run, give it
  jobvault export … --exclude-user ann
or write into its configuration file
  exclude-user: ["ann"]
`,
  ],
  [
    ["o'neil", 'ben'],
    String.raw`
To keep these users out of every later run, give it
  jobvault export … --exclude-user 'o'\''neil' --exclude-user ben
or write into its configuration file
  exclude-user: ["o'neil", "ben"]
`,
  ],
  [
    Array.from({ length: 9 }, (_one, index) => `user-${index}`),
    `
To keep these 9 users out of every later run, write them to a file,
one a line, and give it to each:
  jobvault export … --exclude-users-file FILE
`,
  ],
])(
  'What keeps %j out of the next night is told by plan and report, on stdout alone',
  async (users, told) => {
    for (const user of users) if (user !== 'ann' && user !== 'ben') people.talk(user, `of ${user}`);
    await people.rig.export();
    const words = users.flatMap((user) => ['--user', user]);
    const planned = await cli(['erase', out, ...words, '--dry-run']);
    expect(planned.stdout.slice(planned.stdout.indexOf('\nTo keep'))).toBe(told);
    const { exitCode, stdout, stderr } = await cli(['erase', out, ...words, '--yes']);
    expect(exitCode).toBe(0);
    expect(stdout.slice(stdout.indexOf('\nTo keep'))).toBe(told);
    expect(stderr).not.toContain('exclude-user');
  },
);

it('nothing is told of a session that keeps its user out; its plan says it comes back', async () => {
  const planned = await cli(['erase', out, '--session', 'b-1', '--dry-run']);
  expect(planned.stdout.slice(planned.stdout.indexOf('\nThe next'))).toBe(`
The next export archives again what the service still has of this, unless it is
deleted there.
`);
  const { stdout } = await cli(['erase', out, '--session', 'b-1', '--yes']);
  expect(stdout).toContain('changed either.\n');
  expect(stdout).not.toContain('every later run');
});

it('Whoever the configuration excludes already is not to be excluded again', async () => {
  const config = join(people.rig.directory, 'jobvault.config.yaml');
  const file = join(people.rig.directory, 'excluded.txt');
  await writeFile(file, 'Ann\n');
  await writeFile(config, `exclude-user: [zoe]\nexclude-users-file: ${file}\n`);
  const words = ['erase', out, '--config', config, '--user', 'ann'];
  const planned = await cli([...words, '--user', 'ben', '--dry-run']);
  expect(planned.stdout.slice(planned.stdout.indexOf('\nTo keep'))).toBe(`
To keep this user out of every later run, give it
  jobvault export … --exclude-user ben
or write into its configuration file
  exclude-user: ["ben"]
`);
  const out1 = `
No export with this configuration archives the same data again: it excludes
everybody who is named here.
`;
  const plan = await cli([...words, '--dry-run']);
  expect(plan.stdout.slice(plan.stdout.indexOf('\nNo export'))).toBe(out1);
  const { stdout } = await cli([...words, '--yes']);
  expect(stdout.slice(stdout.indexOf('\nNo export'))).toBe(`${out1}
Copies and backups of the archive are not changed: update copies with jobvault
copy, make pseudonymised ones anew, and let backups expire. Reports, workbooks
and evidence packs that were made before are not changed either.
`);
});

it('Who is asked reads before the answer how the user is kept out', async () => {
  const { stderr } = await cliOnTerminal(['erase', out, '--user', 'ann'], { stdin: 'n\n' });
  expect(stderr).toContain('or write into its configuration file\n  exclude-user: ["ann"]\n');
});

it('what a receipt will say is told before, and names no erased person in any spelling', async () => {
  people.talk('jonas.weber@example.com', 'j-1');
  await people.rig.export();
  const words = ['erase', out, '--user', 'jonas.weber@example.com'];
  const lines = async (...more: string[]) => {
    const { stdout } = await cli([...words, '--dry-run', ...more]);
    return stdout.split('\n').filter((line) => line.startsWith('  log '));
  };
  expect(await lines('--reason', 'Art. 17', '--by', 'Dana')).toEqual([
    '  log    reason “Art. 17”, by “Dana”: these stay for good',
  ]);
  expect(await lines('--reason', 'Art. 17')).toEqual([
    '  log    reason “Art. 17”: this stays for good',
  ]);
  expect(await lines()).toEqual([]);
  const refused = async (...more: string[]) => {
    const { exitCode, stderr } = await cli([...words, '--yes', ...more]);
    return [exitCode, stderr];
  };
  expect(await refused('--reason', 'Art. 17 GDPR for Jonas Weber')).toEqual([
    2,
    expect.stringContaining(
      'the reason has “Jonas Weber”, which names what is to be erased, and the receipt stays for good; give a reason without it',
    ),
  ]);
  expect(await refused('--reason', 'Art. 17', '--by', 'jonas-weber')).toEqual([
    2,
    expect.stringContaining(
      'the name of the person who erases has “jonas-weber”, which names what is to be erased, and the receipt stays for good; give --by without it, such as an initial or a number',
    ),
  ]);
});

it(
  'says what an erasure leaves of a run that died elsewhere, until that is a day old',
  fault('F-139'),
  async () => {
    const staged = join(out, '_staging', '0123456789abcdef-77-165064-08d4148c64c617fc-1');
    await mkdir(join(out, '_staging'));
    await writeFile(staged, 'ann-has-asked');
    const left =
      '1 unfinished file of runs on other machines, or from before this one was started, may have some of it; the first run a day after their last write removes them';
    const erase = (user: string) => cliJson(['erase', out, '--user', user, '--yes']);
    expect(await erase('ann')).toMatchObject({ status: 'erased', kept: left });
    const then = new Date(Date.now() - 25 * 3_600_000);
    await utimes(staged, then, then);
    expect(await erase('ben')).toMatchObject({ status: 'erased', kept: null });
  },
);

it('nothing is in doubt of a user of whom everything was erased, also what had a lost file', async () => {
  people.talk('cleo', 'c-1', ['lost.csv']);
  people.talk('cleo', 'c-2');
  await people.rig.export();
  for (const [session, exitCode] of [
    ['c-2', 3],
    ['c-1', 0],
  ] as const) {
    await cli(['erase', out, '--session', session, '--reason', 'r', '--by', 'B', '--yes']);
    const made = join(people.rig.directory, session);
    expect((await cli(['report', out, '--user', 'cleo', '--out', made])).exitCode).toBe(exitCode);
  }
  const { stdout } = await cli(['status', out, '--user', 'cleo']);
  expect(stdout).toMatch(/^cleo: not complete, by decision: 2 of 2 conversations were erased\n/);
});

it('what is still at the service is told by the result, with what to do, and by the receipt', async () => {
  await cli([
    'request',
    'new',
    out,
    'Matter 7',
    '--user',
    'ann',
    '--by',
    'G',
    '--reason',
    'Art. 17',
  ]);
  people.rig.state.deleteSession('ann', 'a-1');
  await people.rig.export();
  const erase = ['erase', out, '--request', 'Matter 7', '--suppress'];
  expect((await cli([...erase, '--dry-run'])).stdout).toContain(
    'Delete at the service first: 1 conversation of these is still there',
  );
  const { stdout } = await cli([...erase, '--yes']);
  expect(stdout).toContain(`
1 of the 2 erased conversations was still at the service when its user was listed
last. Delete it there without an archive, as this one can no longer prove that
it may go; where a configuration names an archive, that is refused:
  jobvault sessions delete a-2 --user ann --without-archive
`);
  const proposed = /sessions delete .*/.exec(stdout)?.[0].split(' ') ?? [];
  const service = ['--base-url', people.rig.emulator.baseUrl, '--yes'];
  const deleted = await cli([...proposed, ...service]);
  expect([deleted.exitCode, deleted.stdout]).toEqual([0, 'Deleted a-2.\n']);
  const note =
    '2 conversations, 2 questions, 0 stored files; 1 was still at the service; not to come back';
  expect((await cli(['erase', out, '--list'])).stdout).toContain(note);
  expect((await cli(['request', 'show', out, 'Matter 7'])).stdout).toContain(note);
  const receipt = { erasures: [{ at_service: 1 }] };
  expect(await cliJson(['erase', out, '--list'])).toMatchObject(receipt);
  expect(await cliJson(['request', 'show', out, 'Matter 7'])).toMatchObject(receipt);
});

it('several that are still at the service are named as several', async () => {
  const { stdout } = await cli(['erase', out, '--user', 'ann', '--yes']);
  expect(stdout).toContain(`
2 of the 2 erased conversations were still at the service when their user was listed
last. Delete them there without an archive, as this one can no longer prove that
they may go; where a configuration names an archive, that is refused:
`);
});

it('the result of an erasure of what is gone from the service says nothing of it', async () => {
  people.rig.state.deleteSession('ann', 'a-1');
  await people.rig.export();
  const { stdout } = await cli(['erase', out, '--session', 'a-1', '--yes']);
  expect(stdout).not.toContain('at the service');
  expect(await cliJson(['erase', out, '--list'])).toMatchObject({ erasures: [{ at_service: 0 }] });
});

it('what is to be deleted at the service is named whole, before and after', async () => {
  const ids = Array.from({ length: 10 }, (_, at) => `many-${at}`);
  for (const id of ids) people.talk('ben', id);
  await people.rig.export();
  const sessions = ids.flatMap((id) => ['--session', id]);
  const plan = await cli(['erase', out, ...sessions, '--dry-run']);
  expect(plan.stdout.replaceAll(/\s+/g, ' ')).toContain(`jobvault prune ${out} --session many-`);
  for (const id of ids) expect(plan.stdout).toMatch(new RegExp(`prune .*--session ${id}( |\\n)`));
  const done = await cli(['erase', out, ...sessions, '--yes']);
  for (const id of ids) expect(done.stdout).toContain(`jobvault sessions delete ${id} --user ben`);
});
