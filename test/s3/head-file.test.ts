/** `--head-file` in a bucket: beside the archive, where its machine may not delete. */
import { expect, it } from 'vitest';
import { CliRig } from '../support/rigs/cli-rig.js';
import { onS3 } from '../support/base/place.js';
import { hasS3 } from '../support/store/s3-server.js';

onS3();

it.skipIf(!hasS3)(
  'each run notes the newest commit in the bucket, and the next compares',
  async () => {
    await using rig = await CliRig.start({ users: 1, sessions: 1, jobs: 1 });
    const words = rig.exportWords('--head-file', `${rig.out}-heads/head.json`);
    expect((await rig.run(words)).exitCode).toBe(0);
    const [user = ''] = rig.state.userIds();
    rig.state.addSession(user);
    expect((await rig.run(words)).exitCode).toBe(0);
    const elsewhere = words.map((word) => (word === rig.out ? `${rig.out}-2` : word));
    const other = await rig.run(elsewhere);
    expect([other.exitCode, other.stderr]).toEqual([
      4,
      expect.stringContaining('of an archive that is not there any more'),
    ]);
  },
);
