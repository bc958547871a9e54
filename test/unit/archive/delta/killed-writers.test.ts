/** Writers of Delta logs that die in the middle: readers are late, never wrong, and the next writer fills the gap. I-60 in FORMAT.md. */
import { expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import type { FileEntry } from '../../../../src/archive/log/commit.js';
import { partPath } from '../../../../src/archive/paths.js';
import { tableNamed } from '../../../../src/model/tables.js';
import {
  begunReceipt,
  draft,
  makeArchive,
  reopened,
  runOf,
  seededRandom,
} from '../../../support/store/archive-samples.js';
import { dyingAfter } from '../../../support/store/dying-storage.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import {
  actionsOf,
  deltaObjects,
  deltaSnapshot,
  newestIn,
} from '../../../support/tables/delta-log.js';
import { filesAsOf } from '../../../support/tables/files-as-of.js';
import { fault } from '../../../support/base/fault.js';

const KILLS = Number(process.env['JOBVAULT_TEST_KILLS'] ?? 5);
const TABLES = ['jobs', 'sessions'] as const;
const RUN = runOf('A');

let n = 0;
function fileOf(table: string): FileEntry {
  n++;
  const path = partPath(table, '2026-11-05', RUN, n, 'parquet');
  const schema = tableNamed(table)!.fingerprint;
  return { path, table, rows: n, bytes: n, sha256: 'ab'.repeat(32), schema };
}

/** One that adds files, and now and then one that rewrites some of those that are there. */
async function commitNext(archive: Archive, random: () => number): Promise<void> {
  await archive.index.refresh();
  const { contents, through: base } = archive.index;
  const tables = TABLES.filter(() => random() < 0.7);
  const files = tables.map(fileOf);
  const there = [...contents.files.values()].filter(({ table }) => tables.includes(table as never));
  const removed = random() < 0.2 ? there.slice(0, 5).map(({ path }) => path) : [];
  const kind = removed.length === 0 ? 'export' : random() < 0.3 ? 'erase' : 'compact';
  await archive.log.append({
    ...draft({ base, kind, files, removed }),
    ...(kind === 'erase' && {
      erasure: () => Promise.resolve(begunReceipt()),
    }),
  });
}

/** @returns whether every table is at the newest commit */
async function expectNoLies(archive: Archive): Promise<boolean> {
  let isAtHead = true;
  for (const table of TABLES) {
    const objects = await deltaObjects(archive.storage, table);
    const version = newestIn(objects, 'json');
    const newest = await filesAsOf(archive, table, Infinity);
    if (version < 0) {
      isAtHead &&= newest.length === 0;
      continue;
    }
    const { paths } = await deltaSnapshot(objects);
    const { commitInfo } = actionsOf(objects, version)[0]!;
    const commit = Number(commitInfo!.operationParameters.commit);
    expect(paths).toEqual(await filesAsOf(archive, table, commit));
    isAtHead &&= paths.join() === newest.join();
  }
  return isAtHead;
}

it(
  `killed ${KILLS} times at least, they leave the next run the newest commit each time`,
  { ...fault('F-98'), timeout: 240_000 },
  async () => {
    const seed = Number(process.env['JOBVAULT_TEST_SEED'] ?? Date.now() % 1_000_000);
    const generator = seededRandom(seed);
    const random = () => generator.fraction();
    const storage = createMemoryStorage();
    const archive = await makeArchive(storage);
    await archive.delta.publish({ begin: true });
    let behind = 0;
    // some kills come after the last write: as many more as it takes to see one that matters
    for (let kill = 0; kill < KILLS || behind === 0; kill++) {
      expect(kill).toBeLessThan(KILLS + 100);
      await commitNext(archive, random);
      if (random() < 0.3) await commitNext(archive, random);
      const killed = reopened(archive, dyingAfter(storage, Math.floor(random() * 6)));
      await killed.delta.publish({ begin: true }).catch((error: unknown) => {
        if (!String(error).includes('killed')) throw error;
      });
      if (!(await expectNoLies(reopened(archive)))) behind++;
      await reopened(archive).delta.publish({ begin: true });
      expect([seed, kill, await expectNoLies(reopened(archive))]).toEqual([seed, kill, true]);
    }
  },
);
