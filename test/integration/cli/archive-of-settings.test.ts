/** What reads takes the archive that the configuration names; what changes or deletes must name it itself. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { wordsOf } from '../../../src/cli/command.js';
import { COMMANDS } from '../../../src/cli/commands.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

let rig: ExportRig;
let directory: string;
let config: string;
beforeAll(async () => {
  rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 2 });
  await rig.archived();
  directory = await mkdtemp(join(tmpdir(), 'jobvault-of-settings-'));
  config = join(directory, 'night.yaml');
  await writeFile(config, `out: ${rig.out}\nredis: redis://127.0.0.1:1\n`);
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

it.each([
  ['verify'],
  ['status'],
  ['show'],
  ['files', '--checksums'],
  ['changes', '--since', '0'],
  ['query', '--views'],
  ['report', '--out', 'REPORT'],
  ['workbook', '--from', '2020', '--out', 'BOOK.xlsx'],
  ['evidence', '--out', 'PACK'],
  ['hold', 'list'],
  ['request', 'list'],
  ['gap', 'list'],
  ['prune', '--dry-run', '--keep', '1'],
  ['expire', '--dry-run', '--older-than', '30d'],
  ['erase', '--list'],
])('%s %s takes the archive of the configuration', async (...given) => {
  const words = given.map((word) => (/^[A-Z]{2}/.test(word) ? join(directory, word) : word));
  const { exitCode, stderr } = await cli([...words, '--config', config]);
  expect([exitCode, stderr.includes('no archive is named')]).toEqual([0, false]);
});

it('status takes an archive whose name begins like the flag of a queue for an archive', async () => {
  const { exitCode, stderr } = await cli(['status', '--', '--redis-archive']);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringMatching(/--redis-archive.*is not a jobvault archive/s),
  ]);
});

it('names it in what is proposed, and a word counts more than the configuration', async () => {
  const { stderr } = await cli(['show', '--config', config]);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    `To read one: jobvault show ${rig.out} --config ${config} SESSION`,
  );
  const other = await cli(['status', join(directory, 'none'), '--config', config]);
  expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining('none')]);
  const { location } = await cliJson<{ location: string }>(['status'], 0, {
    JOBVAULT_OUT: rig.out,
  });
  expect(location).toBe(rig.out);
});

it('a queue that a flag names is asked for its fleet, whatever the configuration says', async () => {
  const { exitCode, stderr } = await cli([
    ...['status', '--redis', 'redis://127.0.0.1:1', '--config', config],
  ]);
  expect([exitCode, stderr]).toEqual([5, expect.stringContaining('redis://127.0.0.1:1')]);
});

it.each([
  ['erase', '--user', 'ada', '--yes'],
  ['prune', '--all', '--yes'],
  ['prune', '--dry-run=no', '--all'],
  ['expire', '--older-than', '30d', '--yes'],
  ['compact'],
  ['hold', 'add', '--user', 'ada', '--reason', 'x'],
  ['gap', 'accept', '--user', 'ada', '--reason', 'x'],
])('%s %s wants its archive named', async (...words) => {
  const { exitCode, stderr } = await cli([...words, '--config', config]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('too few words')]);
});

it('a command takes the archive of the settings only if it reads, or records a reading', async () => {
  const commands = await Promise.all(COMMANDS.map(({ load }) => load()));
  const named = (how: string, changes: boolean) =>
    commands
      .filter(({ archiveOfSettings }) => archiveOfSettings === how)
      .filter(({ onlyReads }) => (onlyReads?.({}) !== true) === changes)
      .map((command) => wordsOf(command).join(' '));
  expect([named('always', true), named('or-queue', true)]).toEqual([['drill'], []]);
  expect(named('to-read', true).toSorted()).toEqual(['erase', 'expire', 'prune']);
  for (const { usage, archiveOfSettings } of commands) {
    const isOptional = usage.includes('[archive') && !usage.startsWith('tables');
    expect([usage, archiveOfSettings !== 'never']).toEqual([usage, isOptional]);
  }
});
