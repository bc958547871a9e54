/** An archive is bound to a service that has shown a list of sessions, and to no other address. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { scriptedApi, type ScriptedAnswer } from '../../support/http/scripted-api.js';
import { fault } from '../../support/base/fault.js';

async function isBound({ out }: ExportRig): Promise<boolean> {
  return access(join(out, 'jobvault.json')).then(
    () => true,
    () => false,
  );
}

it.each(['/v2/team', '/v2/team/'])(
  'the address of the service may end in %s, and is the same archive',
  fault('F-61'),
  async (path) => {
    await using rig = await ExportRig.start({ users: 1, sessions: 1, jobs: 2 });
    const { baseUrl } = rig.emulator;
    expect((await rig.run({ baseUrl: `${baseUrl}${path}` })).summary.status).toBe('complete');
    expect((await rig.run({ baseUrl })).summary).toMatchObject({
      status: 'complete',
      sessions: { unchanged: 1 },
    });
  },
);

it.each([
  ['JSON', { body: { error: 'no route' } }],
  ['an envelope', { body: { code: 300003, message: 'unknown operation' } }],
  ['HTML', { headers: { 'content-type': 'text/html' }, body: '<h1>Not Found</h1>' }],
] satisfies [string, ScriptedAnswer][])(
  'a list answered 404 in %s means a wrong address: nothing is bound, nobody else asked for',
  fault('F-61'),
  async (_what, answer) => {
    await using rig = await ExportRig.start({ users: 3, sessions: 1, jobs: 1 });
    await using api = await scriptedApi({ status: 404, ...answer });
    await expect(rig.run({ baseUrl: api.url })).rejects.toMatchObject({
      code: 'SERVICE_WRONG_ADDRESS',
      failure: 'unreachable',
    });
    expect(await isBound(rig)).toBe(false);
    expect(api.seen).toHaveLength(3);
  },
);

it(
  'a new archive is not bound by a user who is refused, but by the first who is let in',
  fault('F-61'),
  async () => {
    await using rig = await ExportRig.start({ users: 3, sessions: 1, jobs: 1 });
    const [first = '', second = '', third = ''] = rig.state.userIds();
    rig.emulator.faults.refusedUsers = { [first]: 300002, [second]: 1003, [third]: 300002 };
    const none = await rig.run();
    expect(none.summary).toMatchObject({
      status: 'gaps',
      commits: [],
      users: { total: 3, complete: 0, failed: 3 },
      gaps: [{ status: 'refused' }, { status: 'refused' }, { status: 'refused' }],
    });
    expect(none.failures).toEqual(new Set(['authentication']));
    expect(await isBound(rig)).toBe(false);

    rig.emulator.faults.refusedUsers = { [first]: 300002, [second]: 1003 };
    const some = await rig.run();
    expect(some.summary).toMatchObject({
      status: 'gaps',
      users: { total: 3, complete: 1, failed: 2 },
    });
    expect(await isBound(rig)).toBe(true);
  },
);

it('a new archive waits for a service that is down at the start as long as in the middle', async () => {
  await using rig = await ExportRig.start({ users: 2, sessions: 1, jobs: 1 });
  rig.emulator.faults.api = [{ first: 6, answer: { kind: 'error', status: 503 } }];
  expect((await rig.run()).summary).toMatchObject({ status: 'complete' });
});

it('a new archive is not begun where nobody answers at all', fault('F-61'), async () => {
  await using rig = await ExportRig.start({ users: 2, sessions: 1, jobs: 1 });
  rig.emulator.faults.api = [{ answer: { kind: 'error', status: 503 } }];
  await expect(rig.run()).rejects.toMatchObject({ failure: 'unreachable' });
  expect(await isBound(rig)).toBe(false);
});
