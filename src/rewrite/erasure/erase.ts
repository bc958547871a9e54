/**
 * Removes people or sessions from an archive for good, and leaves a receipt in the log that tells how
 * much went, never what. How the log stays provable is told in `archive/commit-reader.ts`; what happens
 * once the receipt stands, in `archive/finish-erasure.ts`.
 */
import { acquireLease, type Lease } from '../../archive/runs/lease.js';
import { CommitConflictError } from '../../archive/log/commit-conflict-error.js';
import type { Commit } from '../../archive/log/commit.js';
import { removePlan, writePlan } from './erasure-plan.js';
import { finishErasure } from './finish-erasure.js';
import { encodeIdentity, REDACTED_FORMAT } from '../../archive/identity.js';
import { assertHoldsKnown, Holds } from '../../archive/holds.js';
import { IDENTITY_PATH, userLeasePath } from '../../archive/paths.js';
import { messageOf } from '../../base/error.js';
import { UsageError } from '../../base/usage-error.js';
import type { RowFormat } from '../../formats/format.js';
import { ErasureHeldError } from '../erasure-held-error.js';
import { ErasureUnfinishedError } from './erasure-unfinished-error.js';
import { PartEraser } from './part-eraser.js';
import { WorkbookEraser } from './workbook-eraser.js';
import { leftovers, planErasure, type PlannedErasure } from './plan-erasure.js';
import { namesAny } from './redact-commit.js';
import { LogRedaction } from './redact-log.js';
import { Rewriting } from '../rewriting.js';
import { assertAllKnown, learnFromLog } from '../known-subject.js';
import type { EraseOptions, EraseSummary } from './erase-options.js';
import { Subject } from './subject.js';

/** Commits of others in between, one after the other, before this run gives way. */
const MAX_CONFLICTS = 50;

/**
 * @throws {UsageError} the archive has nothing of one that is named, or the reason names one
 * @throws {IntegrityError} the log or a file is damaged
 * @throws {ErasureHeldError} one of them is on hold
 * @throws {LeaseHeldError} a run is at work on one of the users, and is not to be waited for
 * @throws {ErasureUnfinishedError} another erasure is under way on another machine, or died there
 */
export async function erase(options: EraseOptions): Promise<EraseSummary> {
  const startedAt = options.clock.monotonic();
  const rewriting = await Rewriting.begin(options);
  const erasure = new Erasure(options, rewriting);
  try {
    const { status, planned, redacted } = await erasure.run();
    return {
      status,
      archive: options.archive.storage.location,
      commits: rewriting.commits,
      receipt: status === 'erased' ? rewriting.run : null,
      erased: planned.erased,
      redacted,
      kept: options.kept,
      duration_ms: Math.round(options.clock.monotonic() - startedAt),
    };
  } finally {
    await erasure.release();
    await rewriting.end();
  }
}

interface Outcome {
  readonly status: EraseSummary['status'];
  readonly planned: PlannedErasure;
  readonly redacted: number;
}

class Erasure {
  readonly #subject: Subject;
  readonly #eraser: PartEraser;
  readonly #workbookEraser: WorkbookEraser;
  readonly #formats: readonly RowFormat[];
  readonly #leases: Lease[] = [];
  readonly #published = new Set<string>();
  readonly #options: EraseOptions;
  readonly #rewriting: Rewriting;

  constructor(options: EraseOptions, rewriting: Rewriting) {
    this.#options = options;
    this.#rewriting = rewriting;

    const { formats } = options.archive.identity;
    this.#formats = options.formats.filter(({ name }) => formats.includes(name));
    this.#subject = new Subject(options);
    this.#eraser = new PartEraser(rewriting, this.#formats, this.#subject);
    this.#workbookEraser = new WorkbookEraser(rewriting, this.#formats, this.#subject);
  }

  async run(): Promise<Outcome> {
    const { archive, confirm, dryRun, reason, holds, allowUnknownHolds } = this.#options;
    await this.#survey();
    if (!allowUnknownHolds) await assertHoldsKnown(archive, holds);
    this.#assertNotHeld();
    await this.#takeLeases();
    if (namesAny(reason, this.#subject.ids)) {
      throw new UsageError('the reason names what is to be erased; allowed is one that does not');
    }
    let planned = await this.#plan();
    const isNothing = !this.#subject.isInLog;
    if (isNothing || dryRun) return this.#leave(isNothing ? 'nothing' : 'planned', planned);
    if (confirm && !(await confirm(planned.erased))) return this.#leave('declined', planned);
    const identity = { ...archive.identity, format: REDACTED_FORMAT } as const;
    if (archive.identity.format !== REDACTED_FORMAT) {
      await archive.storage.put(IDENTITY_PATH, encodeIdentity(identity));
    }
    for (let conflicts = 0; ; conflicts++) {
      const receipt = await this.#tryToCommit(planned);
      if (!(receipt instanceof CommitConflictError)) return this.#finish(planned, receipt);
      if (conflicts >= MAX_CONFLICTS) {
        await this.#withdraw();
        throw receipt;
      }
      this.#options.signal.throwIfAborted();
      planned = await this.#plan();
    }
  }

  /** Harmless when repeated. */
  async release(): Promise<void> {
    await this.#eraser.discard();
    await this.#workbookEraser.discard();
    for (const lease of this.#leases.splice(0)) await lease.release();
  }

  async #leave(status: Outcome['status'], planned: PlannedErasure): Promise<Outcome> {
    await this.#eraser.discard();
    await this.#workbookEraser.discard();
    return { status, planned, redacted: 0 };
  }

  /** @throws {UsageError} one that is named is not in the archive, and was not just before */
  async #survey(): Promise<void> {
    const { archive } = this.#options;
    await archive.index.refresh();
    await learnFromLog(archive, this.#subject);
    // what a run that died had begun to erase is not there any more, and rightly so
    if (this.#rewriting.commits.length === 0) await assertAllKnown(archive, this.#subject);
  }

  /** So that nobody archives them at the same time: what was read before the erasure must not come after it. */
  async #takeLeases(): Promise<void> {
    const { archive, noWait, logger, clock, random, processes, signal } = this.#options;
    for (const user of [...this.#subject.owners].sort()) {
      const lease = await acquireLease({
        storage: archive.storage,
        path: userLeasePath(user),
        run: this.#rewriting.run,
        processes,
        clock,
        random,
        logger,
        signal,
        subject: 'one of the users',
        patience: noWait ? 'term' : 'endless',
        onWait: () => {
          logger.info({}, 'a run is at work on one of the users; waiting for it');
        },
      });
      this.#leases.push(lease);
    }
  }

  /** @throws {ErasureUnfinishedError} another's: what it redacts must not be redacted from */
  async #plan(): Promise<PlannedErasure> {
    const { archive, signal } = this.#options;
    await archive.index.refresh();
    if (archive.index.openErasures.size > 0) {
      throw new ErasureUnfinishedError(archive.storage.location);
    }
    const formats = this.#formats;
    const planned = await planErasure({
      archive,
      formats,
      signal,
      subject: this.#subject,
      eraser: this.#eraser,
      workbookEraser: this.#workbookEraser,
    });
    this.#assertNotHeld();
    return planned;
  }

  /** @throws {ErasureHeldError} something of what the log tells of the erased is on hold */
  #assertNotHeld(): void {
    const { archive, users } = this.#options;
    const holds = this.#options.holds.with(Holds.inLog(archive));
    for (const { user, session } of this.#subject.sessionKeys) {
      const why = holds.reasonFor(user, session);
      if (why !== undefined) throw new ErasureHeldError(`session "${session}" of "${user}"`, why);
    }
    const held = users.find((user) => holds.holdsUser(user));
    if (held !== undefined) throw new ErasureHeldError(`user "${held}"`, 'the user is on hold');
  }

  async #tryToCommit(planned: PlannedErasure): Promise<Commit | CommitConflictError> {
    const { archive, tool, reason, graceMs } = this.#options;
    const { run, nextCheckpoint: checkpoint } = this.#rewriting;
    const gone = new Set(planned.artifacts.map(({ path }) => path));
    const redaction = new LogRedaction(archive, run, { subject: this.#subject, artifacts: gone });
    const around = await leftovers(archive, run, this.#subject, gone);
    const { removed } = planned;
    const files = await this.#publish(planned);
    const put = { isTried: false };
    try {
      return await archive.log.append({
        kind: 'erase',
        base: planned.base,
        run,
        checkpoint,
        tool,
        scope: {},
        files,
        removed,
        isOutdatedBy: tellsOfAnything,
        erasure: async (number) => {
          const { vouched, plan } = await redaction.prepare(number);
          const replaced = [...removed];
          const due = { format: 1 as const, commits: plan, replaced, graceMs, ...around };
          await writePlan(archive.storage, run, due);
          const { users, sessions } = this.#options;
          return {
            stage: 'begun' as const,
            id: run,
            reason,
            commits: vouched,
            asked: { users: users.length, sessions: sessions.length },
            erased: planned.erased,
          };
        },
        onPut: () => {
          put.isTried = true;
        },
      });
    } catch (error) {
      if (error instanceof CommitConflictError) return error;
      // whether a commit stands whose answer was lost, the next run sees
      if (!put.isTried) await this.#withdraw();
      throw error;
    }
  }

  async #publish({ written }: PlannedErasure) {
    // what an earlier plan had in place of a file that somebody else has replaced since
    const wanted = new Set(written.map(({ entry }) => entry.path));
    for (const path of this.#published) {
      if (!wanted.has(path)) await this.#options.archive.storage.delete(path);
    }
    for (const { entry, staged } of written) {
      if (this.#published.has(entry.path)) continue;
      await staged.publish(entry.path);
      this.#published.add(entry.path);
    }
    return written.map(({ entry }) => entry);
  }

  async #withdraw(): Promise<void> {
    const { archive, logger } = this.#options;
    try {
      for (const path of this.#published) await archive.storage.delete(path);
      await removePlan(archive.storage, this.#rewriting.run);
    } catch (error) {
      logger.warn({ reason: messageOf(error) }, 'what was prepared could not be taken back');
    }
  }

  async #finish(planned: PlannedErasure, receipt: Commit): Promise<Outcome> {
    const { archive, tool, logger } = this.#options;
    const { run, commits } = this.#rewriting;
    commits.push(receipt.number);
    logger.info({ commit: receipt.number }, 'erasure recorded');
    await archive.index.refresh();
    const checkpoint = this.#rewriting.nextCheckpoint;
    const finished = await finishErasure({ archive, run, tool, checkpoint }, run);
    if (finished !== undefined) commits.push(finished);
    const { erasure } = receipt;
    const redacted = erasure?.stage === 'begun' ? erasure.commits.length : 0;
    return { status: 'erased', planned, redacted };
  }
}

/** Rows that came since the plan was made may be of the erased, or name a file that would go; a hold binds. */
function tellsOfAnything(commit: Commit): boolean {
  const { files, artifacts, sessions, deletions, users, holds = [], erasure } = commit;
  return (
    erasure !== undefined ||
    [files, artifacts, sessions, deletions, users, holds].some((list) => list.length > 0)
  );
}
