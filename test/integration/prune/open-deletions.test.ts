/** Deletions that a killed prune left open, and nights without a prune after it. */
import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import type { UserDetail } from '../../../src/cli/output/reports/user-status-report.js';
import { runLeasePath } from '../../../src/archive/paths.js';
import { encodeLeaseNote } from '../../../src/archive/runs/lease.js';
import { systemProcesses } from '../../../src/base/process-identity.js';
import { asRunId } from '../../../src/model/ids.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';

let rig: PruneRig;
/** A prune was killed after it had deleted all of ann and one of ben; one of cleo it had not come to delete. */
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.emulator.faults.resolveUser = (id) => (id === 'Ann' ? 'ann' : id);
  rig.addSessions('ann', ['a1', 'a2']);
  rig.addSessions('ben', ['b1', 'b2']);
  rig.addSessions('cleo', ['c1']);
  await rig.rig.archived();
  await rig.beginDeletion('cleo', 'c1');
  for (const [user, session] of [
    ['ann', 'a1'],
    ['ann', 'a2'],
    ['ben', 'b1'],
  ] as const) {
    await rig.beginDeletion(user, session);
    rig.state.deleteSession(user, session);
  }
  await writeFile(rig.path('api-key'), 'demo-key', { mode: 0o600 });
});
afterEach(() => rig[Symbol.asyncDispose]());

const status = () => cliJson<ArchiveStatus>(['status', rig.out]);

it('what a deletion left open is neither gone nor vanished for a night that does not delete', async () => {
  const night = await rig.rig.export({ users: ['ann', 'ben', 'cleo'] });
  expect(night).toMatchObject({ status: 'complete', vanished: [], newly_vanished: [], gaps: [] });
  expect(night).not.toHaveProperty('newly_gone_sessions');
  const { sessions, users, vanished } = await status();
  expect(sessions).toMatchObject({ total: 5, gone: 0, deleted: 0 });
  expect([users.vanished, vanished]).toEqual([0, []]);
});

it('status tells deletions that were left open until a prune has settled them', async () => {
  await rig.rig.export({ users: ['ann', 'ben', 'cleo'] });
  expect((await status()).open_deletions.map(({ sessions }) => sessions)).toEqual([1, 1, 1, 1]);
  expect((await cli(['status', rig.out])).stdout).toMatch(
    /^ +left open +1 deletion by run \S+, which ended before it recorded whether it took place: the next prune finds out, and until then it counts as at the service$/m,
  );
  await rig.pruned({ rules: { all: true, sessions: ['a1'] } });
  const after = await status();
  expect(after.open_deletions).toEqual([]);
  expect(after.sessions).toMatchObject({ gone: 0, deleted: 3 });
  expect((await cli(['status', rig.out])).stdout).not.toContain('left open');
});

it('status of a user tells which conversation a deletion left open, not one under way', async () => {
  const words = ['status', rig.out, '--user', 'ben'];
  const { details } = await cliJson<{ details: readonly [UserDetail] }>(words);
  expect(details[0].detail).toMatchObject([
    { session: 'b1', state: 'complete', left_open_by: expect.stringMatching(/^[0-9A-Z]{26}$/) },
    { session: 'b2', state: 'complete', left_open_by: null },
  ]);
  const { stdout } = await cli(words);
  expect(stdout).toMatch(/^ +b1 +complete, its deletion was left open, 2 questions$/m);
  expect(stdout).toMatch(/^ +b2 +complete, 2 questions$/m);
  const [, run = ''] = /"run":"(\w+)"/.exec(JSON.stringify((await status()).open_deletions)) ?? [];
  const archive = await rig.rig.open();
  const note = { run: asRunId(run), ...systemProcesses.self, beat: 0 };
  await archive.storage.put(runLeasePath(asRunId(run)), encodeLeaseNote(note));
  expect((await status()).open_deletions.map((open) => open.run)).not.toContain(run);
});

it('what somebody else deleted meanwhile is gone as before', async () => {
  rig.state.deleteSession('ben', 'b2');
  expect(await rig.rig.export({ users: ['ann', 'ben', 'cleo'] })).toMatchObject({
    newly_vanished: ['ben'],
    newly_gone_sessions: 1,
  });
  expect((await status()).sessions).toMatchObject({ gone: 1, deleted: 0 });
});

it('an open deletion is one under every spelling of its user', async () => {
  const night = await rig.rig.export({ users: ['ann', 'Ann', 'ben', 'cleo'] });
  expect(night).not.toHaveProperty('newly_gone_sessions');
});

it('a night that deletes settles what was left open, and tells nobody as gone', async () => {
  const night = ['export', '--out', rig.out, '--base-url', rig.emulator.baseUrl, '--rate', '10000'];
  const key = ['--api-key-file', rig.path('api-key')];
  const users = ['ann', 'ben', 'cleo'].flatMap((user) => ['--user', user]);
  const summary = await cliJson(
    [...night, ...key, ...users, '--delete-archived', '--older-than', '3650d', '--yes'],
    0,
  );
  expect(summary).not.toHaveProperty('newly_gone_sessions');
  expect((await status()).sessions).toMatchObject({ gone: 0, deleted: 3 });
});
