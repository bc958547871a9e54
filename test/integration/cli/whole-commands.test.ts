/** A printed command stays whole on a narrow terminal: half of one does something else where it is pasted. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { cliOnTerminal } from '../../support/programs/cli-in-process.js';
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
