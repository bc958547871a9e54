/** `status` and `query` over an archive in a bucket and one on a disk. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli, cliJson } from '../support/programs/cli-in-process.js';
import { ExportRig } from '../support/rigs/export-rig.js';
import { onS3 } from '../support/base/place.js';
import { hasS3 } from '../support/store/s3-server.js';

onS3();

it.skipIf(!hasS3)('a prefix of a bucket and a directory are read as one archive', async () => {
  await using rig = await ExportRig.start({
    users: 2,
    sessions: 1,
    jobs: 2,
    exactJobs: true,
    artifactsPerJob: 0,
  });
  const places = [rig.out, join(rig.directory, 'archive-2')];
  for (const [at, out] of places.entries()) {
    await rig.export({ out, users: rig.state.userIds().slice(at, at + 1) });
  }
  const sql = 'SELECT archive, count(*) AS n FROM current_jobs GROUP BY ALL ORDER BY ALL';
  const { rows } = await cliJson<{ rows: unknown[] }>(['query', ...places, sql]);
  expect(rows).toEqual(places.toSorted().map((archive) => ({ archive, n: 2 })));
  const refused = await cli(['query', ...places, sql, '--max-fetch', '10B']);
  expect(refused.stderr).toContain(`of ${rig.out}; allowed is --max-fetch 10 B`);
  const missing = await cli(['status', ...places, `${rig.out}-4`]);
  expect(missing).toMatchObject({ exitCode: 2 });
  expect(missing.stdout).toMatch(/^ {2}users +2: 2 complete$/m);
  expect(missing.stdout).toContain(
    `${rig.out}-4 is not a jobvault archive: nothing is there, so nothing has been exported to it yet`,
  );
});
