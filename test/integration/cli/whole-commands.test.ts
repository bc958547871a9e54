/** A printed command stays whole on a narrow terminal: half of one does something else where it is pasted. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { cli, cliJson, cliOnTerminal } from '../../support/programs/cli-in-process.js';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

const run = promisify(execFile);

it('the check that evidence prints on a terminal works as a shell gets it, line by line', async () => {
  await using rig = await ExportRig.start({ users: 1, sessions: 1, jobs: 1 });
  await rig.archived();
  const out = join(rig.directory, "Ada's pack");
  const words = ['evidence', rig.out, '--out', out, '--user', rig.state.userIds()[0] ?? ''];
  const { stdout, stderr, exitCode } = await cliOnTerminal(words);
  expect(exitCode, stderr).toBe(0);
  const [, line = ''] = /^To check it:\n(.*)$/m.exec(stdout) ?? [];
  expect(line).toMatch(/ manifest-sha256\.txt tagmanifest-sha256\.txt$/);
  await expect(run('sh', ['-c', line])).resolves.toEqual({ stdout: '', stderr: '' });
});

it('a command of a caveat is whole in JSON, too: of each archive, with its configuration', async () => {
  await using rig = await ExportRig.start({ users: 2, sessions: 1, jobs: 1 });
  await rig.archived();
  const [user = '', gone = ''] = rig.state.userIds();
  const config = join(rig.directory, 'jobvault.yaml');
  await writeFile(config, `base-url: ${rig.emulator.baseUrl}\n`);
  const why = ['--reason', 'asked', '--by', 'ana', '--yes'];
  const other = join(rig.directory, 'other');
  const users = [user, gone].flatMap((one) => ['--user', one]);
  await cli(['export', '--base-url', rig.emulator.baseUrl, '--out', other, ...users]);
  for (const one of [rig.out, other]) await cli(['erase', one, '--user', gone, ...why]);
  const list = (archive: string) => `jobvault erase ${archive} --config ${config} --list says`;
  interface Told {
    readonly caveats: readonly Caveat[];
  }
  const next = ({ caveats }: Told) => String(caveats.find(({ kind }) => kind === 'erasures')?.next);
  const json = async <T>(...words: string[]) => cliJson<T>([...words, '--config', config]);
  const sql = 'select 1 as one';
  for (const told of [
    await json<Told>('status', rig.out),
    await json<Told>('query', rig.out, sql),
    await json<Told>('search', rig.out, 'zebra'),
  ]) {
    expect(next(told)).toContain(list(rig.out));
  }
  const both = [
    await json<{ archives: Told[] }>('status', rig.out, other),
    await json<{ archives: Told[] }>('query', rig.out, other, sql),
  ];
  for (const { archives } of both) {
    expect(archives.map(next)).toEqual([
      expect.stringContaining(list(rig.out)),
      expect.stringContaining(list(other)),
    ]);
  }
  const { details } = await json<{ details: Told[] }>('status', rig.out, other, '--user', user);
  expect(details.map(next)).toEqual([
    expect.stringContaining(list(rig.out)),
    expect.stringContaining(list(other)),
  ]);
});
