/** The built program, killed right after its commits are there: readers of Delta are late at most, and the next run is on time. I-60 in FORMAT.md. */
import { watch } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openArchiveIn } from '../../../src/archive/open-archive.js';
import { verifyArchive } from '../../../src/archive/verify/verify.js';
import { TABLE_NAMES } from '../../../src/model/tables.js';
import { openStorage } from '../../../src/storage/open-storage.js';
import { CliRig } from '../../support/rigs/cli-rig.js';
import {
  actionsOf,
  deltaObjectsIn,
  deltaSnapshot,
  newestIn,
} from '../../support/tables/delta-log.js';
import { filesAsOf } from '../../support/tables/files-as-of.js';

const KILLS = Number(process.env['JOBVAULT_TEST_KILLS'] ?? 5);

let rig: CliRig;
beforeEach(async () => {
  rig = await CliRig.start({ users: 2, sessions: 1, jobs: 1, artifactsPerJob: 0 });
});
afterEach(() => rig[Symbol.asyncDispose]());

/** Resolves with the process, which is killed as soon as a commit comes. */
async function killedAtCommit(words: readonly string[]): Promise<number | null> {
  const running = rig.begin(rig.exportWords(...words));
  const watching = watch(join(rig.out, '_commits'), (_, name) => {
    if (/^\d{12}\.json$/.test(name ?? '')) running.kill('SIGKILL');
  });
  const { exitCode } = await running.ended;
  watching.close();
  return exitCode;
}

/** @returns whether any table lacks a version of a commit */
async function expectNoLies(): Promise<boolean> {
  const archive = await openArchiveIn(await openStorage(rig.out));
  let isBehind = false;
  for (const table of TABLE_NAMES) {
    const objects = await deltaObjectsIn(rig.out, table);
    const newest = await filesAsOf(archive, table, Infinity);
    const version = newestIn(objects, 'json');
    if (version < 0) {
      isBehind ||= newest.length > 0;
      continue;
    }
    const { paths } = await deltaSnapshot(objects);
    const { commitInfo } = actionsOf(objects, version)[0]!;
    const commit = Number(commitInfo!.operationParameters.commit);
    expect([table, paths]).toEqual([table, await filesAsOf(archive, table, commit)]);
    isBehind ||= paths.join() !== newest.join();
  }
  return isBehind;
}

it(`killed ${KILLS} times when a commit is there, leaves tables that are late and never wrong`, async () => {
  const words = ['--checkpoint-size', '1KB', '--concurrency', '1'];
  await rig.export({ words });
  let kills = 0;
  let late = 0;
  for (let attempts = 0; kills < KILLS; attempts++) {
    expect(attempts).toBeLessThan(10 * KILLS);
    for (const user of rig.state.userIds()) rig.state.addJobs(user, rig.state.addSession(user), 2);
    if ((await killedAtCommit(words)) === null) kills++;
    if (await expectNoLies()) late++;
  }
  expect(late).toBeGreaterThan(0);
  await rig.export({ words });
  expect(await expectNoLies()).toBe(false);
  const archive = await openArchiveIn(await openStorage(rig.out));
  const { problems, notes } = await verifyArchive(archive);
  expect({ problems, notes }).toEqual({ problems: [], notes: [] });
}, 240_000);
