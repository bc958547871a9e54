/** A conversation that a budget has left unread, and that the service has no more: nobody can read it on. */
import { expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

interface Listed {
  readonly gaps: readonly { readonly session_id: string | null; readonly reason: string }[];
}

it('what is gone before its history was read to the end is a gap until somebody accepts it', async () => {
  await using rig = await ExportRig.start({ users: 1, sessions: 3, jobs: 30, exactJobs: true });
  const [user = ''] = rig.state.userIds();
  const listed = () => cliJson<Listed>(['gap', 'list', rig.out]);
  const left = await rig.export({ maxRequests: 10, pageSize: 10, concurrency: 1 });
  expect(left).toMatchObject({ gaps: [], left_gaps: 2 });
  const ofSession = (await listed()).gaps.filter(({ session_id: session }) => session !== null);
  expect(ofSession).toHaveLength(1);
  const session = ofSession[0]?.session_id ?? '';
  rig.state.deleteSession(user, session);
  const reason = 'it is no longer at the service, and its history was not read to the end';
  for (const known of [undefined, true]) {
    const { gaps, left_gaps: more } = await rig.export();
    expect(gaps).toMatchObject([{ session, status: 'incomplete', is_absent: true, reason }]);
    expect([gaps[0]?.known, more]).toEqual([known, 0]);
  }
  expect((await listed()).gaps).toMatchObject([{ session_id: session, reason }]);
  const why = ['--reason', 'nobody can read it on', '--by', 'Ada Lovelace'];
  const accepted = await cli(['gap', 'accept', rig.out, '--session', session, ...why]);
  expect([accepted.exitCode, accepted.stdout]).toEqual([
    0,
    expect.stringContaining('Accepted 1 gap'),
  ]);
  const after = await rig.export();
  expect(after).toMatchObject({
    gaps: [{ session, accepted: true, accepted_by: 'Ada Lovelace' }],
    left_gaps: 0,
  });
  const { stdout } = await cli(['status', rig.out]);
  expect(stdout).toMatch(/not complete, by decision/);
});
