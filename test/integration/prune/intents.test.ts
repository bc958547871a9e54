/** Deletions that a killed run had begun. */
import { systemClock } from '../../../src/base/runtime.js';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireLease, type Lease } from '../../../src/archive/runs/lease.js';
import { runLeasePath } from '../../../src/archive/paths.js';
import { silentLogger } from '../../../src/base/logger.js';
import { DEFAULT_TERMS } from '../../../src/base/terms.js';
import { asRunId, type RunId } from '../../../src/model/ids.js';
import type { Storage } from '../../../src/storage/storage.js';
import { systemProcesses } from '../../../src/base/process-identity.js';
import { plainHolds } from '../../support/store/plain-holds.js';
import { eraseFromArchive } from '../../support/http/one-call.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
});
afterEach(() => rig[Symbol.asyncDispose]());

/** What says of a run that it lives: this process has its lease, or one of another machine. */
function atWork(run: RunId, storage: Storage, host = systemProcesses.self.host): Promise<Lease> {
  return acquireLease({
    storage,
    path: runLeasePath(run),
    run,
    subject: 'the run',
    processes: { ...systemProcesses, self: { ...systemProcesses.self, host } },
    clock: systemClock,
    logger: silentLogger,
    terms: DEFAULT_TERMS,
    wait: 'none',
  });
}

describe('an intent that a killed run has left', () => {
  beforeEach(async () => {
    rig.addSessions('ann', ['a1', 'a2']);
    await rig.rig.archived();
    await rig.beginDeletion('ann', 'a1');
  });

  it('is confirmed where the session is gone', async () => {
    rig.state.deleteSession('ann', 'a1');
    const summary = await rig.pruned({ rules: { all: true, sessions: ['a1'] } });
    expect(outcomes(summary)).toEqual({ a1: 'deleted' });
    expect(await rig.recorded()).toEqual(['a1 confirmed-later']);
    expect(await rig.intents()).toEqual([]);
    expect(rig.deletesSent).toBe(0);
  });

  it('is dropped where the session is still there, which is planned like any other', async () => {
    const summary = await rig.pruned({ rules: { all: true, holds: plainHolds(['a1']) } });
    expect(outcomes(summary)).toEqual({ a1: 'hold', a2: 'deleted' });
    expect(await rig.intents()).toEqual([]);
    expect(outcomes(await rig.pruned())).toEqual({ a1: 'deleted' });
  });

  it('is left alone where its run is at work, though its lease on the user is lost', async () => {
    const { storage } = await rig.rig.open();
    const [path = ''] = await rig.intents();
    const { run } = JSON.parse(await readFile(join(rig.out, path), 'utf8')) as { run: string };
    const lease = await atWork(asRunId(run), storage);
    const rules = { all: true, sessions: ['a1'] };
    expect(outcomes(await rig.pruned({ rules }))).toEqual({ a1: 'unconfirmed' });
    expect([rig.deletesSent, await rig.intents()]).toEqual([0, [path]]);
    await lease.release();
    expect(outcomes(await rig.pruned({ rules }))).toEqual({ a1: 'deleted' });
  });

  it('stays while its run may live on another machine, so that an erasure sees it', async () => {
    const { storage } = await rig.rig.open();
    const [path = ''] = await rig.intents();
    const { run } = JSON.parse(await readFile(join(rig.out, path), 'utf8')) as { run: string };
    const lease = await atWork(asRunId(run), storage, 'elsewhere');
    const holds = plainHolds(['a1', 'a2']);
    expect(outcomes(await rig.pruned({ rules: { all: true, holds } }))).toMatchObject({
      a1: 'hold',
    });
    expect(await rig.intents()).toEqual([path]);
    await expect(eraseFromArchive({ archive: rig.out, sessions: ['a1'] })).rejects.toMatchObject({
      name: 'LeaseHeldError',
    });
    expect(outcomes(await rig.pruned())).toEqual({ a1: 'deleted', a2: 'deleted' });
    await lease.release();
    await rig.pruned();
    expect(await rig.intents()).toEqual([]);
  });

  it('is told by a plan, which leaves it alone', async () => {
    expect((await rig.plan()).summary).toMatchObject({ unfinished: 1, planned: 2 });
    expect(await rig.intents()).toHaveLength(1);
  });

  // I-39 in FORMAT.md
  it('stays where nothing shows that the key sees this archive', async () => {
    rig.emulator.state.keys.setProject('other-key', 'another project');
    const summary = await rig.pruned({ apiKey: 'other-key' });
    expect(outcomes(summary)).toEqual({ a1: 'unproven', a2: 'not-listed' });
    expect(summary).toMatchObject({ unfinished: 1, deletions: { deleted: 0, refused: 2 } });
    expect(await rig.intents()).toHaveLength(1);
    expect(await rig.rig.parts('tables/deletions')).toEqual([]);
  });

  it('is confirmed, too, where no session is left that the service could list', async () => {
    await rig.pruned({ rules: { all: true, sessions: ['a2'], holds: plainHolds(['a1']) } });
    await rig.beginDeletion('ann', 'a1');
    rig.state.deleteSession('ann', 'a1');
    expect(outcomes(await rig.pruned())).toEqual({ a1: 'deleted' });
    expect(await rig.recorded()).toEqual(['a1 confirmed-later', 'a2 confirmed']);
  });

  it('is an error where it cannot be read, for a deletion could be forgotten', async () => {
    const [path = ''] = await rig.intents();
    await writeFile(join(rig.out, path), '{"format":1}\n');
    const { error } = await rig.prune();
    expect(error).toMatchObject({ name: 'IntegrityError', path });
    expect(rig.left()).toHaveLength(2);
  });
});

// I-50 in FORMAT.md
describe('a prune and an erasure of the same session', () => {
  const ERASURE = asRunId('01M6D37F4PTK1MR94TEK2PJ2TV');

  beforeEach(async () => {
    rig.addSessions('ann', ['a1', 'a2']);
    await rig.rig.archived();
  });

  it('nothing is erased that a living run is about to delete', async () => {
    await rig.beginDeletion('ann', 'a1');
    const { storage } = await rig.rig.open();
    const [path = ''] = await rig.intents();
    const { run } = JSON.parse(await readFile(join(rig.out, path), 'utf8')) as { run: string };
    const lease = await atWork(asRunId(run), storage);
    const before = await rig.rig.files('_commits');
    const erasing = (session: string) =>
      eraseFromArchive({ archive: rig.out, sessions: [session] });
    await expect(erasing('a1')).rejects.toMatchObject({
      name: 'LeaseHeldError',
      message: 'another run is working on deleting from the service what is to be erased',
    });
    expect(await rig.rig.files('_commits')).toEqual(before);
    expect(await rig.rig.files('_erasures')).toEqual([]);
    await storage.put('_intents/01M6D37F4PTK1MR94TEK2PJ2TV.json', Buffer.from('null'));
    expect((await erasing('a2')).status).toBe('erased');
    await lease.release();
    expect((await erasing('a1')).status).toBe('erased');
    expect(await rig.intents()).toEqual(['_intents/01M6D37F4PTK1MR94TEK2PJ2TV.json']);
  });

  it('nothing is deleted while an erasure of a living run has its plan', async () => {
    const { storage } = await rig.rig.open();
    await storage.put(`_erasures/${ERASURE}/plan.json`, Buffer.from('{}'));
    const lease = await atWork(ERASURE, storage);
    expect(outcomes(await rig.pruned())).toEqual({ a1: 'conflict', a2: 'conflict' });
    expect([rig.deletesSent, await rig.intents()]).toEqual([0, []]);
    await lease.release();
    expect(outcomes(await rig.pruned())).toEqual({ a1: 'deleted', a2: 'deleted' });
  });
});
