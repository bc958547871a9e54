/** A service that puts a parameter which nobody knows, and which changes with every read, into each file URL. */
import { expect, it } from 'vitest';
import type { PruneSummary } from '../../src/prune/prune-summary.js';
import { CliRig } from '../support/rigs/cli-rig.js';

const DAYS_2 = 2 * 86_400_000;

it('nothing is written twice, dead URLs are found again, and what is provable is deleted', async () => {
  await using rig = await CliRig.start({ users: 0 });
  const { emulator, state } = rig;
  emulator.faults.changingUrlParameter = 'auth_key';
  const keys = ['a.csv', 'b.csv', 'get?id=1', 'get?id=2'];
  for (const key of keys) state.putFile(key, `name\n${key}\n`);
  const tables = keys.map((key) => ({
    type: 'TABLE',
    content: { name: key, url: `{{url:${key}}}`, expires_at: '{{expires_at}}' },
    stage: 'Analyze',
  }));
  const blocks = [...tables, { type: 'MESSAGE', content: 'Four tables.', stage: 'Respond' }];
  const job = { job_id: state.newJobId(Date.now() - DAYS_2), question: { blocks: [] } };
  state.addSession('ann', { id: 's', name: 'Sales' }, [{ ...job, answer: { blocks } }]);
  // the first two URLs that the page hands out are dead before they are used
  emulator.faults.files = [{ first: 2, answer: { kind: 'status', status: 403 } }];

  const first = await rig.export();
  expect(first).toMatchObject({ status: 'complete', artifacts: { stored: 4, expired: 0 } });
  const hashes = await rig.select('artifacts', 'sha256');
  expect(new Set(hashes.map(({ sha256 }) => sha256)).size).toBe(4);
  const written = await rig.files('tables');

  for (const words of [[], ['--full']]) {
    expect(await rig.export({ words })).toMatchObject({
      status: 'complete',
      jobs: { archived: 0 },
    });
  }
  expect(await rig.files('tables')).toEqual(written);

  const service = ['--base-url', emulator.baseUrl, '--rate', '1000'];
  const pruned = await rig.runProgram(['prune', rig.out, ...service, '--all', '--yes', '--json']);
  expect([pruned.exitCode, pruned.stderr]).toEqual([0, expect.not.stringContaining('error')]);
  const { deletions } = JSON.parse(pruned.stdout) as PruneSummary;
  expect(deletions).toMatchObject({ deleted: 1, refused: 0 });
  expect(state.sessionIds('ann')).toEqual([]);
  expect((await rig.run(['verify', rig.out])).exitCode).toBe(0);
});
