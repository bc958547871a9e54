/** `--head-file`: the next run tells that the log was cut, or put back, from what the last one has noted elsewhere. */
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliRig } from '../../support/rigs/cli-rig.js';

let rig: CliRig;
let file: string;
beforeEach(async () => {
  rig = await CliRig.start({ users: 1, sessions: 1, jobs: 1 });
  file = join(rig.directory, 'head.json');
});
afterEach(() => rig[Symbol.asyncDispose]());

const noted = async () =>
  JSON.parse(await readFile(file, 'utf8')) as { archive: string; commit: number; sha256: string };

async function night(): Promise<{ exitCode: number; stderr: string }> {
  const [user = ''] = rig.state.userIds();
  rig.state.addSession(user);
  return rig.run(rig.exportWords('--head-file', file));
}

it('each run notes the newest commit, as status shows it', async () => {
  expect((await night()).exitCode).toBe(0);
  const first = await noted();
  expect((await night()).exitCode).toBe(0);
  const second = await noted();
  expect(second.commit).toBeGreaterThan(first.commit);
  const { stdout } = await rig.run(['status', rig.out, '--json']);
  expect(stdout).toContain(second.sha256);
  const head = `${second.commit}:${second.sha256}`;
  expect((await rig.run(['verify', rig.out, '--expect-head', head])).exitCode).toBe(0);
  // nothing else was left beside it
  expect((await readdir(rig.directory)).filter((name) => name.startsWith('_'))).toEqual([]);
});

it('a log that lost its newest commit ends the next run with 4, before anything is written', async () => {
  await night();
  await night();
  const { commit } = await noted();
  const commits = join(rig.out, '_commits');
  await cut();
  const before = await readdir(commits);
  const { exitCode, stderr } = await night();
  expect(exitCode).toBe(4);
  expect(stderr).toContain(`${file} names commit ${commit}, and the newest of the log is`);
  expect(stderr).toContain('the log was cut, or an earlier state was put back');
  expect(await readdir(commits)).toEqual(before);
});

it('verify and doctor compare the log with the head that is kept elsewhere, too', async () => {
  await night();
  await night();
  const [user = ''] = rig.state.userIds();
  const place = ['--base-url', rig.emulator.baseUrl, '--out', rig.out, '--user', user];
  const doctor = () => rig.run(['doctor', ...place, '--head-file', file]);
  const verify = (...more: string[]) => rig.run(['verify', rig.out, '--head-file', file, ...more]);
  expect((await doctor()).stdout).toContain(`ok    head          the log has the commit that`);
  expect((await verify()).stdout).toMatch(
    /^ {2}expected head +found: commit \d+ has this digest$/m,
  );
  const { commit } = await noted();
  await cut();
  const asked = await doctor();
  expect(asked.exitCode).toBe(4);
  expect(asked.stdout).toContain(`FAIL  head          ${file} names commit ${commit}`);
  expect(asked.stdout).toContain('Not ready');
  const checked = await verify();
  expect(checked.exitCode).toBe(4);
  expect(checked.stdout).toMatch(/^ {2}expected head +NOT FOUND: see below$/m);
  // the program wrote that note: nobody has mistyped it
  expect(checked.stdout).toContain('Next: restore the archive from a copy that has that commit');
  expect(checked.stdout + checked.stderr).not.toContain('character by character');
  const nightly = await verify('--within', '30d');
  expect(nightly.exitCode).toBe(4);
  expect(nightly.stderr).toContain(`${file} names commit ${commit}`);
});

it('doctor does not take a file that is not there for a head that the log has', async () => {
  await night();
  const [user = ''] = rig.state.userIds();
  const place = ['--base-url', rig.emulator.baseUrl, '--out', rig.out, '--user', user];
  await rm(file);
  const { exitCode, stdout } = await rig.run(['doctor', ...place, '--head-file', file]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain(
    `?     head          ${file} does not exist yet; the next run writes it`,
  );
  expect(stdout).not.toContain('the log has the commit that');
});

it('verify says that it compared nothing where the file has no head of the archive', async () => {
  await night();
  const verify = (...words: string[]) => rig.run(['verify', rig.out, ...words]);
  const said = `${file} (--head-file) has no head of this archive: the log is not compared with one`;
  expect((await verify('--head-file', file)).stderr).not.toContain('--head-file');
  const head = await noted();
  await writeFile(file, JSON.stringify({ ...head, archive: '01KBD3N5Q8RZ4T6V7W9XAYBCDE' }));
  expect((await verify('--head-file', file)).stderr).toContain(said);
  await rm(file);
  expect((await verify('--head-file', file)).stderr).toContain(said);
  // what a configuration names is for the archive beside it
  const config = join(rig.directory, 'jobvault.config.yaml');
  await writeFile(config, `out: ${join(rig.directory, 'other')}\nhead-file: ${file}\n`);
  expect((await verify('--config', config)).stderr).not.toContain('--head-file');
});

/** Removes the newest commit, and what could tell of it. */
async function cut(): Promise<void> {
  const { commit } = await noted();
  const commits = join(rig.out, '_commits');
  const lost = (await readdir(commits)).filter((name) => Number(name.split('.')[0]) >= commit);
  for (const name of [...lost, '../_snapshots', '../_laps']) {
    await rm(join(commits, name), { recursive: true, force: true });
  }
}

describe('every command that commits', () => {
  const reason = ['--reason', 'Matter 7', '--by', 'Dana'];
  const words = (): Readonly<Record<string, string[]>> => ({
    'hold add': ['hold', 'add', rig.out, '--user', rig.state.userIds()[0] ?? '', ...reason],
    'request new': ['request', 'new', rig.out, 'Matter 7', ...reason],
    expire: ['expire', rig.out, '--min-retention', '6y', ...reason],
    erase: ['erase', rig.out, '--user', rig.state.userIds()[0] ?? '', '--yes'],
    compact: ['compact', rig.out],
    drill: ['drill', rig.out],
  });

  it.each(['hold add', 'request new', 'expire', 'erase', 'drill'])(
    '%s notes the newest commit',
    async (name) => {
      await night();
      const { commit } = await noted();
      const { exitCode } = await rig.run([...(words()[name] ?? []), '--head-file', file]);
      expect(exitCode).toBe(0);
      expect((await noted()).commit).toBeGreaterThan(commit);
    },
  );

  it.each(['hold add', 'request new', 'expire', 'erase', 'compact'])(
    '%s changes nothing where the log was cut, and says what to do',
    async (name) => {
      await night();
      await night();
      await cut();
      const before = await readdir(join(rig.out, '_commits'));
      const given = [...(words()[name] ?? []), '--head-file', file];
      const { exitCode, stderr } = await rig.run(given);
      expect([exitCode, stderr]).toEqual([4, expect.stringContaining('the log was cut')]);
      expect(stderr).toContain('restore the archive from a copy');
      expect(await readdir(join(rig.out, '_commits'))).toEqual(before);
    },
  );

  it('compares in a dry run, too, and notes nothing there', async () => {
    await night();
    await night();
    await cut();
    const before = await noted();
    const dry = await rig.run(rig.exportWords('--head-file', file, '--dry-run'));
    expect([dry.exitCode, dry.stderr]).toEqual([4, expect.stringContaining('the log was cut')]);
    expect(await noted()).toEqual(before);
  });

  it('leaves the head of a configuration alone where it works on another archive', async () => {
    await night();
    const other = join(rig.directory, 'other');
    await rig.run(rig.exportWords().map((word) => (word === rig.out ? other : word)));
    const config = join(rig.directory, 'jobvault.config.yaml');
    await writeFile(config, `out: ${rig.out}\nhead-file: ${file}\n`);
    const before = await noted();
    const [user = ''] = rig.state.userIds();
    const hold = ['--user', user, ...reason, '--config', config];
    expect((await rig.run(['hold', 'add', other, ...hold])).exitCode).toBe(0);
    expect(await noted()).toEqual(before);
    const elsewhere = rig.exportWords('--config', config, '--full');
    const into = elsewhere.map((word) => (word === rig.out ? other : word));
    expect(await rig.run(into)).toMatchObject({ exitCode: 0 });
    expect(await noted()).toEqual(before);
    expect((await rig.run(['hold', 'add', rig.out, ...hold])).exitCode).toBe(0);
    expect((await noted()).commit).toBeGreaterThan(before.commit);
  });
});

it('an archive that was put back whole is told, until somebody says that it was on purpose', async () => {
  await night();
  const copy = join(rig.directory, 'copy');
  await cp(rig.out, copy, { recursive: true });
  await night();
  await rm(rig.out, { recursive: true });
  await cp(copy, rig.out, { recursive: true });
  expect((await night()).exitCode).toBe(4);
  // without the file nothing shows it
  await rm(file);
  expect((await night()).exitCode).toBe(0);
  expect((await noted()).commit).toBeGreaterThan(1);
});

it('a commit that another one has replaced is told', async () => {
  await night();
  await writeFile(file, JSON.stringify({ ...(await noted()), sha256: 'a'.repeat(64) }));
  const { exitCode, stderr } = await night();
  expect([exitCode, stderr]).toEqual([4, expect.stringContaining('names another commit')]);
});

it('an archive that is not there any more is no new one', async () => {
  await night();
  await rm(rig.out, { recursive: true });
  const { exitCode, stderr } = await night();
  expect([exitCode, stderr]).toEqual([
    4,
    expect.stringContaining('of an archive that is not there any more'),
  ]);
});

it.skipIf(process.platform !== 'linux')(
  'a head that cannot be noted is told with exit code 3; what was archived stays',
  async () => {
    // where nobody can write, not even root
    const { exitCode, stderr } = await rig.run(rig.exportWords('--head-file', '/proc/head.json'));
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('cannot write head.json')]);
    expect(stderr).toContain('the newest commit is not noted in /proc/head.json (--head-file)');
    expect((await rig.run(['verify', rig.out])).exitCode).toBe(0);
    expect((await night()).exitCode).toBe(0);
  },
);

it('an erasure, which redacts commits before it, is no other log', async () => {
  await night();
  await rig.run(['erase', rig.out, '--user', rig.state.userIds()[0] ?? '', '--yes']);
  expect((await night()).exitCode).toBe(0);
});

it('a file of another archive, one that is no head, and one in the archive are refused', async () => {
  await night();
  const head = await noted();
  const refusal = async (words: readonly string[]) => {
    const { exitCode, stderr } = await rig.run(rig.exportWords(...words));
    return [exitCode, stderr.split('\n')[0]];
  };
  await writeFile(file, JSON.stringify({ ...head, archive: '01KBD3N5Q8RZ4T6V7W9XAYBCDE' }));
  expect(await refusal(['--head-file', file])).toEqual([
    2,
    `jobvault: --head-file ${file} is of the archive 01KBD3N5Q8RZ4T6V7W9XAYBCDE, and this one is ${head.archive}; give each archive a file of its own`,
  ]);
  await writeFile(file, 'hello\n');
  expect((await refusal(['--head-file', file]))[1]).toContain('is no head of a log');
  const inside = join(rig.out, 'head.json');
  expect((await refusal(['--head-file', inside]))[1]).toContain('is inside the archive');
  expect((await refusal(['--head-file', 's3://bucket']))[0]).toBe(2);
});
