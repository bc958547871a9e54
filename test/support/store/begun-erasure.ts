/** Runs an erasure step by step, as `erase` does, in an archive in memory. */
import type { Archive } from '../../../src/archive/archive.js';
import type { LostErasure } from '../../../src/archive/erasing/erasures.js';
import { encodeIdentity, REDACTED_FORMAT } from '../../../src/archive/identity.js';
import type { Commit, FileEntry } from '../../../src/archive/log/commit.js';
import { IDENTITY_PATH } from '../../../src/archive/paths.js';
import { ArchiveRun } from '../../../src/archive/runs/archive-run.js';
import type { Processes } from '../../../src/base/process-identity.js';
import {
  leftovers,
  planErasure,
  type PlannedErasure,
} from '../../../src/rewrite/erasure/plan-erasure.js';
import {
  learnFromLog,
  ErasureTarget,
  type ErasureRequest,
} from '../../../src/archive/erasing/erasure-target.js';
import { writePlan, type ErasurePlan } from '../../../src/archive/erasing/write-plan.js';
import { PartEraser } from '../../../src/rewrite/erasure/part-eraser.js';
import { LogRedaction } from '../../../src/archive/erasing/redact-log.js';
import { createOrOpenArchive } from '../../../src/archive/open-archive.js';
import { runOf, seededRandom, userEntry, archiveSettings } from './archive-samples.js';
import { FakeClock } from '../base/fake-clock.js';
import { createMemoryStorage } from './memory-storage.js';
import { commitJobs, jsonl } from './written-jobs.js';
import { ARCHIVE_FORMATS } from '../../../src/formats/formats.js';

/**
 * Ann has `a1` with a file of her own and one that Ben has, too, in the same part files as his `b1`; and `a2`
 * alone, which a second commit brought. Cyd has part files of his own.
 */
export async function archiveOfThree(storage = createMemoryStorage(), formats = [jsonl]) {
  const archive = await createOrOpenArchive(
    storage,
    archiveSettings({
      formats: ARCHIVE_FORMATS.filter((name) => formats.some((format) => format.name === name)),
    }),
  );
  const one = await commitJobs(
    archive,
    [
      { user: 'ann', session: 'a1', job: 'j1', files: ['of ann', 'shared'] },
      { user: 'ben', session: 'b1', job: 'k1', files: ['shared'] },
    ],
    { formats, over: { users: [userEntry('ann'), userEntry('ben')] } },
  );
  const two = await commitJobs(archive, [{ user: 'ann', session: 'a2', job: 'j2' }], {
    formats,
    checkpoint: 2,
  });
  const cyds = { user: 'cyd', session: 'c1', job: 'l1', files: ['of cyd'] };
  const three = await commitJobs(archive, [cyds], { formats, run: 'B' });
  await archive.index.refresh();
  return { storage, archive, commits: [one, two, three] as const };
}

export const ANN: ErasureRequest = { users: ['ann'], sessions: [] };

/** One that lives, on a machine of its own; every other process there is dead. */
export const processes: Processes = {
  self: { host: 'here', boot: 'today', pid: 1, started: '1' },
  isDead: ({ host, pid }) => host === 'here' && pid !== 1,
};

/** As before each receipt. */
export async function putFormat2({ storage, identity }: Archive): Promise<void> {
  await storage.put(IDENTITY_PATH, encodeIdentity({ ...identity, format: REDACTED_FORMAT }));
}

export class BegunErasure {
  readonly target: ErasureTarget;
  readonly rewriting: ArchiveRun;
  readonly eraser: PartEraser;
  readonly abort = new AbortController();
  readonly run: Commit['run'];

  constructor(
    readonly archive: Archive,
    asked: ErasureRequest = ANN,
    letter = 'E',
  ) {
    this.run = runOf(letter);
    this.target = new ErasureTarget(asked);
    this.rewriting = new ArchiveRun({
      archive: { ...archive, processes, clock: new FakeClock(0), random: seededRandom(3) },
      run: this.run,
    });
    this.eraser = new PartEraser(this.rewriting, this.target, this.abort.signal);
  }

  async survey(): Promise<void> {
    await this.archive.index.refresh();
    await learnFromLog(this.archive, this.target);
  }

  plan(lost: readonly LostErasure[] = []): Promise<PlannedErasure> {
    const { archive, target, eraser } = this;
    const { signal } = this.abort;
    return planErasure({ archive, target, eraser, signal, lost });
  }

  /** Until the receipt stands. @param lost whose redactions the archive does not read */
  async begin(
    changed: (plan: ErasurePlan) => ErasurePlan = (plan) => plan,
    lost: readonly LostErasure[] = [],
  ): Promise<Commit> {
    const { archive, run, target } = this;
    await this.survey();
    const planned = await this.plan(lost);
    const redaction = new LogRedaction(archive, run, {
      target,
      removed: planned.removed,
    });
    const around = await leftovers(archive, run, target);
    await putFormat2(archive);
    const files: FileEntry[] = [];
    for (const part of planned.parts) {
      const written = await this.eraser.write(part);
      await written?.staged.publish(written.entry.path);
      if (written) files.push(written.entry);
    }
    return archive.log.append({
      kind: 'erase',
      base: planned.base,
      run,
      checkpoint: 1,
      tool: 'jobvault test',
      scope: {},
      files,
      removed: planned.removed,
      erasure: async (number) => {
        const { vouched, plan } = await redaction.prepare(number);
        const replaced = [...planned.removed];
        const due = { format: 1 as const, commits: plan, replaced, ...around };
        await writePlan(archive.storage, run, changed(due));
        return {
          stage: 'begun' as const,
          id: run,
          reason: null,
          commits: vouched,
          asked: { users: 1, sessions: 0 },
          erased: planned.erased,
        };
      },
    });
  }
}
