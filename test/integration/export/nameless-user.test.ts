/** A process whose user has a number and no name, as in a container with `runAsUser: 10001`. */
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SpoolDirectory } from '../../../src/storage/s3/spool-directory.js';
import { systemProcesses } from '../../../src/base/process-identity.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';

vi.mock('node:os', async (original) => ({
  ...(await original<object>()),
  userInfo: () => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  },
}));

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.addSession('ann', 'a1');
  await rig.rig.export();
});
afterEach(() => rig[Symbol.asyncDispose]());

it('is asked who wants a hold', async () => {
  const words = ['hold', 'add', rig.out, '--user', 'ann', '--reason', 'x'];
  const { exitCode, stderr } = await cli(words);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('no login name; give --by')]);
  expect((await cli([...words, '--by', 'Grace'])).exitCode).toBe(0);
});

it('has a folder for uploads to a bucket', () => {
  const { directory } = new SpoolDirectory(systemProcesses, tmpdir());
  expect(directory).toContain(`jobvault-spool-${process.getuid?.() ?? -1}`);
});
