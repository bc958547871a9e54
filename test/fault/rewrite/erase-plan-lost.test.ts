/** An erasure that died after its receipt, and whose plan is lost: only who erases the same again knows whom to erase. */
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Archive } from '../../../src/archive/archive.js';
import { archiveChecksums } from '../../../src/archive/objects/checksums.js';
import { openArchiveIn } from '../../../src/archive/open-archive.js';
import { verifyArchive } from '../../../src/archive/verify/verify.js';
import { erased } from '../../support/rigs/erase-rig.js';
import { compacted } from '../../support/rigs/compact-rig.js';
import { archiveOfThree } from '../../support/store/begun-erasure.js';
import { dyingAfter, everybodyElseIsDead } from '../../support/store/dying-storage.js';
import { copyOf, type MemoryStorage } from '../../support/store/memory-storage.js';
import { fault } from '../../support/base/fault.js';

const NAMES = {
  ann: ['"ann"', '"a1"', '"a2"', '"j1"', '"j2"', 'of ann'],
  ben: ['"ben"', '"b1"', '"k1"'],
};

function traces({ place }: MemoryStorage, of: keyof typeof NAMES): string[] {
  return [...place.objects].flatMap(([path, bytes]) => {
    const text = path.endsWith('.gz') ? gunzipSync(bytes) : Buffer.from(bytes);
    const found = NAMES[of].filter((name) => text.includes(name));
    return found.map((name) => `${path}: ${name}`);
  });
}

async function problemsOf(archive: Archive): Promise<unknown[]> {
  const { problems, orphans } = await verifyArchive(archive);
  return [...problems, ...orphans];
}

interface Lost {
  readonly steps: number;
  readonly storage: MemoryStorage;
  readonly plan: string;
}

/** Of the dying run: the receipt stands after some more. */
const FIRST = 20;
const isPlan = (path: string) => /^_erasures\/\w+\/plan\.json$/.test(path);
const isAside = (path: string) => path.startsWith('_erasures/');

/** Between the receipt and the end. @param apart steps from one to the next */
async function* lostAfterSteps(
  isLost: (path: string) => boolean,
  apart: number,
): AsyncGenerator<Lost> {
  const { storage: whole } = await archiveOfThree();
  for (let steps = FIRST; ; steps += apart) {
    const storage = copyOf(whole);
    const dying = dyingAfter(storage, steps);
    await erased(await openArchiveIn(dying)).catch(() => undefined);
    if (!dying.isDead()) return;
    const archive = await openArchiveIn(storage);
    await archive.index.refresh();
    if (archive.index.openErasures.size === 0) continue;
    const { objects } = storage.place;
    const plan = [...objects.keys()].find(isPlan) ?? '';
    for (const path of [...objects.keys()]) if (isLost(path)) objects.delete(path);
    yield { steps, storage, plan };
  }
}

const dead = { processes: everybodyElseIsDead };

describe.each([
  ['plan', isPlan],
  ['plan, with all that lay beside it,', isAside],
])('an erasure whose %s is lost', (_, isLost) => {
  it(
    'ends when the same person is erased again, and leaves nothing of them',
    { ...fault('F-93'), timeout: 120_000 },
    async () => {
      let times = 0;
      for await (const { steps, storage, plan } of lostAfterSteps(isLost, 1)) {
        const at = `after step ${steps}`;
        times++;
        const verified = await verifyArchive(await openArchiveIn(storage));
        expect(verified.problems, at).toContainEqual({
          path: plan,
          problem: 'missing',
          detail: expect.stringContaining('erase the same users or sessions again') as string,
        });
        const sums = archiveChecksums(await openArchiveIn(storage));
        await expect(sums.next(), at).rejects.toThrow('erase the same users or sessions again');

        await erased(await openArchiveIn(storage), dead);
        expect(traces(storage, 'ann'), at).toEqual([]);
        expect(traces(storage, 'ben').length, at).toBeGreaterThan(0);
        const after = await openArchiveIn(storage);
        expect(await problemsOf(after), at).toEqual([]);
        expect(after.index.openErasures.size, at).toBe(0);
        expect([...storage.place.objects.keys()].filter(isAside), at).toEqual([]);
      }
      expect(times).toBeGreaterThan(10);
    },
  );

  it(
    'stays open beside the erasure of somebody else, of whom nothing is left, either',
    { ...fault('F-93'), timeout: 120_000 },
    async () => {
      for await (const { steps, storage } of lostAfterSteps(isLost, 2)) {
        const at = `after step ${steps}`;
        await erased(await openArchiveIn(storage), { ...dead, users: ['ben'] });
        expect(traces(storage, 'ben'), at).toEqual([]);
        await erased(await openArchiveIn(storage), dead).catch((error: unknown) => {
          expect(String(error), at).toContain('has no user "ann"');
        });
        expect(traces(storage, 'ann'), at).toEqual([]);
        const after = await openArchiveIn(storage);
        expect(await problemsOf(after), at).toEqual([]);
        expect(after.index.openErasures.size, at).toBe(0);
      }
    },
  );

  it(
    'is finished by the next run where the erasure again has died after its receipt',
    { ...fault('F-93'), timeout: 120_000 },
    async () => {
      let times = 0;
      for await (const { storage: lost } of lostAfterSteps(isLost, 1)) {
        for (let steps = FIRST; ; steps += 3) {
          const at = `after step ${steps}`;
          const storage = copyOf(lost);
          const dying = dyingAfter(storage, steps);
          await erased(await openArchiveIn(dying), dead).catch(() => undefined);
          if (!dying.isDead()) break;
          const archive = await openArchiveIn(storage);
          await archive.index.refresh();
          const isBegun = archive.index.openErasures.size > 1;
          await compacted(archive, dead);
          if (isBegun) {
            times++;
            expect(traces(storage, 'ann'), at).toEqual([]);
            expect(archive.index.openErasures.size, at).toBe(0);
          }
          await erased(await openArchiveIn(storage), dead).catch(() => undefined);
          expect(traces(storage, 'ann'), at).toEqual([]);
          expect(await problemsOf(await openArchiveIn(storage)), at).toEqual([]);
        }
        break;
      }
      expect(times).toBeGreaterThan(5);
    },
  );

  it('is not changed by a rehearsal of the erasure, which finds the person', async () => {
    for await (const { storage } of lostAfterSteps(isLost, 1)) {
      const before = [...storage.place.objects].filter(([path]) => !path.startsWith('_leases/'));
      const summary = await erased(await openArchiveIn(storage), { ...dead, dryRun: true });
      expect(summary).toMatchObject({ status: 'planned', erased: { sessions: 2 } });
      const after = new Map(storage.place.objects);
      for (const [path, bytes] of before) expect(after.get(path), path).toEqual(bytes);
      return;
    }
    expect.unreachable('an erasure has steps after its receipt');
  });
});
