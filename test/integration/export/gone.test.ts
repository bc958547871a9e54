/** What a run does about sessions that the service has no longer, and one that looks only at gaps. */
import { expect, it } from 'vitest';
import { planExport } from '../../../src/export/plan-export.js';
import { asUserId } from '../../../src/model/ids.js';
import { session as sessionEntry } from '../../support/store/archive-samples.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { fault } from '../../support/base/fault.js';

const OTHER =
  /^the service lists none of the \d archived conversations of \d users?: is this the API key of another project\? Nothing was archived$/;

function fill(rig: ExportRig, user: string, sessions: number, files: string[] = []): string[] {
  return Array.from({ length: sessions }, () => {
    const session = rig.state.addSession(user);
    rig.state.addJob(user, session, oldJob(rig.state.newJobId(Date.now() - 86_400_000), files));
    return session;
  });
}

async function goneOf(rig: ExportRig, user: string): Promise<string[]> {
  const { sessions } = await (await rig.open()).states.load(asUserId(user));
  return [...sessions].flatMap(([id, { goneAt }]) => (goneAt === null ? [] : [String(id)]));
}

it('marks a session that is listed no more, once, and keeps its rows', async () => {
  await using rig = await ExportRig.start();
  const [first = ''] = fill(rig, 'ann', 3);
  await rig.export();
  rig.state.deleteSession('ann', first);
  expect(await rig.export()).toMatchObject({ newly_gone_sessions: 1 });
  expect(await goneOf(rig, 'ann')).toEqual([first]);
  const { log } = await rig.open();
  const touched = (await log.read((await log.head())?.number ?? 0)).sessions;
  expect(touched.map(({ session }) => session)).toEqual([first]);
  expect(await rig.export()).not.toHaveProperty('newly_gone_sessions');
  const newest = await (await rig.open()).log.head();
  expect((await log.read(newest?.number ?? 0)).sessions).toEqual([]);
  expect(await rig.rows('jobs')).toHaveLength(3);
  expect((await rig.verify()).problems).toEqual([]);
});

it('marks nothing after a narrowed run, nor where a user lists nothing, unless allowed', async () => {
  await using rig = await ExportRig.start();
  const [first = '', second = ''] = fill(rig, 'ann', 2);
  await rig.export();
  rig.state.deleteSession('ann', first);
  await rig.export({ users: ['ann'], sessions: [second] });
  await rig.export({ users: ['ann'], search: 'no such name' });
  expect(await goneOf(rig, 'ann')).toEqual([]);
  rig.state.deleteSession('ann', second);
  const { error } = await rig.run({ users: ['ann'] });
  expect(error).toMatchObject({ message: expect.stringMatching(OTHER) as string });
  expect(await goneOf(rig, 'ann')).toEqual([]);
  const allowed = await rig.export({ users: ['ann'], allowOtherConversations: true });
  expect(allowed).toMatchObject({ status: 'complete', newly_gone_sessions: 2 });
  expect(await rig.export({ users: ['ann'] })).toMatchObject({ status: 'complete' });
});

it(
  'marks all sessions of a user who deleted them, where another user shows the key is right',
  fault('F-104'),
  async () => {
    await using rig = await ExportRig.start();
    const archived = fill(rig, 'ann', 2);
    fill(rig, 'bob', 1);
    await rig.export();
    for (const session of archived) rig.state.deleteSession('ann', session);
    expect(await rig.export({ users: ['ann'] })).toMatchObject({ status: 'complete', gaps: [] });
    expect((await goneOf(rig, 'ann')).sort()).toEqual(archived.sort());
  },
);

it.each([
  [
    'can be read',
    undefined,
    /^the service does not list any of the 2 archived sessions of this user, and yet session \S+ can be read$/,
  ],
  [
    'cannot be had',
    { kind: 'error', status: 403 },
    /, and yet it is not known whether session \S+ is gone: could not get/,
  ],
] as const)(
  'is not complete where a user lists nothing, as in maintenance, and a session %s',
  fault('F-107'),
  async (_what, answer, reason) => {
    await using rig = await ExportRig.start();
    fill(rig, 'ann', 2);
    fill(rig, 'bob', 1);
    await rig.export();
    const empty = JSON.stringify({ code: 0, data: { records: [], total_items: 0 } });
    rig.emulator.faults.api = [
      {
        operations: ['listSessions'],
        userId: 'ann',
        answer: { kind: 'body', status: 200, body: empty },
      },
      ...(answer ? [{ operations: ['getSession'] as const, answer }] : []),
    ];
    const summary = await rig.export();
    expect(summary).toMatchObject({
      status: 'gaps',
      users: { complete: 1, failed: 1 },
      gaps: [
        {
          user: 'ann',
          session: null,
          status: 'incomplete',
          reason: expect.stringMatching(reason) as string,
        },
      ],
    });
    expect(await goneOf(rig, 'ann')).toEqual([]);
    rig.emulator.faults.api = [];
    expect(await rig.export()).toMatchObject({ status: 'complete', gaps: [] });
  },
);

it(
  'is not complete where a list leaves out a readable archived session; marks none as gone',
  fault('F-114'),
  async () => {
    await using rig = await ExportRig.start();
    const [first = '', second = ''] = fill(rig, 'ann', 2);
    await rig.export();
    const records = [{ id: second, name: 'left', user_id: 'ann' }];
    const page = (number: number, those: readonly object[]) => {
      const data = { page_number: number, page_size: 100, total_items: 1, records: those };
      const body = JSON.stringify({ code: 0, data });
      return { operations: ['listSessions'], answer: { kind: 'body', status: 200, body } } as const;
    };
    rig.emulator.faults.api = [{ ...page(1, records), first: 2 }, page(2, [])];
    const summary = await rig.export();
    expect(summary.status).toBe('gaps');
    expect(summary.gaps.map(({ session, reason }) => [session, reason])).toEqual([
      [
        null,
        `the service does not list 1 of the 2 archived sessions of this user, and yet session ${first} can be read`,
      ],
    ]);
    expect(await goneOf(rig, 'ann')).toEqual([]);
    rig.emulator.faults.api = [];
    expect(await rig.export()).toMatchObject({ status: 'complete', gaps: [] });
  },
);

it.each([
  ['lists nobody', false],
  ['lists other sessions of the same users', true],
])(
  'ends before it archives anything with the key of another project, which %s',
  fault('F-104'),
  async (_what, isFilled) => {
    await using rig = await ExportRig.start({
      apiKeys: { 'demo-key': 'demo', 'other-key': 'other' },
    });
    fill(rig, 'ann', 2);
    fill(rig, 'bob', 2);
    await rig.export();
    const other = rig.state.inProject('other');
    if (isFilled) for (const user of ['ann', 'bob']) other.addSession(user);
    const { out, emulator, clock } = rig;
    const asked = { out, clock, baseUrl: emulator.baseUrl, users: ['ann', 'bob'] };
    await expect(planExport({ ...asked, apiKey: 'other-key' })).rejects.toThrow(OTHER);
    const { summary, error } = await rig.run({ apiKey: 'other-key' });
    expect(error).toMatchObject({ message: expect.stringMatching(OTHER) as string });
    expect(summary).toMatchObject({ status: 'failed', commits: [], users: { not_finished: 2 } });
    expect([...(await goneOf(rig, 'ann')), ...(await goneOf(rig, 'bob'))]).toEqual([]);
    expect(await rig.export()).toMatchObject({ status: 'complete' });
  },
);

it('archives nothing where a user lists other sessions only', async () => {
  await using rig = await ExportRig.start();
  const archived = fill(rig, 'ann', 2);
  await rig.export();
  for (const session of archived) rig.state.deleteSession('ann', session);
  fill(rig, 'ann', 2);
  expect((await rig.run()).summary).toMatchObject({ status: 'failed' });
  expect(await goneOf(rig, 'ann')).toEqual([]);
  expect(await rig.rows('jobs')).toHaveLength(2);
});

it('takes the mark back when the session is listed again', async () => {
  await using rig = await ExportRig.start();
  const [first = ''] = fill(rig, 'ann', 2);
  await rig.export();
  const text = rig.state.jobText('ann', first, rig.state.jobIds('ann', first)[0] ?? '');
  rig.state.deleteSession('ann', first);
  await rig.export();
  expect(await goneOf(rig, 'ann')).toEqual([first]);
  rig.state.addSession('ann', { id: first });
  rig.state.addJob('ann', first, text);
  await rig.export();
  expect(await goneOf(rig, 'ann')).toEqual([]);
});

it('retries what has gaps, and what a listing shows on the way; asks about nobody else', async () => {
  await using rig = await ExportRig.start();
  fill(rig, 'ann', 2);
  fill(rig, 'bob', 2);
  fill(rig, 'bob', 1, ['late.csv']);
  const before = await rig.export();
  expect(before.gaps).toHaveLength(1);
  fill(rig, 'ann', 1);
  fill(rig, 'bob', 1);
  rig.state.putFile('late.csv', 'a\n1\n');
  const retried = await rig.export({ retryGaps: true });
  expect(retried).toMatchObject({ status: 'complete', jobs: { archived: 2 }, gaps: [] });
  // bob's list, the history with the gap, and the one that no run has seen: complete without it is untrue; and the
  // pages behind the list and the first history; one list shows that the key is right
  expect(retried.requests.api).toBe(6);
  const again = await rig.export({ retryGaps: true });
  expect(again.requests.api).toBe(1);
  expect(again.commits).toEqual([]);
  expect((await rig.verify()).problems).toEqual([]);
});

it('retries a history that was not read to its end, though the log names no gap of it', async () => {
  await using rig = await ExportRig.start();
  const [cut = ''] = fill(rig, 'ann', 2);
  await rig.export();
  const { log } = await rig.open();
  const { run } = await log.read(1);
  const sessions = [sessionEntry('ann', cut, { complete: false, archived: 1, total: 2 })];
  const draft = { kind: 'export', base: 1, run, checkpoint: 2, tool: 't', scope: {} } as const;
  await log.append({ ...draft, sessions });
  const retried = await rig.export({ retryGaps: true });
  expect(retried).toMatchObject({ status: 'complete', sessions: { failed: 0 } });
  const { sessions: known } = await (await rig.open()).states.load(asUserId('ann'));
  expect([...known.values()].every(({ complete }) => complete)).toBe(true);
});
