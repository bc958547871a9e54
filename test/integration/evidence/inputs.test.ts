/** What `jobvault evidence` refuses, and what it makes of names and histories that are out of the ordinary. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openArchiveIn } from '../../../src/archive/open-archive.js';
import { runCli } from '../../../src/cli/run-cli.js';
import { systemClock } from '../../../src/base/runtime.js';
import { writeEvidence } from '../../../src/evidence/write-evidence.js';
import { createLocalStorage } from '../../../src/storage/local/local-storage.js';
import { bagProblems } from '../../support/tables/bag-validator.js';
import { besideArchive, handOver } from '../../support/rigs/evidence-rig.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { testTerminal } from '../../support/programs/test-terminal.js';
import { allFormats } from '../../support/base/memory-bytes.js';
import { fault } from '../../support/base/fault.js';

const OURS =
  /^(bagit|bag-info|manifest-sha256|tagmanifest-sha256)\.txt$|^data\/(README\.txt|jobvault\.json|[a-z]+(-[a-z]+)*\.csv|records\/\d{6}\.json|index\.html|data\/(page\.js|style\.css|[a-z]+\.js|[a-z]\/\d+(-\d+)?\.js)|transcripts\/(\d{4}-\d\d-\d\d|undated)-[\p{L}\p{N}\p{M}-]+-\d{6}\.txt|artifacts\/[0-9a-f]{64}\.[a-z0-9]{1,8}|commits\/(chain\.csv|\d{12}(\.extract)?\.json|\d{12}\.[0-9a-f]{64}\.(jobs|users)\.jsonl\.gz|\d{12}\.extract\.jobs\.jsonl))$/u;

describe('evidence that cannot be given', () => {
  let rig: ExportRig;
  beforeAll(async () => {
    rig = await ExportRig.start({ users: 2, sessions: 1, jobs: 2 });
    await rig.archived();
    await writeFile(join(rig.directory, 'a-file'), '');
    await mkdir(join(rig.directory, 'full'));
    await writeFile(join(rig.directory, 'full/a-file'), '');
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  it.each<[string, (rig: ExportRig) => string[], RegExp]>([
    ['an unknown user', () => ['--user', 'nobody'], /has no user "nobody"/],
    ['an unknown session', () => ['--session', 'none'], /has no session "none"/],
    [
      "somebody else's session",
      ({ state }) => {
        const [user = '', other = ''] = state.userIds();
        return ['--user', user, '--session', state.sessionIds(other)[0] ?? ''];
      },
      /has no session ".*" of these users/,
    ],
    [
      'a user without one of the named sessions',
      ({ state }) => {
        const [user = '', other = ''] = state.userIds();
        const session = state.sessionIds(other)[0] ?? '';
        return ['--user', user, '--user', other, '--session', session];
      },
      /has none of the sessions named/,
    ],
    [
      'a file as its place',
      ({ directory }) => ['--out', join(directory, 'a-file')],
      /not a directory/,
    ],
    [
      'a place below a file',
      ({ directory }) => ['--out', join(directory, 'a-file/pack')],
      /cannot be replaced \(ENOTDIR\)/,
    ],
    [
      'a place that is not empty',
      ({ directory }) => ['--out', join(directory, 'full')],
      /not empty/,
    ],
    ['the archive as its place', ({ out }) => ['--out', out], /inside the archive/],
    [
      'a bucket of another kind as its place',
      () => ['--out', 'gs://bucket/pack'],
      /gs:\/\/ cannot hold a pack; allowed is a directory or s3:/,
    ],
    ['a place in the archive', ({ out }) => ['--out', join(out, 'pack')], /inside the archive/],
    ['an organization of two lines', () => ['--organization', 'A\nB: c'], /one line/],
    ['an organization of a space', () => ['--organization', ' '], /spaces around/],
  ])('is refused with exit code 2 and one sentence: %s', async (_what, words, sentence) => {
    const before = await besideArchive(rig);
    const { exitCode, stderr } = await handOver(rig, ...words(rig));
    expect(stderr).toMatch(sentence);
    expect(stderr.split('\n')[1]).toBe('Try jobvault evidence --help.');
    expect(exitCode).toBe(2);
    expect(await besideArchive(rig)).toEqual(before);
  });

  it.each([
    ['no place', (out: string) => ['evidence', out], /--out is missing; give it/],
    ['no archive', () => ['evidence', '/nowhere/at/all', '--out', 'x'], /not a jobvault archive/],
  ] as const)(
    'is refused with exit code 2 and one sentence: %s',
    async (_what, words, sentence) => {
      const terminal = testTerminal({ arguments: words(rig.out) });
      expect(await runCli(terminal)).toBe(2);
      expect(terminal.told.stderr).toMatch(sentence);
    },
  );

  it('is refused by the library, too, where the target is not empty', async () => {
    const target = createMemoryStorage();
    await target.put('a', Buffer.from('b'));
    const archive = await rig.open();
    const options = { archive, formats: allFormats, target, tool: 't', clock: systemClock };
    await expect(writeEvidence(options)).rejects.toThrow(/memory is not empty \(it has a\)/);
  });
});

const HOSTILE = [
  '../../etc/passwd',
  "=cmd|' /C calc'!A0",
  '@SUM(A1:A9)',
  "'quoted",
  'a,b"c\r\nd',
  '\tTab',
  '-1+1',
  '\u202Eevil.exe',
  'CON',
  'NUL \u0000 and \u001b[31m',
  'é'.repeat(128),
  '%0A%25',
];

it(
  'the pack takes no path from data, lets no cell begin a formula, yet keeps every character',
  fault('F-22'),
  async () => {
    await using rig = await ExportRig.start();
    for (const [at, name] of HOSTILE.entries()) {
      rig.state.putFile(`file-${at}`, `x\n${at}\n`);
      const content = { name, url: `{{url:file-${at}}}`, expires_at: '{{expires_at}}' };
      const table = { type: 'TABLE', stage: 'Respond', group_id: '', content };
      const message = { type: 'MESSAGE', stage: 'Respond', group_id: '', content: name };
      rig.state.addSession(`user ${name}`, { id: `session/${name}`, name }, [
        {
          job_id: `../${name}`,
          question: { blocks: [message] },
          answer: { blocks: [message, table] },
        },
      ]);
    }
    await rig.export();
    const { exitCode, pack } = await handOver(rig);
    expect([exitCode, await bagProblems(pack.directory)]).toEqual([0, []]);
    expect((await pack.files()).filter((path) => !OURS.test(path))).toEqual([]);
    await pack.sha256sum('manifest-sha256.txt');
    for (const page of ['summary', 'items', 'locations', 'settings', 'gaps', 'commits/chain']) {
      for (const row of await pack.rawPage(page)) {
        for (const cell of Object.values(row)) expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
      }
    }
    const sessions = (await pack.page('items')).filter(({ item }) => item === 'session');
    expect(sessions.map(({ name }) => name).toSorted()).toEqual(HOSTILE.toSorted());
    expect(sessions.map(({ session_id: id }) => id).toSorted()).toEqual(
      HOSTILE.map((name) => `session/${name}`).toSorted(),
    );
    for (const { pack_path: path = '' } of sessions) {
      // eslint-disable-next-line no-control-regex -- that there is none is what is looked for
      expect(await pack.text(path)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }
  },
);

it('the pack has a row for a user without a session, and none for a session', async () => {
  await using rig = await ExportRig.start({ users: 1, sessions: 0 });
  await rig.export();
  const { exitCode, pack, summary } = await handOver(rig);
  expect([exitCode, await bagProblems(pack.directory)]).toEqual([0, []]);
  expect(summary()).toMatchObject({ users: 0, sessions: 0, jobs: 0 });
  expect(await pack.page('summary')).toMatchObject([{ sessions: '0', complete: 'never seen' }]);
  expect(await pack.page('items')).toEqual([]);
});

it('evidence of what is out of the ordinary says that a session has left the service', async () => {
  await using rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 2 });
  await rig.export();
  const [user = ''] = rig.state.userIds();
  const [session = ''] = rig.state.sessionIds(user);
  const archive = await rig.open();
  const commit = await archive.log.read(1);
  const deletion = { user: commit.sessions[0]!.user, session: commit.sessions[0]!.session };
  await archive.log.append({
    kind: 'prune',
    base: 1,
    run: commit.run,
    checkpoint: 2,
    tool: 't',
    scope: {},
    deletions: [
      { ...deletion, deleted_at: commit.created_at, commit: 1, job_count: 1, outcome: 'deleted' },
    ],
  });
  const { pack } = await handOver(rig);
  expect(session).not.toBe('');
  const noted = (await pack.page('items')).filter(({ note }) => note?.includes('deleted'));
  expect(noted).toMatchObject([{ item: 'session', session_id: deletion.session }]);
});

it('the pack reads an archive of JSON lines as well as one of Parquet', async () => {
  await using rig = await ExportRig.start({ users: 2, sessions: 2, jobs: 3 });
  await rig.export({ formats: ['jsonl'] });
  const { exitCode, pack, summary } = await handOver(rig);
  expect([exitCode, await bagProblems(pack.directory)]).toEqual([0, []]);
  expect(summary()).toMatchObject({ jobs: rig.state.totals().jobs });
});

it('the pack of an archive is the same each time, and leaves nothing set aside', async () => {
  await using rig = await ExportRig.start({ users: 3, sessions: 3, jobs: 3 });
  for (const user of rig.state.userIds()) await rig.export({ users: [user] });
  await rig.export({ full: true });
  const manifests: string[] = [];
  while (manifests.length < 2) {
    const target = createMemoryStorage();
    const clock = { ...systemClock, now: () => 0 };
    const archive = await openArchiveIn(createLocalStorage({ directory: rig.out }), { clock });
    await writeEvidence({ archive, target });
    const manifest = Buffer.from(await target.get('manifest-sha256.txt')).toString();
    manifests.push(manifest.split('\n').toSorted().join('\n'));
    expect(target.place.staged.size).toBe(0);
  }
  expect(manifests[0]).toBe(manifests[1]);
});
