/** `verify` with a share of the files, keys and a head, on an archive that was exported from the emulator. */
import { NO_PLACE } from '../../../src/base/next-step.js';
import { createHash, createPublicKey } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import {
  AFTER_DAMAGE,
  AFTER_OTHER_HEAD,
  AFTER_OTHER_KEY,
} from '../../../src/cli/output/next-step.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { ed25519Pair } from '../../support/base/signing-keys.js';
import { artifactPaths, flipBitOf, verifyJson } from '../../support/rigs/verify-rig.js';
import { fault } from '../../support/base/fault.js';

let rig: ExportRig;

beforeEach(async () => {
  rig = await ExportRig.start({ users: 2, sessions: 2, jobs: 2, artifactsPerJob: 1 });
  await rig.archived();
});
afterEach(() => rig[Symbol.asyncDispose]());

it("verify --sample reads the same share of older files and all of the newest commit's", async () => {
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
  const { files } = await (await rig.open()).log.read(2);
  const newest = files.map(({ path }) => path).sort();
  for (const path of newest) await flipBitOf(rig, path);
  const { problems } = await verifyJson(rig, ['--sample', '0.1%'], 4);
  expect(problems.map(({ path }) => path).sort()).toEqual(newest);
});

it('verify --sample misses no file that has gone or has another size, whatever the share', async () => {
  const [gone = '', longer = ''] = await artifactPaths(rig);
  await rig.place.remove(gone);
  await rig.place.write(longer, 'x'.repeat(70_000));
  const { problems } = await verifyJson(rig, ['--sample', '0.1%'], 4);
  expect(problems.map(({ path, problem }) => [path, problem])).toEqual([
    [gone, 'missing'],
    [longer, 'size'],
  ]);
});

it('verify does not say that it has read a file that is missing', async () => {
  const [gone = ''] = await artifactPaths(rig);
  const filesOf = (text: string) => /^ +files +(.*)$/m.exec(text)?.[1];
  const whole = filesOf((await cli(['verify', rig.out])).stdout);
  expect(whole).toMatch(/ artifacts, .* read$/);
  await rig.place.remove(gone);
  const { exitCode, stdout } = await cli(['verify', rig.out]);
  expect([exitCode, filesOf(stdout)]).toEqual([4, expect.stringMatching(/ read; 1 is missing$/)]);
});

describe('verify --public-key and --expect-head', () => {
  it('accept what export --signing-key has signed, and refuse what it has not', async () => {
    const { privateKey, publicKey } = ed25519Pair();
    const files = { key: join(rig.directory, 'key.pem'), pub: join(rig.directory, 'pub.pem') };
    await writeFile(files.key, privateKey, { mode: 0o600 });
    await writeFile(files.pub, publicKey);
    const unsigned = await verifyJson(rig, ['--public-key', files.pub], 4);
    expect(unsigned.problems[0]?.problem).toBe('signature');
    const swapped = await cli(['verify', rig.out, '--public-key', files.key]);
    expect(swapped).toMatchObject({ exitCode: 2, stdout: '' });
    expect(swapped.stderr).toContain('holds a private key; allowed is the public');
    const users = rig.state.userIds().flatMap((user) => ['--user', user]);
    const words = ['export', '--base-url', rig.emulator.baseUrl, '--out', rig.out, ...users];
    expect((await cli([...words, '--signing-key', files.key, '--start-signing'])).exitCode).toBe(0);
    const { head, signatures } = await verifyJson(rig, ['--public-key', files.pub]);
    expect(head.number).toBe(2);
    const id = createHash('sha256')
      .update(createPublicKey(publicKey).export({ type: 'spki', format: 'der' }))
      .digest('hex');
    const counts = { signed: 1, valid: 1, otherwise: 0, redacted: 0, unsigned: 1, keys: [id] };
    expect(signatures).toEqual({ checked: true, ...counts });
    const { stdout } = await cli(['verify', rig.out, '--public-key', files.pub]);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      `signatures 1 of 1 commit valid, by key ${id} (SHA-256); 1 commit without a signature`,
    );
    const unchecked = await cli(['verify', rig.out]);
    expect(unchecked.stdout.replaceAll(/\s+/g, ' ')).toContain(
      `signatures 1 commit signed by key ${id} (SHA-256), not checked: pass --public-key`,
    );
    const noted = `${head.number}:${head.digest}`;
    await verifyJson(rig, ['--public-key', files.pub, '--expect-head', noted]);
    const later = await verifyJson(rig, ['--expect-head', '4'], 4);
    expect(later.problems[0]?.problem).toBe('head');
  });

  it('say that the expected head was found, with its digest or by its number alone', async () => {
    const { head } = await verifyJson(rig);
    const noted = `${head.number}:${head.digest}`;
    expect(await verifyJson(rig, ['--expect-head', noted])).toMatchObject({
      expected_head: { ...head, found: true },
    });
    const found = await cli(['verify', rig.out, '--expect-head', noted]);
    expect(found.stdout).toMatch(/^Intact: .*$/m);
    expect(found.stdout).toMatch(/^ +expected head +found: commit 1 has this digest$/m);
    const byNumber = await cli(['verify', rig.out, '--expect-head', '1']);
    expect(byNumber.stdout).toMatch(
      /^ +expected head +commit 1 is there; no digest was given to compare$/m,
    );
  });

  it.each([
    ['a mistyped digest', `1:${'0'.repeat(64)}`],
    ['a commit that is not there', '4'],
  ])('say of %s that the head differs, and propose no repair', async (_, expected) => {
    const words = ['verify', rig.out, '--expect-head', expected];
    for (const more of [[], ['--repair']]) {
      const end = await cli([...words, ...more]);
      expect(end.exitCode).toBe(4);
      expect(end.stdout).toMatch(/^Another head: /m);
      expect(end.stdout).toMatch(/^ +commits +1, chain unbroken$/m);
      expect(end.stdout).toMatch(/^ +expected head +NOT FOUND: see below$/m);
      expect(end.stdout.match(/^Next: .*$/gm)).toEqual([`Next: ${AFTER_OTHER_HEAD.text()}`]);
      expect(end.stderr).not.toContain('Damaged');
    }
    const json = await verifyJson(rig, ['--expect-head', expected], 4);
    expect(json).toMatchObject({ expected_head: { found: false }, next: AFTER_OTHER_HEAD.text() });
    const [part = ''] = await rig.parts('tables/jobs');
    await rig.place.remove(part);
    const damaged = await cli(words);
    expect(damaged.stdout).toContain('Damaged: 2 problems');
    expect(damaged.stdout.match(/^Next: .*$/gm)).toEqual([`Next: ${AFTER_OTHER_HEAD.text()}`]);
  });
});

const newKey = async (name: string): Promise<{ key: string; pub: string }> => {
  const { privateKey, publicKey } = ed25519Pair();
  const files = {
    key: join(rig.directory, `${name}.pem`),
    pub: join(rig.directory, `${name}.pub`),
  };
  await writeFile(files.key, privateKey, { mode: 0o600 });
  await writeFile(files.pub, publicKey);
  return files;
};
const exporting = () => [
  'export',
  '--base-url',
  rig.emulator.baseUrl,
  '--out',
  rig.out,
  ...rig.state.userIds().flatMap((user) => ['--user', user]),
];

it('an unread signed log says that its key was not given, and no repair, but damage beside', async () => {
  const [own, other] = [await newKey('own'), await newKey('other')];
  expect((await cli([...exporting(), '--signing-key', own.key, '--start-signing'])).exitCode).toBe(
    0,
  );
  const words = ['verify', rig.out, '--public-key', other.pub];
  const wrong = await cli(words);
  expect(wrong.exitCode).toBe(4);
  expect(wrong.stdout.match(/^Next: .*$/gm)).toEqual([`Next: ${AFTER_OTHER_KEY.text()}`]);
  expect(JSON.parse((await cli([...words, '--json'])).stdout)).toMatchObject({
    signatures: { signed: 1, valid: 0, otherwise: 1 },
    next: AFTER_OTHER_KEY.text(),
  });
  const [part = ''] = await rig.parts('tables/jobs');
  await rig.place.remove(part);
  const damaged = await cli(words);
  const next = AFTER_DAMAGE.text({ ...NO_PLACE, archive: rig.out });
  expect(damaged.stdout.match(/^Next: .*$/gm)).toEqual([`Next: ${next}`]);
});

it(
  'a signed log refuses export and prune without the key: exit code 2, nothing written',
  fault('F-64'),
  async () => {
    const { key, pub } = await newKey('own');
    expect((await cli([...exporting(), '--signing-key', key, '--start-signing'])).exitCode).toBe(0);
    const before = await rig.files();
    const requests = rig.emulator.stats.totalRequests;
    const prune = ['prune', rig.out, '--yes', '--all', '--base-url', rig.emulator.baseUrl];
    for (const words of [exporting(), prune]) {
      const { exitCode, stderr } = await cli(words);
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringContaining(`commit 2 of ${rig.out} is signed, and this run has no key`),
      ]);
    }
    expect(rig.emulator.stats.totalRequests).toBe(requests);
    expect(await rig.files()).toEqual(before);
    await verifyJson(rig, ['--public-key', pub]);
  },
);

it('an archive whose log is signed takes another key only from export --change-signing-key', async () => {
  const [first, second] = [await newKey('first'), await newKey('second')];
  expect(
    (await cli([...exporting(), '--signing-key', first.key, '--start-signing'])).exitCode,
  ).toBe(0);
  const refused = await cli([...exporting(), '--signing-key', second.key]);
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringContaining('or change the key with export --change-signing-key'),
  ]);
  const changing = [...exporting(), '--change-signing-key'];
  expect((await cli(changing)).stderr).toContain('needs the new key; give --signing-key');
  expect((await cli([...changing, '--signing-key', second.key])).exitCode).toBe(0);
  expect((await cli([...exporting(), '--signing-key', second.key])).exitCode).toBe(0);
  await verifyJson(rig, ['--public-key', first.pub, '--public-key', second.pub]);
});
