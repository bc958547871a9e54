/** Rows for people come first; what qualifies them needs more of the log, and is looked for afterwards. */
import { expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

it('prints rows before it reads who was listed, and JSON only when all is read', async () => {
  await using rig = await ExportRig.start({ users: 1, sessions: 1, jobs: 2 });
  await rig.archived();
  const listings = (await rig.files('_commits')).filter((path) => path.includes('.users.'));
  for (const path of listings) await rig.place.write(path, 'damaged');
  const ask = async (...more: string[]) => {
    const run = await cli(['query', rig.out, 'SELECT count(*) AS jobs FROM jobs', ...more]);
    return [run.exitCode, /jobs"?\n2|"jobs":/.test(run.stdout), run.stderr.includes('.users.')];
  };
  expect(listings).not.toEqual([]);
  expect(await ask('--output', 'csv')).toEqual([4, true, true]);
  expect(await ask('--json')).toEqual([4, false, true]);
});
