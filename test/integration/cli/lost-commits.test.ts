/** A log that lacks a commit: whoever looks is told, also where a snapshot has what the commit had. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOrOpenArchive } from '../../../src/archive/open-archive.js';
import { openStorage } from '../../../src/storage/open-storage.js';
import { commitNumberOf, commitPath } from '../../../src/archive/paths.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

let rig: ExportRig;
let config: string;
let newest: number;

beforeEach(async () => {
  rig = await ExportRig.start({ users: 3, sessions: 2, jobs: 1 });
  const users = join(rig.directory, 'users.txt');
  await writeFile(users, rig.state.userIds().join('\n'));
  config = join(rig.directory, 'jobvault.config.yaml');
  const settings = {
    'base-url': rig.emulator.baseUrl,
    'users-file': users,
    out: rig.out,
    'metrics-dir': rig.directory,
    rate: 1000,
  };
  await writeFile(config, JSON.stringify(settings));
  for (let nights = 0; nights < 4; nights++) expect((await run('export')).exitCode).toBe(0);
  const numbers = (await readdir(join(rig.out, '_commits'))).map((name) =>
    commitNumberOf(`_commits/${name}`),
  );
  newest = Math.max(...numbers.map((number) => number ?? 0));
});
afterEach(() => rig[Symbol.asyncDispose]());

const run = (...words: string[]) => cli([...words, '--config', config, '--log-level', 'error']);
const line = (text: string, name: string) =>
  text
    .replaceAll(/\n {3,}/g, ' ')
    .split('\n')
    .find((one) => one.startsWith(`  ${name} `)) ?? '';
const lose = (number: number) => rm(join(rig.out, commitPath(number)));
const missing = (number: number) => `${commitPath(number)} is missing from the log`;

describe('of a commit in the middle', () => {
  beforeEach(() => lose(2));

  it('status says first that it is lost, and is no success', async () => {
    const { exitCode, stdout, stderr } = await run('status');
    expect([exitCode, line(stdout, 'DAMAGED')]).toEqual([4, expect.stringContaining(missing(2))]);
    expect(stderr).toContain(`jobvault: ${missing(2)}\nNext: jobvault verify `);
    expect(line(stdout, 'last export')).toMatch(/: all 3 users read, no gaps$/);
    const { stdout: json } = await run('status', '--json');
    expect(JSON.parse(json)).toMatchObject({
      lost_commit: { path: commitPath(2), detail: 'is missing from the log' },
    });
    const other = join(rig.directory, 'other');
    const settings = { baseUrl: rig.emulator.baseUrl, project: null, formats: undefined };
    await createOrOpenArchive(await openStorage(other), settings);
    const several = await run('status', rig.out, other);
    expect([several.exitCode, several.stdout]).toEqual([
      4,
      expect.stringContaining(`DAMAGED: ${missing(2)}`),
    ]);
  });

  it('status tells of the night that failed because of it, though that has saved what it read', async () => {
    expect((await run('export')).exitCode).toBe(4);
    const { stdout } = await run('status');
    expect(line(stdout, 'failed export')).toMatch(
      /: ended with exit code 4, integrity, after it had saved what it read; its log says why$/,
    );
  });

  it('the doctor says what the export says', async () => {
    const { exitCode, stdout } = await run('doctor');
    expect([exitCode, stdout]).toEqual([4, expect.stringMatching(`FAIL +archive +${missing(2)}`)]);
    expect(stdout).toContain('Not ready');
    const exported = await run('export');
    expect([exported.exitCode, exported.stderr]).toEqual([4, expect.stringContaining(missing(2))]);
  });
});

it('the doctor and status say what the export says where the end of the log is lost', async () => {
  await lose(newest);
  await lose(newest - 1);
  const told = expect.stringContaining(missing(newest - 1)) as string;
  const { exitCode, stdout } = await run('doctor');
  expect([exitCode, stdout]).toEqual([4, told]);
  const status = await run('status');
  expect([status.exitCode, status.stderr]).toEqual([4, told]);
  const exported = await run('export');
  expect([exported.exitCode, exported.stderr]).toEqual([4, told]);
});
