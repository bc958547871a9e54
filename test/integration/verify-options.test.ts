/** `verify` with its options, on an archive that was exported from the emulator. */
import { generateKeyPairSync } from 'node:crypto';
import { readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesOfTable } from '../../src/archive/archive.js';
import { statePath } from '../../src/archive/paths.js';
import type { VerifyProblem } from '../../src/archive/verify-report.js';
import type { Difference } from '../../src/audit/difference.js';
import { asUserId } from '../../src/model/ids.js';
import { cli, cliJson } from '../support/cli-in-process.js';
import { ExportRig } from '../support/export-rig.js';

interface VerifyJson {
  readonly status: string;
  readonly unread: number;
  readonly bytes: number;
  readonly head: { readonly number: number; readonly digest: string };
  readonly problems: readonly VerifyProblem[];
  readonly orphans: readonly string[];
  readonly repair: {
    readonly held: string | null;
    readonly quarantine: string | null;
    readonly moved: readonly string[];
    readonly artifacts_mended: readonly string[];
    readonly artifacts_lost: readonly { readonly path: string; readonly reason: string }[];
    readonly states_rebuilt: readonly string[];
  };
  readonly service: {
    readonly users: number;
    readonly sessions: number;
    readonly equal_jobs: number;
    readonly differences: readonly Difference[];
  };
}

const DAY_MS = 86_400_000;
let rig: ExportRig;

beforeEach(async () => {
  rig = await ExportRig.start({ users: 2, sessions: 3, jobs: 4 });
  await rig.export();
});
afterEach(() => rig[Symbol.asyncDispose]());

const verifyJson = (words: readonly string[] = [], exitCode = 0): Promise<VerifyJson> =>
  cliJson<VerifyJson>(['verify', rig.out, ...words], exitCode);

async function flipBitOf(path: string): Promise<void> {
  const file = join(rig.out, path);
  const bytes = await readFile(file);
  bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
  await writeFile(file, bytes);
}

async function makeOld(path: string, days: number): Promise<void> {
  const then = new Date(Date.now() - days * DAY_MS);
  await utimes(join(rig.out, path), then, then);
}

const artifactPaths = async (): Promise<string[]> => (await rig.files('artifacts')).sort();

describe('verify --sample', () => {
  it("reads a share of the older files and all of the newest commit's, the same ones each time", async () => {
    const [user = ''] = rig.state.userIds();
    rig.state.addJobs(user, rig.state.sessionIds(user)[0] ?? '', 1);
    await rig.export();
    const whole = await verifyJson();
    const first = await verifyJson(['--sample', '10%']);
    expect(first).toMatchObject({ status: 'intact', head: whole.head });
    expect(first.unread).toBeGreaterThan(0);
    expect(first.bytes).toBeLessThan(whole.bytes);
    expect(await verifyJson(['--sample', '10%'])).toEqual(first);
    expect(await verifyJson(['--sample', '100%'])).toEqual({ ...whole, unread: 0 });
    const newest = await (await rig.open()).log.read(2);
    for (const { path } of newest.files) {
      const file = join(rig.out, path);
      const sound = await readFile(file);
      await flipBitOf(path);
      expect((await verifyJson(['--sample', '0.1%'], 4)).problems[0]?.path).toBe(path);
      await writeFile(file, sound);
    }
  });

  it('misses no file that has gone or has another size, whatever the share', async () => {
    const [gone = '', longer = ''] = await artifactPaths();
    await rm(join(rig.out, gone));
    await writeFile(join(rig.out, longer), 'x'.repeat(70_000));
    const { problems } = await verifyJson(['--sample', '0.1%'], 4);
    expect(problems.map(({ path, problem }) => [path, problem])).toEqual([
      [gone, 'missing'],
      [longer, 'size'],
    ]);
  });

  it.each(['0%', '101%', '5', 'some'])('refuses a share of %s', async (share) => {
    const { exitCode, stderr } = await cli(['verify', rig.out, '--sample', share]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`--sample is "${share}"; allowed is a share above 0% and up to 100%`);
  });
});

describe('verify --public-key and --expect-head', () => {
  it('accept what export --signing-key has signed, and refuse what it has not', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const files = { key: join(rig.directory, 'key.pem'), pub: join(rig.directory, 'pub.pem') };
    await writeFile(files.key, privateKey);
    await writeFile(files.pub, publicKey);
    const unsigned = await verifyJson(['--public-key', files.pub], 4);
    expect(unsigned.problems[0]?.problem).toBe('signature');
    const users = rig.state.userIds().flatMap((user) => ['--user', user]);
    const words = ['export', '--base-url', rig.emulator.baseUrl, '--out', rig.out, ...users];
    expect((await cli([...words, '--signing-key', files.key])).exitCode).toBe(0);
    const { head } = await verifyJson(['--public-key', files.pub]);
    expect(head.number).toBe(2);
    const noted = `${head.number}:${head.digest}`;
    expect((await cli(words)).exitCode).toBe(0);
    const third = await verifyJson(['--public-key', files.pub, '--expect-head', noted], 4);
    expect(third.problems.map(({ detail }) => detail)).toEqual([
      'is not signed, though an earlier commit is',
    ]);
    const later = await verifyJson(['--expect-head', '4'], 4);
    expect(later.problems[0]?.problem).toBe('missing');
  });

  it('refuse a key of another kind, a file that is not there and a head that is none', async () => {
    const rsa = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const file = join(rig.directory, 'rsa.pem');
    await writeFile(file, rsa.privateKey);
    const export_ = ['export', '--base-url', rig.emulator.baseUrl, '--out', rig.out, '--user', 'u'];
    for (const [words, sentence] of [
      [[...export_, '--signing-key', file], 'holds no Ed25519 private key; allowed is one in PEM'],
      [[...export_, '--signing-key', `${file}.not`], 'cannot be read'],
      [['verify', rig.out, '--public-key', file], 'holds a private key; allowed is the public'],
      [['verify', rig.out, '--expect-head', 'x'], "allowed is a commit's number such as 42"],
    ] as const) {
      const { exitCode, stderr, stdout } = await cli(words);
      expect([exitCode, stdout]).toEqual([2, '']);
      expect(stderr).toContain(sentence);
      expect(stderr).not.toContain('PRIVATE KEY');
    }
  });
});

describe('verify --repair', () => {
  it('fetches damaged and missing artifacts again, and the archive is whole', async () => {
    const paths = await artifactPaths();
    const [damaged = '', gone = ''] = paths;
    await flipBitOf(damaged);
    await rm(join(rig.out, gone));
    const { repair, status } = await verifyJson(['--repair']);
    expect(status).toBe('intact');
    expect(repair).toMatchObject({
      artifacts_mended: [damaged, gone].sort(),
      artifacts_lost: [],
      held: null,
    });
    expect(await artifactPaths()).toEqual(paths);
    expect((await verifyJson()).problems).toEqual([]);
  });

  it('says what it could not bring back, and why: another file, no file, no key', async () => {
    const keys = rig.state
      .userIds()
      .flatMap((user) =>
        rig.state
          .sessionIds(user)
          .flatMap((session) =>
            rig.state
              .jobIds(user, session)
              .flatMap((job) => rig.state.fileKeys(user, session, job)),
          ),
      );
    const [changed = '', removed = ''] = await artifactPaths();
    for (const path of [changed, removed]) await flipBitOf(path);
    const without = await cliJson<VerifyJson>(['verify', rig.out, '--repair'], 4, {});
    expect(without.repair.artifacts_lost.map(({ reason }) => reason)).toEqual(
      Array(2).fill('no service was named to fetch it from'),
    );
    for (const key of keys) rig.state.putFile(key, 'a,b\nother,bytes\n');
    const other = await verifyJson(['--repair'], 4);
    expect(new Set(other.repair.artifacts_lost.map(({ path }) => path))).toEqual(
      new Set([changed, removed]),
    );
    for (const { reason } of other.repair.artifacts_lost) {
      expect(reason).toBe('the service has another file there now');
    }
    for (const key of keys) rig.state.removeFile(key);
    const gone = await verifyJson(['--repair'], 4);
    for (const { reason } of gone.repair.artifacts_lost) expect(reason).toMatch(/^missing: /);
    expect(gone.problems.map(({ path }) => path)).toEqual([changed, removed]);
  });

  it('moves only orphans that nobody has written or named for a week, and keeps their bytes', async () => {
    const run = '01ARZ3NDEKTSV4RRFFQ69G5FAV'; // made in 2016
    const old = `tables/jobs/dt=2016-07-30/${run}-0001.parquet`;
    const young = `tables/jobs/dt=2016-07-30/${run}-0002.parquet`;
    const storage = (await rig.open()).storage;
    for (const path of [old, young]) await storage.put(path, Buffer.from(path));
    await makeOld(old, 8);
    await makeOld(young, 6);
    expect((await verifyJson()).orphans).toEqual([old, young]);
    const { repair, orphans, status } = await verifyJson(['--repair']);
    expect([repair.moved, orphans, status]).toEqual([[old], [young], 'intact']);
    const kept = await readFile(join(rig.out, repair.quarantine ?? '', old), 'utf8');
    expect(kept).toBe(old);
    const again = await verifyJson(['--repair', '--orphan-age', '5d']);
    expect([again.repair.moved, again.orphans]).toEqual([[young], []]);
    expect((await verifyJson(['--repair'])).repair.quarantine).toBeNull();
  });

  it('brings an artifact back from the quarantine, without asking the service', async () => {
    const [path = ''] = await artifactPaths();
    const storage = (await rig.open()).storage;
    const bytes = await storage.get(path);
    await storage.put(`_quarantine/01ARZ3NDEKTSV4RRFFQ69G5FAV/${path}`, bytes);
    await storage.delete(path);
    const before = rig.emulator.stats.requests;
    const { repair } = await cliJson<VerifyJson>(['verify', rig.out, '--repair'], 0, {});
    expect(repair.artifacts_mended).toEqual([path]);
    expect(rig.emulator.stats.requests).toBe(before);
    expect(Buffer.from(await storage.get(path))).toEqual(Buffer.from(bytes));
  });

  it('rebuilds a damaged state from the log', async () => {
    const path = statePath(asUserId(rig.state.userIds()[0] ?? ''));
    const sound = await readFile(join(rig.out, path));
    await flipBitOf(path);
    const { repair } = await verifyJson(['--repair']);
    expect(repair.states_rebuilt).toEqual([path]);
    expect(await readFile(join(rig.out, path))).toEqual(sound);
    expect((await verifyJson()).problems).toEqual([]);
  });

  it('touches neither orphans nor states while the log is not whole: they may be witnesses', async () => {
    const user = rig.state.userIds()[0] ?? '';
    rig.state.addJobs(user, rig.state.sessionIds(user)[0] ?? '', 1);
    await rig.export();
    const named = (await filesOfTable(await rig.open(), 'jobs')).map(({ path }) => path);
    for (const path of named) await makeOld(path, 30);
    await rm(join(rig.out, '_commits/000000000002.json'));
    const { repair, status, problems } = await verifyJson(['--repair', '--orphan-age', '1ms'], 4);
    expect([status, repair.moved, repair.states_rebuilt]).toEqual(['damaged', [], []]);
    expect(repair.held).toContain('_commits/000000000002.json is missing from the log');
    expect(problems.map(({ path }) => path)).toContain('_commits/000000000002.json');
    for (const path of named) expect(await rig.files()).toContain(path);
  });
});

describe('verify --against-service', () => {
  it('finds nothing right after an export', async () => {
    const { service } = await verifyJson(['--against-service']);
    const totals = rig.state.totals();
    expect(service).toEqual({
      ...{ users: totals.users, sessions: totals.sessions, equal_jobs: totals.jobs },
      differences: [],
    });
  });

  it('lists what either side lacks and what has changed, page by page', async () => {
    const [user = '', other = ''] = rig.state.userIds();
    const [grown = '', gone = ''] = rig.state.sessionIds(user);
    const [changed = '', lost = ''] = rig.state.jobIds(user, grown);
    const [added = ''] = rig.state.addJobs(user, grown, 1);
    rig.state.growAnswer(user, grown, changed, 'And more.');
    rig.state.deleteJob(user, grown, lost);
    rig.state.deleteSession(user, gone);
    const words = ['--against-service', '--page-size', '2'];
    const { service } = await verifyJson(words, 3);
    const brief = service.differences.map(({ kind, session, job }) => [kind, session, job]);
    expect(new Set(brief.map((one) => one.join(' ')))).toEqual(
      new Set([
        `service_only ${grown} ${added}`,
        `changed ${grown} ${changed}`,
        `archive_only ${grown} ${lost}`,
        `archive_only ${gone} `,
      ]),
    );
    expect((await verifyJson([...words, '--user', other])).service.differences).toEqual([]);
    const { exitCode, stdout } = await cli(['verify', rig.out, ...words]);
    expect(exitCode).toBe(3);
    expect(stdout).toContain(`session ${grown}, job ${added}: the archive lacks the job`);
  });

  it('is content when only the archive has something', async () => {
    const [user = ''] = rig.state.userIds();
    const [gone = ''] = rig.state.sessionIds(user);
    rig.state.deleteSession(user, gone);
    const { service } = await verifyJson(['--against-service']);
    expect(service.differences).toMatchObject([
      { kind: 'archive_only', user, session: gone, job: null },
    ]);
  });

  it('lists a session that the archive has never seen, with its jobs', async () => {
    const [user = ''] = rig.state.userIds();
    const session = rig.state.addSession(user, { name: 'new' });
    rig.state.addJobs(user, session, 2);
    const { service } = await verifyJson(['--against-service'], 3);
    expect(service.differences.map(({ kind, job }) => [kind, job === null])).toEqual([
      ['service_only', true],
      ...Array<[string, boolean]>(2).fill(['service_only', false]),
    ]);
  });

  it('sends nothing to another service than the one that the archive belongs to', async () => {
    const { exitCode, stderr } = await cli([
      ...['verify', rig.out, '--against-service', '--base-url', 'https://api.example.com'],
    ]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`is the archive of ${rig.emulator.baseUrl}, not of`);
    const keyless = await cli(['verify', rig.out, '--against-service'], {});
    expect(keyless.exitCode).toBe(2);
    expect(keyless.stderr).toContain('there is no API key');
  });

  it('ends with exit code 6 where the key is refused', async () => {
    const words = ['verify', rig.out, '--against-service'];
    const { exitCode, stderr } = await cli(words, { JOBVAULT_API_KEY: 'no-such-key' });
    expect(exitCode).toBe(6);
    expect(stderr).not.toContain('no-such-key');
  });
});
