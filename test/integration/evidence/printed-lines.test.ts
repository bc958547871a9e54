/** The lines that a pack's README.txt prints, run in a shell by somebody who has nothing but the pack. */
import { execFile, spawnSync } from 'node:child_process';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { ed25519Pair } from '../../support/base/signing-keys.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { bagProblems } from '../../support/tables/bag-validator.js';
import { EvidencePack } from '../../support/tables/evidence-pack.js';
import { ed25519Signer } from '../../../src/index.js';

let people: SearchRig;
let pack: EvidencePack;
let told: string;
const { privateKey } = ed25519Pair();
const { publicKeyId } = ed25519Signer(privateKey);

beforeAll(async () => {
  people = await SearchRig.start();
  people.talk('ada', 's-ada', 'Städte & “Häuser”', [{ question: 'What of project Falcon?' }]);
  await people.rig.archived();
  const key = join(people.rig.directory, 'key.pem');
  await writeFile(key, privateKey, { mode: 0o600 });
  const { out } = people.rig;
  const by = ['--by', 'Dana', '--signing-key', key, '--start-signing'];
  const words = ['--user', 'ada', '--match', 'falcon', '--reason', 'Art. 15'];
  await cli(['request', 'new', out, 'M 7', ...words, ...by]);
  await cli(['hold', 'add', out, '--request', 'M 7', ...by]);
  ({ pack } = await handOver(people.rig, '--request', 'M 7', ...by));
  const { stdout } = await cli(['request', 'show', out, 'M 7']);
  told = /digest ([0-9a-f]{64})/.exec(stdout)?.[1] ?? '';
});
afterAll(() => people[Symbol.asyncDispose]());

/** Runs the line that begins so. */
async function run(beginning: string, edit = (line: string): string => line, of = pack) {
  const lines = (await of.text('data/README.txt')).split('\n').map((line) => line.trim());
  const line = lines.find((one) => one.startsWith(beginning)) ?? `exit 1 # no ${beginning}`;
  const options = { cwd: of.directory };
  return promisify(execFile)('sh', ['-c', edit(line)], options).then(
    ({ stdout, stderr }) => ({ code: 0, told: stdout + stderr }),
    (error: unknown) => {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, told: stdout + stderr };
    },
  );
}

const has = (program: string, word = '--version') => spawnSync(program, [word]).status === 0;

it('find nothing wrong in the pack as it was made, and its digest', async () => {
  expect(await run('sha256sum -c')).toEqual({ code: 0, told: '' });
  expect(await run('find data')).toEqual({ code: 0, told: '' });
  expect(await run('sha256sum tagmanifest')).toEqual({
    code: 0,
    told: `${told}  tagmanifest-sha256.txt\n`,
  });
});

describe('the first page', () => {
  /** The command lines that it shows, in their order. */
  const shown = async (): Promise<string[]> => {
    const page = await pack.text('data/index.html');
    const [, note = ''] = /<h2>How to check it<\/h2>(.*?)<\/section>/s.exec(page) ?? [];
    return [...note.matchAll(/<pre><code>(.*?)<\/code><\/pre>/g)].map(([, line = '']) =>
      line.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
    );
  };

  it('has the check of all files first, which sees a forged page: the signature alone does not', async () => {
    const [files = '', , , , , signature = ''] = await shown();
    const forged = new EvidencePack(join(people.rig.directory, 'forged-page'));
    await cp(pack.directory, forged.directory, { recursive: true });
    const page = join(forged.directory, 'data/index.html');
    await writeFile(
      page,
      (await readFile(page, 'utf8')).replace('Evidence pack', 'Evidence  pack'),
    );
    const typed = (line: string, cwd: string) =>
      spawnSync('sh', ['-c', line], { cwd, encoding: 'utf8' });
    expect(typed(files, pack.directory)).toMatchObject({ status: 0, stdout: '' });
    const found = typed(files, forged.directory);
    expect([found.status, found.stdout]).toEqual([1, 'data/index.html: FAILED\n']);
    if (has('openssl', 'version')) {
      expect(typed(signature, forged.directory).stdout).toContain('Verified Successfully');
    }
    expect(await pack.text('data/index.html')).toContain('a page that was forged passes it');
  });

  it('has the same lines as README.txt, those for Windows among them', async () => {
    const readme = await pack.text('data/README.txt');
    const lines = await shown();
    expect(lines.map((line) => line.split(' ')[0])).toEqual([
      'sha256sum',
      'Get-Content',
      '$listed',
      'sha256sum',
      '(Get-FileHash',
      'openssl',
    ]);
    for (const line of lines) expect(readme).toContain(`\n  ${line}\n`);
  });
});

it('find every file, also where names came in another form of Unicode: all are ASCII', async () => {
  const names = await pack.files();
  expect(names.filter((name) => /[^ -~]/.test(name))).toEqual([]);
  expect(names.join('\n')).toContain('/transcripts/2026-01-10-Stadte-Hauser-000001.txt');
});

it('are beside CSV files that Excel reads as UTF-8: each begins with a byte order mark', async () => {
  const files = (await pack.files()).filter((name) => name.endsWith('.csv'));
  expect(files.length).toBeGreaterThan(7);
  for (const name of files) {
    const bytes = await pack.read(name);
    expect([name, bytes.subarray(0, 3).toString('hex')]).toEqual([name, 'efbbbf']);
  }
});

it('find a file that was added, which the checksums do not see', async () => {
  const added = join(pack.directory, 'data/records/ extra ü.json');
  await writeFile(added, 'x\n');
  expect(await run('sha256sum -c')).toEqual({ code: 0, told: '' });
  expect(await run('find data')).toEqual({ code: 0, told: 'data/records/ extra ü.json\n' });
  expect((await pack.text('data/README.txt')).replaceAll(/\s+/g, ' ')).toContain(
    'The following line prints such files, and nothing if there are none. It looks only below data/: a file beside data/ is part of the pack only if tagmanifest-sha256.txt lists it, or if it is that file, its signature or a time stamp of it.',
  );
});

describe.skipIf(!has('openssl', 'version'))('verify the signature with the key in the pack', () => {
  const good = {
    code: 0,
    told: expect.stringContaining('Signature Verified Successfully') as string,
  };

  it('of a pack that was made for a search', async () => {
    expect(await run('openssl pkeyutl')).toMatchObject(good);
    const { told: computed } = await run('openssl pkey -pubin');
    expect(computed).toBe(`${publicKeyId}  -\n`);
    expect(await pack.text('data/README.txt')).toContain(`\n  ${publicKeyId}\n`);
  });

  it('also of a pack without words, and the command says so', async () => {
    const key = join(people.rig.directory, 'key.pem');
    const out = join(people.rig.directory, 'whole');
    const words = ['--out', out, '--user', 'ada', '--signing-key', key];
    const { stdout } = await cli(['evidence', people.rig.out, ...words]);
    expect(stdout).toContain(` signed with the key ${publicKeyId.slice(0, 16)}…`);
    expect(await run('openssl pkeyutl', undefined, new EvidencePack(out))).toMatchObject(good);
    expect(await bagProblems(out)).toEqual([]);
  });

  it('and find a transcript that was changed, though both manifests were made again', async () => {
    const forged = new EvidencePack(join(people.rig.directory, 'forged'));
    await cp(pack.directory, forged.directory, { recursive: true });
    const [transcript = ''] = (await forged.filesWith('Falcon?')).filter((path) =>
      path.includes('transcripts/'),
    );
    const path = join(forged.directory, transcript);
    await writeFile(path, (await readFile(path, 'utf8')).replace('Falcon', 'Condor'));
    const again = (manifest: string) =>
      `cut -c67- ${manifest} | tr '\\n' '\\0' | xargs -0 sha256sum > new && mv new ${manifest}`;
    const lines = ['manifest-sha256.txt', 'tagmanifest-sha256.txt'].map(again);
    await promisify(execFile)('sh', ['-ec', lines.join('\n')], { cwd: forged.directory });
    expect(await run('sha256sum -c', undefined, forged)).toEqual({ code: 0, told: '' });
    expect((await run('openssl pkeyutl', undefined, forged)).code).not.toBe(0);
  });
});

it.skipIf(!has('jq'))('compute the digest of a commit that is whole', async () => {
  const whole = (await pack.page('commits/chain')).filter(({ in_pack: kind }) => kind === 'whole');
  expect(whole.map(({ number }) => number)).toContain('3');
  for (const { number = '', digest, file = '' } of whole) {
    const name = file.replace(/^.*\/(\d+)\.json$/, '$1');
    const { told: computed } = await run('jq ', (line) =>
      line.replace(/commits\/\d+/, `commits/${name}`),
    );
    expect([number, computed]).toEqual([number, `${digest}  -\n`]);
    const { digest: written, ...content } = await pack.json(file);
    expect(written).toBe(digest);
    expect(content).not.toEqual({});
  }
});

it.skipIf(!has('jq') || !has('openssl', 'version'))(
  'verify the signature of a commit that is whole, and find a changed one',
  async () => {
    const readme = await pack.text('data/README.txt');
    const lines = /^ {2}(c=data[^]*?sig)$/m.exec(readme)?.[1] ?? 'exit 1';
    // as they stand: with a commit that is there, and the key that is there
    const check = () => promisify(execFile)('sh', ['-c', lines], { cwd: pack.directory });
    const before = await readdir(pack.directory, { recursive: true });
    expect((await check()).stdout).toContain('Signature Verified Successfully');
    expect(await readdir(pack.directory, { recursive: true })).toEqual(before);
    const path = join(pack.directory, /^c=(\S+);/.exec(lines)?.[1] ?? '');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace(/"created_at": ?"2/, '"created_at":"3'));
    await expect(check()).rejects.toThrow();
    await writeFile(path, text);
  },
);

it('are the only proof against an exchanged pack: the digest of the manifest of manifests', async () => {
  const bytes = await pack.read('tagmanifest-sha256.txt');
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(told);
});
