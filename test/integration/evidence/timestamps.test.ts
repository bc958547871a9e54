/** Time stamps over an evidence pack: checked with openssl by the line in the pack's README, and by nothing of ours. */
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it as test, vi } from 'vitest';
import { openssl } from '../../services/programs.js';
import { StampAuthority } from '../../support/http/stamp-authority.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { bagProblems } from '../../support/tables/bag-validator.js';

const it = test.skipIf(openssl === undefined);

vi.setConfig({ testTimeout: 60_000 });

let rig: ExportRig;
let authority: StampAuthority;
let pack: string;
beforeEach(async () => {
  rig = await ExportRig.start({ users: 1, sessions: 1, jobs: 2 });
  authority = await StampAuthority.start(join(rig.directory, 'tsa'));
  pack = join(rig.directory, 'pack');
  await rig.archived();
});
afterEach(async () => {
  await authority[Symbol.asyncDispose]();
  await rig[Symbol.asyncDispose]();
});

const readme = (): Promise<string> => readFile(join(pack, 'data/README.txt'), 'utf8');

/** Runs the line of the README in the pack, as somebody would who has the certificate of the authority. */
async function typed(): Promise<string> {
  const line = /^ {2}(openssl ts -verify .*)$/m.exec(await readme())?.[1] ?? '';
  const [program = '', ...words] = line.replace('ca.pem', authority.ca).split(' ');
  const { stdout, stderr } = await promisify(execFile)(program, words, { cwd: pack });
  return stdout + stderr;
}

it("a stranger checks a pack's time by the line in its README, and finds one changed byte", async () => {
  const end = await cli(['evidence', rig.out, '--out', pack, '--timestamp-url', authority.url]);
  expect(end).toMatchObject({ exitCode: 0, stderr: '' });
  expect(end.stdout).toMatch(/time stamps +1 token/);
  expect(await typed()).toContain('Verification: OK');
  expect(await readFile(join(pack, 'data/index.html'), 'utf8')).toContain(
    `<li>When it was whole, ${new URL(authority.url).host} was asked for a time stamp; what was answered is in the directory above this page (timestamp-1.tsr), and README.txt says how it is checked and tells the time</li>`,
  );
  expect(await bagProblems(pack)).toEqual([]);
  const [request = Buffer.alloc(0)] = authority.requests;
  expect(request.length).toBeLessThan(100);
  const manifest = join(pack, 'tagmanifest-sha256.txt');
  const text = await readFile(manifest, 'utf8');
  await writeFile(
    manifest,
    text.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
  );
  await expect(typed()).rejects.toThrow(/message imprint mismatch/);
});

it('Of several authorities one that cannot be reached is a warning, and the pack is whole', async () => {
  const gone = 'http://127.0.0.1:1/path-of-secret?secret-of-url';
  const urls = ['--timestamp-url', gone, '--timestamp-url', authority.url];
  const { exitCode, stderr } = await cli(['evidence', rig.out, '--out', pack, ...urls]);
  expect(exitCode).toBe(0);
  expect(stderr).toContain('the pack has no time stamp of 127.0.0.1:1');
  expect(stderr).not.toContain('secret');
  expect((await readdir(pack)).filter((name) => name.endsWith('.tsr'))).toEqual([
    'timestamp-1.tsr',
  ]);
  expect(await typed()).toContain('Verification: OK');
  expect(await bagProblems(pack)).toEqual([]);
});

it('A pack without an authority says nothing of time stamps, and that a signature is of a key', async () => {
  expect((await cli(['evidence', rig.out, '--out', pack])).exitCode).toBe(0);
  const text = await readme();
  expect(text).not.toContain('openssl ts');
  expect(text).toMatch(/a signature, of a pack or in the log, names a key, not a\s+person/);
  expect(authority.requests).toEqual([]);
});
