import { expect, it } from 'vitest';
import type { Archive } from '../../../src/archive/archive.js';
import { runLeasePath } from '../../../src/archive/paths.js';
import { encodeLeaseNote } from '../../../src/archive/runs/lease.js';
import type { DeletionRecord, DeletionLog } from '../../../src/prune/deletion-log.js';
import { Intents } from '../../../src/prune/intents.js';
import type { ProjectKeyCheck } from '../../../src/prune/project-key-check.js';
import { settleIntent } from '../../../src/prune/settle-intents.js';
import type { ServiceView } from '../../../src/prune/service-view.js';
import {
  deletionEntry,
  draft,
  reopened,
  runOf,
  seededRandom,
} from '../../support/store/archive-samples.js';
import { archived } from '../../support/store/archived-sessions.js';
import { archiveOfThree, processes } from '../../support/store/begun-erasure.js';
import { FakeClock } from '../../support/base/fake-clock.js';

const run = runOf('P');

interface Case {
  readonly isGone?: boolean;
  readonly seesArchive?: boolean;
  /** Who holds the lease of the run that wrote the intent; undefined: nobody. */
  readonly lease?: { readonly host: string; readonly pid: number };
  readonly change?: (archive: Archive) => Promise<unknown>;
}

/** Of Ann's session `a1`, which another run was about to delete. */
async function settled({ isGone = false, seesArchive = true, lease, change }: Case) {
  const { archive, storage } = await archiveOfThree();
  await change?.(archive);
  const intents = new Intents({ ...archive, clock: new FakeClock(), random: seededRandom(4) });
  const intent = await intents.write(run, archived('a1', { commit: 1 }));
  if (lease) {
    const note = { ...lease, run, boot: 'today', started: '1', beat: 0 };
    await storage.put(runLeasePath(run), encodeLeaseNote(note));
  }
  const recorded: DeletionRecord[] = [];
  const asked: unknown[] = [];
  const intended = new Set(['x']);
  const fresh = reopened(archive);
  await fresh.index.refresh();
  const outcome = await settleIntent(
    {
      archive: { ...fresh, processes },
      intents,
      view: {
        isGone: (of: unknown) => Promise.resolve(of === intent && isGone),
      } as unknown as ServiceView,
      keyCheck: {
        seesArchive: (...given: unknown[]) => {
          asked.push(...given);
          return Promise.resolve(seesArchive);
        },
      } as unknown as ProjectKeyCheck,
      deletions: {
        add: (deletion: DeletionRecord) => Promise.resolve(void recorded.push(deletion)),
      } as unknown as DeletionLog,
      intended,
    },
    intent,
  );
  return { outcome, recorded, asked, intent, intended, left: (await intents.list()).length };
}

const deleted = (archive: Archive) =>
  archive.log.append(
    draft({
      base: 3,
      run: runOf('Q'),
      deletions: [deletionEntry('ann', 'a1')],
    }),
  );

it('an intent goes where its deletion is recorded already, and the service is not asked', async () => {
  const { outcome, recorded, asked, left } = await settled({ change: deleted, isGone: true });
  expect([outcome, recorded, asked, left]).toEqual(['known', [], [], 0]);
});

it('an intent goes where what it was about was recorded as found gone: that is no deletion', async () => {
  const foundGone = (archive: Archive) => {
    const entry = { ...deletionEntry('ann', 'a1'), outcome: 'already-gone' as const };
    return archive.log.append(draft({ base: 3, run: runOf('Q'), deletions: [entry] }));
  };
  const { outcome, recorded, asked, left } = await settled({ change: foundGone, isGone: true });
  expect([outcome, recorded, asked, left]).toEqual(['known', [], [], 0]);
});

it('an intent becomes a deletion that was confirmed later, and stays until that is in the log', async () => {
  const { outcome, recorded, asked, intent, intended, left } = await settled({ isGone: true });
  expect([outcome, left]).toEqual(['confirmed', 1]);
  const facts = { user: 'ann', session: 'a1', commit: 1, jobCount: 1 };
  expect(recorded).toEqual([{ ...facts, outcome: 'confirmed-later', intent }]);
  expect(asked).toEqual(['ann', intended]);
});

it('an intent of a run before proves nothing with a key that sees no session of the archive', async () => {
  const { outcome, recorded, left } = await settled({ isGone: true, seesArchive: false });
  expect(outcome).toMatchObject({ reason: 'unproven' });
  expect((outcome as { detail: string }).detail).toContain('may be that of another project');
  expect([recorded, left]).toEqual([[], 1]);
});

it.each([
  ['has ended', undefined],
  ['is dead', { host: 'here', pid: 2 }],
])(
  'an intent of a run before goes where the session is still there and that run %s',
  async (_, lease) => {
    const { outcome, asked, left } = await settled(lease ? { lease } : {});
    expect([outcome, asked, left]).toEqual(['dropped', [], 0]);
  },
);

it('an intent of a run before is left alone while that run is at work', async () => {
  const { outcome, left } = await settled({ lease: { host: 'here', pid: 1 } });
  expect(outcome).toEqual({
    reason: 'unconfirmed',
    detail: 'another run of this machine is deleting it at this moment',
  });
  expect(left).toBe(1);
});

// I-50 in FORMAT.md
it('an intent stays for an erasure to see where that run may be at work elsewhere', async () => {
  const { outcome, left } = await settled({ lease: { host: 'elsewhere', pid: 1 } });
  expect([outcome, left]).toEqual(['dropped', 1]);
});
