/** Sizes that no bucket takes in one request: the command ends before it asks the store or the service for anything. */
import { afterEach, expect, it, vi } from 'vitest';
import { scriptedApi } from '../../support/http/scripted-api.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { compacted } from '../../support/rigs/compact-rig.js';
import { archiveOfThree } from '../../support/store/begun-erasure.js';

afterEach(() => void vi.unstubAllEnvs());

it.each(['--max-file-size', '--checkpoint-size'])(
  'an export to a bucket with %s beyond 5 GiB is refused before anything is asked for',
  async (flag) => {
    await using other = await scriptedApi(() => ({ status: 500 }));
    vi.stubEnv('JOBVAULT_API_KEY', 'key');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    const place = ['--out', 's3://bucket/archive', '--s3-endpoint', other.url];
    const service = ['--base-url', other.url, '--user', 'ana'];
    const { exitCode, stderr } = await cli(['export', ...place, ...service, flag, '6GiB']);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining(`${flag} is 6.4 GB; allowed in s3://bucket/archive is at most 5GiB`),
    ]);
    expect(other.seen).toEqual([]);
  },
);

it('a compaction to larger files than the storage takes changes nothing', async () => {
  const { archive } = await archiveOfThree();
  const bounded = { ...archive, storage: { ...archive.storage, maxObjectBytes: 100 } };
  await expect(compacted(bounded, { targetBytes: 101 })).rejects.toThrow('--target-size is 101 B');
  expect((await compacted(bounded, { targetBytes: 100 })).commits).toEqual([]);
});
