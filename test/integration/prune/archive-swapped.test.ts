/** Somebody puts another state of the archive in its place while a run is under way. */
import { renameSync } from 'node:fs';
import { cp, rename } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openArchive } from '../../../src/library/operations.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';
import { fault } from '../../support/base/fault.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.addSessions('ann', ['a1', 'a2']);
  await rig.rig.archived();
});
afterEach(() => rig[Symbol.asyncDispose]());

/** Takes the place of the archive, as a restored backup does in which somebody has set a hold. */
async function otherWithHold(): Promise<string> {
  const other = rig.path('other');
  await cp(rig.out, other, { recursive: true });
  await using archive = await openArchive(other, { clock: rig.rig.clock });
  await archive.hold({ users: ['ann'], sessions: [], reason: 'Matter 7', by: 'Eve' });
  return other;
}

/** The last time that the sessions of a user are selected comes right before the first deletion. */
function swapAfter(times: number, other: string): () => boolean {
  let selected = 0;
  return () => {
    if (++selected === 2 * times) {
      renameSync(rig.out, `${rig.out}-before`);
      renameSync(other, rig.out);
    }
    return true;
  };
}

async function swap(other: string): Promise<void> {
  await rename(rig.out, `${rig.out}-before`);
  await rename(other, rig.out);
}

it.each([0, 1, 2])(
  'a swapped archive with %i more commits lets nothing be deleted that is held by now',
  fault('F-115'),
  async (more) => {
    const other = await otherWithHold();
    for (let n = 0; n < more; n++) {
      rig.addSession('bob', `b${n}`);
      await rig.rig.export();
    }
    const { error } = await rig.prune({
      rules: { sessions: ['a1', 'a2'] },
      confirm: async () => {
        await swap(other);
        return true;
      },
    });
    if (more > 0) expect(error).toMatchObject({ code: 'ARCHIVE_INTEGRITY' });
    expect(rig.left()).toEqual(expect.arrayContaining(['a1', 'a2']));
  },
);

it(
  'An archive that is replaced while its sessions are deleted lets no more of them go',
  fault('F-115'),
  async () => {
    const other = await otherWithHold();
    rig.addSession('bob', 'b1');
    await rig.rig.export();
    const { error } = await rig.prune({
      rules: { sessions: ['a1', 'a2'] },
      selects: swapAfter(3, other),
    });
    expect(error).toMatchObject({ code: 'ARCHIVE_INTEGRITY' });
    expect(rig.left()).toEqual(expect.arrayContaining(['a1', 'a2']));
  },
);

it(
  'an archive replaced while an expiry asks loses nothing that only it has',
  fault('F-115'),
  async () => {
    const other = await otherWithHold();
    rig.addSession('bob', 'b1');
    await rig.rig.export();
    await using archive = await openArchive(rig.out, { clock: rig.rig.clock });
    let files: string[] = [];
    const expiring = archive.expire({
      olderThanMs: 24 * 3_600_000,
      confirm: async () => {
        await swap(other);
        files = await rig.rig.files();
        return true;
      },
    });
    await expect(expiring).rejects.toMatchObject({ code: 'ARCHIVE_INTEGRITY' });
    expect(await rig.rig.files()).toEqual(files);
  },
);
