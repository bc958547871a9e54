/** `verify` with a share of the files, keys and a head, on an archive that was exported from the emulator. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli } from '../support/cli-in-process.js';
import { ExportRig } from '../support/export-rig.js';
import { ed25519Pair, rsaPair } from '../support/signing-keys.js';
import { artifactPaths, flipBitOf, verifyJson } from '../support/verify-rig.js';

let rig: ExportRig;

beforeEach(async () => {
  rig = await ExportRig.start({ users: 2, sessions: 3, jobs: 4 });
  await rig.export();
});
afterEach(() => rig[Symbol.asyncDispose]());

describe('verify --sample', () => {
  it("reads a share of the older files and all of the newest commit's, the same ones each time", async () => {
    const [user = ''] = rig.state.userIds();
    rig.state.addJobs(user, rig.state.sessionIds(user)[0] ?? '', 1);
    await rig.export();
    const whole = await verifyJson(rig);
    const first = await verifyJson(rig, ['--sample', '10%']);
    expect(first).toMatchObject({ status: 'intact', head: whole.head });
    expect(first.unread).toBeGreaterThan(0);
    expect(first.bytes).toBeLessThan(whole.bytes);
    expect(await verifyJson(rig, ['--sample', '10%'])).toEqual(first);
    expect(await verifyJson(rig, ['--sample', '100%'])).toEqual({ ...whole, unread: 0 });
    const newest = await (await rig.open()).log.read(2);
    for (const { path } of newest.files) {
      const sound = await rig.place.read(path);
      await flipBitOf(rig, path);
      expect((await verifyJson(rig, ['--sample', '0.1%'], 4)).problems[0]?.path).toBe(path);
      await rig.place.write(path, sound);
    }
  });

  it('misses no file that has gone or has another size, whatever the share', async () => {
    const [gone = '', longer = ''] = await artifactPaths(rig);
    await rig.place.remove(gone);
    await rig.place.write(longer, 'x'.repeat(70_000));
    const { problems } = await verifyJson(rig, ['--sample', '0.1%'], 4);
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
    const { privateKey, publicKey } = ed25519Pair();
    const files = { key: join(rig.directory, 'key.pem'), pub: join(rig.directory, 'pub.pem') };
    await writeFile(files.key, privateKey);
    await writeFile(files.pub, publicKey);
    const unsigned = await verifyJson(rig, ['--public-key', files.pub], 4);
    expect(unsigned.problems[0]?.problem).toBe('signature');
    const users = rig.state.userIds().flatMap((user) => ['--user', user]);
    const words = ['export', '--base-url', rig.emulator.baseUrl, '--out', rig.out, ...users];
    expect((await cli([...words, '--signing-key', files.key])).exitCode).toBe(0);
    const { head } = await verifyJson(rig, ['--public-key', files.pub]);
    expect(head.number).toBe(2);
    const noted = `${head.number}:${head.digest}`;
    expect((await cli(words)).exitCode).toBe(0);
    const third = await verifyJson(rig, ['--public-key', files.pub, '--expect-head', noted], 4);
    expect(third.problems.map(({ detail }) => detail)).toEqual([
      'is not signed, though an earlier commit is',
    ]);
    const later = await verifyJson(rig, ['--expect-head', '4'], 4);
    expect(later.problems[0]?.problem).toBe('missing');
  });

  it('refuse a key of another kind, a file that is not there and a head that is none', async () => {
    const rsa = rsaPair();
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
