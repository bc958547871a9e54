/** The list of checksums, checked by the program that others use for it. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { manifestOf, commitNumberOf, isContent } from '../../../src/archive/paths.js';
import { openArchive, type ObjectChecksum } from '../../../src/index.js';
import { CliRig } from '../../support/rigs/cli-rig.js';

let rig: CliRig;
beforeEach(async () => {
  rig = await CliRig.start({ users: 2, sessions: 2, jobs: 3 });
  await rig.export({ words: ['--format', 'parquet,jsonl,xlsx'], exitCode: 0 });
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
});

/** What `sha256sum --check` says of the archive; rejects where a line does not hold. */
async function sha256sum(list: string): Promise<string[]> {
  const file = join(rig.directory, 'archive.sha256');
  await writeFile(file, list);
  const { stdout } = await promisify(execFile)('sha256sum', ['--check', '--strict', file], {
    cwd: await rig.place.local(''),
  });
  return stdout.trim().split('\n');
}

async function checksums(): Promise<string> {
  const end = await rig.run(['files', rig.out, '--checksums']);
  expect(end).toMatchObject({ exitCode: 0, stderr: '' });
  return end.stdout;
}

/** Every object but housekeeping, without the help of the log. */
async function objects(): Promise<string[]> {
  const all = await rig.files();
  return all.filter(
    (path) =>
      path === 'jobvault.json' ||
      isContent(path) ||
      commitNumberOf(path) !== undefined ||
      manifestOf(path) !== undefined,
  );
}

it('sha256sum finds every object of an archive in the list, and finds each of them whole', async () => {
  const there = await objects();
  for (const kind of ['tables/', 'artifacts/', '_commits/']) {
    expect(there.some((path) => path.startsWith(kind))).toBe(true);
  }
  expect(await sha256sum(await checksums())).toEqual(there.sort().map((path) => `${path}: OK`));
});

it('after a second run, a compaction and an erasure the list has exactly what is left', async () => {
  const [user = ''] = rig.state.userIds();
  const before = await checksums();
  await rig.export({ words: ['--full'] });
  expect((await rig.run(['compact', rig.out])).exitCode).toBe(0);
  expect((await rig.run(['erase', rig.out, '--user', user, '--yes'])).exitCode).toBe(0);
  const list = await checksums();
  expect(list).not.toBe(before);
  expect(await sha256sum(list)).toEqual((await objects()).sort().map((path) => `${path}: OK`));
});

it('sha256sum finds the one bit that differs, in content and in the log', async () => {
  const list = await checksums();
  const paths = await objects();
  for (const prefix of ['artifacts/', '_commits/', 'jobvault.json']) {
    const path = paths.find((one) => one.startsWith(prefix)) ?? '';
    const bytes = await rig.place.read(path);
    const last = bytes.at(-1) ?? 0;
    await rig.place.write(path, Buffer.concat([bytes.subarray(0, -1), Buffer.of(last ^ 1)]));
    await expect(sha256sum(list)).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`${path}: FAILED`) as string,
    });
    await rig.place.write(path, bytes);
  }
});

it('as JSON the list is one line, and the library has the same', async () => {
  const list = await checksums();
  await using archive = await openArchive(rig.out);
  const sums: ObjectChecksum[] = [];
  for await (const sum of archive.checksums()) sums.push(sum);
  expect(sums.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join('')).toBe(list);
  const { stdout } = await rig.run(['files', rig.out, '--checksums', '--json']);
  expect(JSON.parse(stdout)).toEqual({ location: rig.out, objects: sums });
});

it.each([
  [['--checksums', 'jobs'], '--checksums is about the whole archive; leave out the table'],
  [[], 'name a table (sessions, jobs,'],
])('files with %j is refused, and says what to leave out or to add', async (words, told) => {
  const end = await rig.run(['files', rig.out, ...words]);
  expect(end).toMatchObject({ exitCode: 2, stdout: '' });
  expect(end.stderr).toContain(told);
});
