/** A user who could not be listed has one gap of one status: in the run that meets it, in status and in the list of gaps. */
import { expect, it } from 'vitest';
import { cliJson } from '../../support/programs/cli-in-process.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

type Status = Record<'gaps', Record<string, number>> & { readonly doubts: number };

it('the gap of a listing has the status of its run in status and in the list of gaps', async () => {
  await using rig = await ExportRig.start();
  const { state } = rig;
  for (const user of ['ann', 'bob', 'cid', 'dee']) {
    const session = state.addSession(user);
    state.addJob(user, session, oldJob(state.newJobId(Date.now() - 86_400_000)));
  }
  await rig.export();
  const listing = { operations: ['listSessions'] as const };
  const empty = JSON.stringify({ code: 0, data: { records: [], total_items: 0 } });
  rig.emulator.faults.api = [
    { ...listing, userId: 'ann', answer: { kind: 'error', status: 200, code: 300002 } },
    { ...listing, userId: 'bob', answer: { kind: 'error', status: 500 } },
    // its session can be read
    { ...listing, userId: 'cid', answer: { kind: 'body', status: 200, body: empty } },
  ];
  const users = [...state.userIds(), 'nobody'];
  const { gaps } = await rig.export({ users, expectedUsers: users });
  const ofRun = Object.fromEntries(gaps.map(({ user, status }) => [user, status]));
  expect(ofRun).toEqual({
    ann: 'refused',
    bob: 'failed',
    cid: 'incomplete',
    nobody: 'incomplete',
  });
  const { gaps: listed } = await cliJson<{ gaps: { user_id: string; status: string }[] }>([
    ...['gap', 'list', rig.out],
  ]);
  expect(Object.fromEntries(listed.map((gap) => [gap.user_id, gap.status]))).toEqual(ofRun);
  const { gaps: counted, doubts } = await cliJson<Status>(['status', rig.out]);
  expect([counted, doubts]).toEqual([{ failed: 1, incomplete: 2, refused: 1 }, 0]);
});

it('a list from a cache is a doubt for status and the list of gaps, too', async () => {
  await using rig = await ExportRig.start();
  const session = rig.state.addSession('ann');
  rig.state.addJob('ann', session, oldJob(rig.state.newJobId(Date.now() - 86_400_000)));
  rig.emulator.faults.api = [
    {
      operations: ['listSessions'],
      answer: {
        kind: 'body',
        status: 200,
        body: JSON.stringify({
          code: 0,
          data: { page_number: 1, page_size: 100, total_items: 1, records: [{ id: session }] },
        }),
        headers: { age: '99' },
      },
    },
  ];
  const { gaps } = await rig.export();
  expect(gaps).toMatchObject([{ user: 'ann', session: null, status: 'doubtful' }]);
  const { gaps: listed } = await cliJson<{ gaps: object[] }>(['gap', 'list', rig.out]);
  expect(listed).toMatchObject([{ user_id: 'ann', status: 'doubtful' }]);
  const { gaps: counted, doubts } = await cliJson<Status>(['status', rig.out]);
  expect([counted, doubts]).toEqual([{}, 1]);
});
