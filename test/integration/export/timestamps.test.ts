/** Time stamps of an authority over the last commit of a run: asked for, kept, tried again, checked, and not to be forged. */
import { execFile } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it as test, vi } from 'vitest';
import { authorityId } from '../../../src/archive/witnesses/timestamps.js';
import { commitPath, timestampPath } from '../../../src/archive/paths.js';
import { readStamp } from '../../../src/timestamp/token.js';
import { openssl } from '../../services/programs.js';
import { StampAuthority } from '../../support/http/stamp-authority.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { verifyJson } from '../../support/rigs/verify-rig.js';

const it = test.skipIf(openssl === undefined);

vi.setConfig({ testTimeout: 60_000 });

let rig: ExportRig;
let authority: StampAuthority;
beforeEach(async () => {
  rig = await ExportRig.start({ users: 1, sessions: 1, jobs: 2 });
  authority = await StampAuthority.start(join(rig.directory, 'tsa'));
});
afterEach(async () => {
  await authority[Symbol.asyncDispose]();
  await rig[Symbol.asyncDispose]();
});

/** An export with time stamps; returns what was warned of. */
async function stamped(): Promise<string[]> {
  const told: string[] = [];
  const warn = (_fields: object, message: string): void => void told.push(message);
  const silent = (): void => undefined;
  const logger = { debug: silent, info: silent, warn, error: silent };
  await rig.export({ timestampUrls: [new URL(authority.url)], logger });
  return told.filter((message) => message.includes('time stamp'));
}

const tokenOf = (number: number): string =>
  timestampPath(number, authorityId(new URL(authority.url)));
const withCa = (): string[] => ['--timestamp-ca', authority.ca];

async function digestOf(number: number): Promise<string> {
  return (await (await rig.open()).log.read(number)).digest;
}

function addJob(): void {
  const [user = ''] = rig.state.userIds();
  rig.state.addJobs(user, rig.state.sessionIds(user)[0] ?? '', 1);
}

it('a run has its last commit stamped, sends the digest alone, and openssl checks the token', async () => {
  expect(await stamped()).toEqual([]);
  const digest = await digestOf(1);
  expect(authority.requests).toHaveLength(1);
  const [request = Buffer.alloc(0)] = authority.requests;
  expect(request.includes(Buffer.from(digest, 'hex'))).toBe(true);
  expect(request.length).toBeLessThan(100);
  const end = await promisify(execFile)('openssl', [
    ...['ts', '-verify', '-digest', digest, '-in', join(rig.out, tokenOf(1))],
    ...['-CAfile', authority.ca],
  ]);
  expect(end.stdout + end.stderr).toContain('Verification: OK');
  const { exitCode, stdout } = await cli(['verify', rig.out, ...withCa()]);
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringMatching(
      /time stamps +1 token, signatures checked; commit 1 and all before it existed on \d{4}-/,
    ),
  ]);
});

it('a silent authority is a warning without its secrets, and the next run asks again', async () => {
  authority.answer = (response) => void response.writeHead(503).end();
  const [told = ''] = await stamped();
  expect(told).toMatch(
    /^commit 1 has no time stamp: 127\.0\.0\.1:\d+ answered 503; the next run asks again$/,
  );
  authority.answer = undefined;
  expect(await stamped()).toEqual([]);
  expect(await rig.files('_timestamps')).toEqual([tokenOf(2)]);
  await authority.close();
  addJob();
  expect(await stamped()).toEqual([expect.stringMatching(/commit 3 .* cannot be reached: ECONN/)]);
  const { exitCode } = await cli(['verify', rig.out, ...withCa()]);
  expect(exitCode).toBe(0);
});

it.each<[string, (of: StampAuthority) => StampAuthority['answer'], RegExp]>([
  [
    'over another digest',
    (of) => async (response, query) => {
      const other = Buffer.from(query);
      other[45]! ^= 1;
      of.send(response, await of.reply(other));
    },
    /is over another digest/,
  ],
  [
    'to an earlier request',
    (of) => {
      let first: Buffer | undefined;
      return async (response, query) => {
        // the same digest, and the nonce of another request
        const other = Buffer.from(query);
        other[other.length - 5]! ^= 1;
        first ??= await of.reply(other);
        of.send(response, first);
      };
    },
    /has not the nonce of the request/,
  ],
  [
    'that refuses',
    (of) => async (response) => of.send(response, await of.reply(Buffer.from('3003020101', 'hex'))),
    /was refused by the authority/,
  ],
  [
    'that is a page',
    () => (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    /does not answer as a time-stamp authority/,
  ],
  [
    'of other bytes',
    (of) => (response) => of.send(response, Buffer.from('no')),
    /is not an answer/,
  ],
  [
    'without an end',
    (of) => (response) => of.send(response, Buffer.alloc(2 ** 20)),
    /answered more than 256 KB/,
  ],
])('An answer %s is not kept', async (_what, answer, why) => {
  authority.answer = answer(authority);
  expect(await stamped()).toEqual([expect.stringMatching(why)]);
  expect(await rig.files('_timestamps')).toEqual([]);
  expect((await rig.verify()).problems).toEqual([]);
});

// I-56 in FORMAT.md
it('A token of another commit, an altered one, and one of a commit that was cut off are damage', async () => {
  await stamped();
  addJob();
  await stamped();
  const [first, second] = [join(rig.out, tokenOf(1)), join(rig.out, tokenOf(2))];
  const right = await readFile(second);
  expect((await verifyJson(rig, withCa())).problems).toEqual([]);
  await cp(first, second);
  expect((await verifyJson(rig, [], 4)).problems).toMatchObject([
    { path: tokenOf(2), problem: 'timestamp', detail: expect.stringContaining('something else') },
  ]);
  // the time is altered, and what was signed is not
  const at = right.toString('latin1').search(/\d{14}Z/) + 13;
  const altered = Buffer.from(right);
  altered[at] = altered[at] === 0x30 ? 0x31 : 0x30;
  await writeFile(second, altered);
  expect((await verifyJson(rig, withCa(), 4)).problems).toMatchObject([
    { path: tokenOf(2), problem: 'timestamp', detail: 'has a signature over another content' },
  ]);
  await writeFile(second, right);
  await rm(join(rig.out, commitPath(2)));
  await rm(join(rig.out, '_laps'), { recursive: true });
  const { problems } = await verifyJson(rig, [], 4);
  expect(problems).toContainEqual(
    expect.objectContaining({
      path: commitPath(2),
      detail: expect.stringContaining(`${tokenOf(2)} was made after it`) as string,
    }),
  );
});

it('Only authorities of the given certificates count, certified for time stamps', async () => {
  await stamped();
  await using other = await StampAuthority.start(join(rig.directory, 'other'), {
    isAnother: true,
  });
  const distrusted = await verifyJson(rig, ['--timestamp-ca', other.ca], 4);
  expect(distrusted.problems).toMatchObject([
    { path: tokenOf(1), detail: expect.stringContaining('not signed by an authority') },
  ]);
  const both = [...withCa(), '--timestamp-ca', other.ca];
  expect((await verifyJson(rig, both)).problems).toEqual([]);
  const token = join(rig.out, tokenOf(1));
  const right = await readFile(token);
  const { token: signed } = await readStamp(right);
  await writeFile(token, await authority.replyOfWebServer(signed.content));
  expect((await verifyJson(rig)).problems).toEqual([]); // who signed it is not checked
  expect((await verifyJson(rig, withCa(), 4)).problems).toMatchObject([
    { path: tokenOf(1), detail: 'is signed with a certificate that is not for time stamps' },
  ]);
  const wrong = await cli(['verify', rig.out, '--timestamp-ca', join(rig.out, 'jobvault.json')]);
  expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('no certificate')]);
  await rm(join(rig.out, tokenOf(1)));
  expect((await verifyJson(rig, withCa(), 4)).problems).toMatchObject([
    { path: commitPath(1), detail: 'has no time stamp, and neither has any earlier commit' },
  ]);
});

it('Tokens stay through an erasure, are copied with the log, and are no foreign files', async () => {
  await stamped();
  const copied = join(rig.directory, 'copied');
  expect((await cli(['copy', rig.out, copied])).exitCode).toBe(0);
  expect(await readFile(join(copied, tokenOf(1)))).toEqual(
    await readFile(join(rig.out, tokenOf(1))),
  );
  expect((await cli(['verify', copied, ...withCa()])).exitCode).toBe(0);
  const [user = ''] = rig.state.userIds();
  expect((await cli(['erase', rig.out, '--user', user, '--yes'])).exitCode).toBe(0);
  const { problems, foreign, timestamps } = await rig.verify();
  expect([problems, foreign, timestamps.newest?.commit]).toEqual([[], [], 1]);
  const text = (await readFile(join(rig.out, tokenOf(1)))).toString('latin1');
  expect(text).not.toContain(user);
  expect((await cli(['verify', rig.out, ...withCa()])).exitCode).toBe(0);
});

it('The command refuses an address that is not one of HTTP, and does not print it', async () => {
  const words = ['export', '--out', join(rig.directory, 'new'), '--user', 'ann'];
  const { exitCode, stderr } = await cli([...words, '--timestamp-url', 'ftp://secret-of-url']);
  expect(exitCode).toBe(2);
  expect(stderr).not.toContain('secret-of-url');
});

async function head(): Promise<number> {
  return (await (await rig.open()).log.head())?.number ?? 0;
}

/** The newest commit's token is there, and openssl accepts it. */
async function expectStamped(): Promise<void> {
  const number = await head();
  const end = await promisify(execFile)('openssl', [
    ...['ts', '-verify', '-digest', await digestOf(number), '-in', join(rig.out, tokenOf(number))],
    ...['-CAfile', authority.ca],
  ]);
  expect(end.stdout + end.stderr).toContain('Verification: OK');
}

const service = (): string[] => ['--base-url', rig.emulator.baseUrl, '--rate', '10000'];

it.each<[string, (user: string) => string[]]>([
  ['compact', () => ['compact', rig.out]],
  ['erase', (user) => ['erase', rig.out, '--user', user, '--yes']],
  ['expire', () => ['expire', rig.out, '--older-than', '1ms', '--trust-this-clock', '--yes']],
  ['hold add', (user) => ['hold', 'add', rig.out, '--user', user, '--reason', 'case 7']],
  ['request new', () => ['request', 'new', rig.out, 'case 7', '--reason', 'a letter']],
  ['drill', () => ['drill', rig.out]],
  ['prune', () => ['prune', rig.out, ...service(), '--all', '--accept-suspicious', '--yes']],
  [
    'export --delete-archived',
    (user) => [
      ...['export', '--out', rig.out, '--user', user, ...service()],
      ...['--delete-archived', '--all', '--accept-suspicious', '--yes'],
    ],
  ],
])('The last commit of %s has a time stamp', async (_name, words) => {
  await rig.export();
  addJob();
  await rig.export();
  const before = await head();
  const [user = ''] = rig.state.userIds();
  const { exitCode, stderr } = await cli([...words(user), '--timestamp-url', authority.url]);
  expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('time stamp')]);
  expect(await head()).toBeGreaterThan(before);
  await expectStamped();
});

it('records for a request are stamped, and so are released holds and closed requests', async () => {
  await rig.export();
  const by = ['--by', 'kim', '--timestamp-url', authority.url];
  const [user = ''] = rig.state.userIds();
  const reason = [...by, '--reason', 'case 7'];
  for (const words of [
    ['request', 'new', rig.out, 'case', ...reason],
    ['hold', 'add', rig.out, '--user', user, ...reason],
    ['hold', 'release', '--yes', rig.out, '--user', user, ...reason],
    ['search', rig.out, 'the', '--request', 'case', ...by],
    ['evidence', rig.out, '--out', join(rig.directory, 'pack'), '--request', 'case', ...by],
    ['request', 'close', rig.out, 'case', ...reason],
  ]) {
    const before = await head();
    const { exitCode, stderr } = await cli(words);
    expect([words[0], exitCode], stderr).toEqual([words[0], 0]);
    expect(await head()).toBe(before + 1);
    await expectStamped();
  }
});

it('a dry run has nothing stamped; a compaction with nothing to merge asks for what is missing', async () => {
  await rig.export();
  const [user = ''] = rig.state.userIds();
  const given = ['--timestamp-url', authority.url];
  await cli(['erase', rig.out, '--user', user, '--dry-run', ...given]);
  expect(authority.requests).toHaveLength(0);
  authority.answer = (response) => void response.writeHead(503).end();
  const failed = await cli(['hold', 'add', rig.out, '--user', user, '--reason', 'x', ...given]);
  expect(failed.exitCode).toBe(0);
  const host = new URL(authority.url).host;
  expect(failed.stderr).toContain(
    `commit 2 has no time stamp: ${host} answered 503; the next run asks again`,
  );
  authority.answer = undefined;
  expect((await cli(['compact', rig.out, ...given])).exitCode).toBe(0);
  expect(await rig.files('_timestamps')).toEqual([tokenOf(2)]);
});
