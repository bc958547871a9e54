import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CliRig } from '../support/rigs/cli-rig.js';

const KEY = 'demo-key';

it('what cannot be archived is named, gives exit code 3, and is filled by a later export', async () => {
  await using rig = await CliRig.start({ users: 1, sessions: 1, jobs: 9, gaps: true });
  const summary = await rig.export({ exitCode: 3 });
  expect(summary.status).toBe('gaps');
  expect(summary).toMatchObject({ exit_code: 3, next: expect.stringContaining('--retry-gaps') });
  expect(summary.jobs.archived).toBe(9);
  const told = summary.gaps.map(({ status }) => status);
  expect([...told].sort()).toEqual(['missing', 'rejected', 'unresolved']);
  expect(summary.artifacts).toMatchObject({ missing: 1, rejected: 1, unresolved: 1, failed: 0 });
  const commit = JSON.parse(
    await readFile(join(rig.out, '_commits/000000000001.json'), 'utf8'),
  ) as { sessions: { user: string; session: string; gaps: object[] }[] };
  const recorded = commit.sessions.flatMap(({ user, session, gaps }) =>
    gaps.map((gap) => ({ user, session, ...gap })),
  );
  expect(recorded).toEqual(summary.gaps);
  const rows = await rig.select(
    'artifacts',
    'job_id, block_index, status, reason',
    "WHERE status <> 'stored'",
  );
  expect(rows).toHaveLength(3);
  for (const { job, block_index, status, reason } of summary.gaps) {
    expect(rows).toContainEqual({ job_id: job, block_index, status, reason });
  }

  const missing = summary.gaps.find(({ status }) => status === 'missing')!;
  rig.state.putFile('gone.csv', 'region,total\nNorth,7\n');
  const later = await rig.export({ exitCode: 3 });
  expect(later.gaps.map(({ status }) => status).sort()).toEqual(['rejected', 'unresolved']);
  expect(later.jobs.archived).toBe(1);
  const versions = await rig.select(
    'artifacts',
    'job_version, status, row_count',
    `WHERE job_id = '${missing.job}' AND block_index = ${missing.block_index} ORDER BY job_version`,
  );
  expect(versions).toEqual([
    { job_version: 1, status: 'missing', row_count: null },
    { job_version: 2, status: 'stored', row_count: 1n },
  ]);
  const words = await rig.run(rig.exportWords());
  expect(words.exitCode).toBe(3);
  expect(words.stdout).toMatch(/^Finished with gaps after /);
  expect(words.stdout).toMatch(/\nNext: jobvault export --retry-gaps, [^\n]+\n$/);
  expect(words.stdout).toContain('--storage-base-url is not set');
  expect((await rig.run(['verify', rig.out])).exitCode).toBe(0);
});

it.each([300002, 1003] as const)(
  'a refused user (%d) is named while others are archived; an error only if all are refused',
  async (code) => {
    await using rig = await CliRig.start({ users: 2, sessions: 1, jobs: 2 });
    const [refused = '', other = ''] = rig.state.userIds();
    rig.emulator.faults.refusedUsers = { [refused]: code };
    const summary = await rig.export({ exitCode: 3 });
    expect(summary.users).toMatchObject({ total: 2, complete: 1, failed: 1 });
    expect(summary.gaps).toMatchObject([{ user: refused, session: null, status: 'refused' }]);
    expect(await rig.select('sessions', 'user_id')).toEqual([{ user_id: other }]);
    rig.emulator.faults.refusedUsers = { [refused]: code, [other]: code };
    expect((await rig.export({ exitCode: 6 })).users.failed).toBe(2);
  },
);

it('an export whose key expires keeps what was ready and ends with exit code 6', async () => {
  await using rig = await CliRig.start({ users: 1, sessions: 6, jobs: 3 });
  rig.emulator.faults.beforeRequest = ({ operation, nth }) => {
    if (operation === 'getHistory' && nth === 4) rig.state.keys.expire(KEY);
  };
  const end = await rig.runProgram(rig.exportWords('--concurrency', '1', '--json'));
  expect(end.exitCode).toBe(6);
  expect(JSON.parse(end.stdout)).toMatchObject({ status: 'failed' });
  expect(end.stderr).toContain('jobvault: ');
  expect(end.stderr).not.toMatch(/\n {4}at /);
  rig.state.keys.setProject(KEY, rig.state.project);
  await rig.export();
  expect(await rig.countOf('jobs')).toBe(rig.state.totals().jobs);
  expect((await rig.run(['verify', rig.out])).exitCode).toBe(0);
});
