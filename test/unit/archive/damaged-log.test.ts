import { describe, expect, it } from 'vitest';
import type { Archive } from '../../../src/archive/archive.js';
import {
  committed,
  draft,
  makeArchive,
  ofOneJob,
  reopened,
  session,
} from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';

describe('damaged log', () => {
  async function logOfThree(): Promise<{
    storage: ReturnType<typeof createMemoryStorage>;
    archive: Archive;
  }> {
    const storage = createMemoryStorage();
    const archive = await makeArchive(storage);
    for (let i = 0; i < 3; i++)
      await archive.log.append(draft({ base: i, ...ofOneJob('u', `s${i}`) }));
    return { storage, archive: reopened(archive) };
  }
  const path = (n: number): string => `_commits/00000000000${n}.json`;

  it('a damaged log names the commit that is missing', async () => {
    const { storage, archive } = await logOfThree();
    await storage.delete(path(2));
    await expect(committed(archive)).rejects.toThrow(`${path(2)} is missing from the log`);
    await expect(archive.states.load(session('u', 's0').user)).rejects.toThrow(path(2));
  });

  // I-10 in FORMAT.md
  it('a damaged log names the commit that does not follow on the one before', async () => {
    const { storage, archive } = await logOfThree();
    const other = reopened(archive, createMemoryStorage(), 9);
    await other.log.append(draft(ofOneJob('u', 's0')));
    storage.place.objects.set(path(1), await other.storage.get(path(1)));
    await expect(committed(archive)).rejects.toThrow(`${path(2)} does not follow commit 1`);
  });

  it('a log refuses to append on a damaged head, and on a log that is shorter than it was', async () => {
    const { storage, archive } = await logOfThree();
    await expect(reopened(archive).log.append(draft({ base: 4 }))).rejects.toThrow(
      '_commits/000000000004.json is missing from the log, where it was before',
    );
    storage.place.objects.set(path(3), Buffer.from('{}'));
    await expect(archive.log.append(draft())).rejects.toThrow(`${path(3)} is damaged`);
  });
});
