/**
 * Removes users or sessions from an archive permanently, and leaves a receipt in the log that says how much
 * was erased, never what. `archive/log/commit-reader.ts` checks redacted commits; `finish-erasure.ts` does the
 * steps after the receipt.
 */
import type { ArchiveRun } from '../../archive/runs/archive-run.js';
import { PublishedParts } from '../../archive/runs/published-parts.js';
import { planAgain } from '../../archive/runs/plan-again.js';
import { isRefused } from '../../archive/runs/commit-or-withdraw.js';
import type { Lease } from '../../archive/runs/lease.js';
import type { Commit, FileEntry } from '../../archive/log/commit.js';
import type { WrittenPart } from '../../archive/parts/part-files.js';
import {
  assertNotBeingDeleted,
  leftovers,
  planErasure,
  type PlannedErasure,
} from './plan-erasure.js';
import { suppressionsOf } from '../../archive/notes/set-suppressions.js';
import type { RequestRecord } from '../../archive/log/request-history.js';
import { lostOfRequest, openRequestsAbout } from '../../archive/notes/change-requests.js';
import { assertNotHeld, assertAllKnown } from './erasure-checks.js';
import { canGoInPart, exceptHeld } from './except-held.js';
import { requestsLost, textsErased, textsLeft } from './erasure-preview.js';
import {
  learnFromLog,
  ErasureTarget,
  type ErasureRequest,
} from '../../archive/erasing/erasure-target.js';
import { removePlan, writePlan } from '../../archive/erasing/write-plan.js';
import { finishErasure, finishLost } from '../../archive/erasing/finish-erasure.js';
import { disregardLost, isNamedInLost } from '../../archive/erasing/finish-lost.js';
import { lostErasures, type LostErasure } from '../../archive/erasing/erasures.js';
import { encodeIdentity, REDACTED_FORMAT } from '../../archive/identity.js';
import { leaveWorkbook, runsLosing } from '../../archive/workbooks/run-workbooks.js';
import { HeldSessions, spellingsOnHold } from '../../archive/holds/held-sessions.js';
import { assertHoldsKnown } from '../../archive/holds/holds.js';
import { IDENTITY_PATH } from '../../archive/paths.js';
import { messageOf, UsageError } from '../../base/error.js';
import { counting, isSameUser, otherSpellings, userCount } from '../../model/user-spelling.js';
import { PartEraser } from './part-eraser.js';
import { LogRedaction } from '../../archive/erasing/redact-log.js';
import type { ArchivedAgain } from '../../archive/reading/requests/erased-and-back.js';
import { otherSpellingsIn, type OtherSpelling } from '../../archive/reading/users/listed-again.js';
import { rewriteAlone } from '../rewriting.js';
import { assertMayDelete, ERASED_PREFIXES } from '../assert-may-delete.js';
import {
  type EraseOptions,
  type EraseSummary,
  type ErasedSession,
  type ErasedTexts,
  type Suppressed,
  type TextsLeft,
  eraseChoices,
  sessionsAtService,
  nothingInScope,
  type EraseChoices,
  type ErasingRequest,
} from './erase-options.js';
import { assertNamesNobody } from './names-nobody.js';
import { doubtsOfLeft, sessionsSharing, type SharingSession } from './sharing-sessions.js';
import { assertNotCut } from '../../archive/witnesses/cut-log.js';
import type { Archive, ArchiveTask } from '../../archive/archive.js';
import type { Storage } from '../../storage/storage.js';

/**
 * @throws {UsageError} the archive does not have one of the users or sessions, or the reason or the person names one
 * @throws {IntegrityError} the log or a file is damaged
 * @throws {ErasureHeldError} one of them is on hold
 * @throws {LeaseHeldError} a run works on one of the users, and `noWait` is set
 * @throws {ErasureUnfinishedError} another erasure is running or has died on another machine
 */
export async function erase(options: EraseOptions): Promise<EraseSummary> {
  const { archive } = options;
  const startedAt = archive.clock.monotonic();
  return rewriteAlone(options, async (rewriting) => {
    const erasure = new Erasure(options, rewriting, startedAt);
    let summary: EraseSummary;
    try {
      summary = await erasure.run();
    } finally {
      await erasure.release();
    }
    // it has removed all others
    if (summary.status !== 'erased') return summary;
    const snapshot = await rewriting.leaveSnapshot();
    return { ...summary, commits: [...summary.commits, ...(snapshot ? [snapshot] : [])] };
  });
}

const STILL_LOST =
  'earlier erasures are still not finished: their plans are lost, and they were of somebody else';

/** So many bytes of new files wait on the local disk, at most, until they are published. */
const MAX_STAGED_BYTES = 64 * 2 ** 20;

const RECORDED =
  'the erasure is recorded in the log and not finished: what it erases may still be there, and the next run goes on with it';

/** What an erasure puts on the list of those whom exports skip, and whom it does not. */
interface Suppressing extends ErasureRequest {
  readonly held: Suppressed['users_held'];
}

class Erasure {
  readonly #target: ErasureTarget;
  readonly #held: HeldSessions;
  readonly #eraser: PartEraser;
  readonly #leases: Lease[] = [];
  readonly #published: PublishedParts;
  /** The new files, by the path of what each replaces; undefined where no row is left. */
  readonly #replacements = new Map<string, FileEntry | undefined>();
  readonly #options: EraseOptions;
  readonly #rewriting: ArchiveRun;
  readonly #startedAt: number;
  #kept: string | null;
  #stillThere: readonly SharingSession[] = [];
  #sessions: readonly ErasedSession[] = [];
  #textsLeft: readonly TextsLeft[] = [];
  #textsErased: readonly ErasedTexts[] = [];
  #otherSpellings: readonly OtherSpelling[] = [];
  #openRequests: readonly string[] = [];
  #requestsLost: readonly string[] = [];
  #suppressing: Suppressing = { users: [], sessions: [], held: [] };
  /** Open erasures of dead runs whose plans are lost; erasing the same people again finishes them. */
  #lost: readonly LostErasure[] = [];
  /** Whether only commits of lost erasures name any of the target. */
  #isInLost = false;
  /** Whether it is unknown if the log has the commit that names the published files. */
  #isInDoubt = false;

  constructor(options: EraseOptions, rewriting: ArchiveRun, startedAt: number) {
    this.#options = options;
    this.#rewriting = rewriting;
    this.#startedAt = startedAt;
    this.#kept = options.kept;
    this.#target = new ErasureTarget(options);
    this.#held = new HeldSessions(options.archive, options.holds);
    this.#published = new PublishedParts(options.archive);
    this.#eraser = new PartEraser(rewriting, this.#target, options.signal);
  }

  async run(): Promise<EraseSummary> {
    const { archive, confirm, dryRun, reason, by, holds, allowUnknownHolds, signal } =
      this.#options;
    await this.#lookForStaged();
    await this.#survey();
    if (!allowUnknownHolds) await assertHoldsKnown(archive, holds);
    await this.#assertNotHeld();
    await this.#takeLeases();
    const isOfRequest = this.#options.forRequest?.givesReason === true;
    assertNamesNobody({ reason, by, isOfRequest }, this.#target.ids);
    const { commits } = this.#rewriting;
    const again = { archive, signal, commits };
    let planned = await planAgain(again, () => this.#plan());
    const isNothing = !this.#target.isInLog && !this.#isInLost;
    if (isNothing || dryRun) return this.#summary(isNothing ? 'nothing' : 'planned', planned);
    if (confirm && !(await confirm(this.#summary('planned', planned)))) {
      return this.#summary('declined', planned);
    }
    const identity = { ...archive.identity, format: REDACTED_FORMAT } as const;
    if (archive.identity.format !== REDACTED_FORMAT) {
      await archive.storage.put(IDENTITY_PATH, encodeIdentity(identity));
    }
    let isPlanned = true;
    try {
      const receipt = await planAgain(again, async () => {
        await archive.index.refresh();
        // since then another run may have replaced what is read now
        if (!isPlanned || planned.base !== archive.index.through) planned = await this.#plan();
        isPlanned = false;
        return this.#commit(planned);
      });
      return await this.#finish(planned, receipt);
    } catch (error) {
      if (!this.#isInDoubt) await this.#withdraw();
      throw error;
    }
  }

  /** Releases the leases. Safe to repeat. */
  async release(): Promise<void> {
    for (const lease of this.#leases.splice(0)) await lease.release();
  }

  #summary(status: EraseSummary['status'], planned: PlannedErasure, redacted = 0): EraseSummary {
    const { archive, users, forRequest, reason, by, held = [], shared = [] } = this.#options;
    const { run, commits } = this.#rewriting;
    return {
      status,
      archive: archive.storage.location,
      commits,
      receipt: status === 'erased' ? run : null,
      reason: status === 'nothing' ? null : reason,
      by: status === 'nothing' ? null : by,
      request: forRequest?.name ?? null,
      in_scope: forRequest?.inScope?.(new Set(held.map(({ session }) => session))) ?? null,
      erased: planned.erased,
      suppressed: status === 'nothing' ? null : this.#suppressed,
      held,
      shared,
      again: (forRequest?.again ?? []).filter((back) => !this.#takes(back)),
      perhaps_back: forRequest?.perhapsBack(this.#goingIds) ?? null,
      open_requests: this.#openRequests,
      requests_lost: this.#requestsLost,
      users,
      sessions: this.#sessions,
      texts_left: this.#textsLeft,
      texts_erased: this.#textsErased,
      redacted,
      other_spellings: this.#otherSpellings,
      still_there: this.#stillThere,
      kept: this.#kept,
      duration_ms: Math.round(archive.clock.monotonic() - this.#startedAt),
    };
  }

  #takes({ user, session }: ArchivedAgain): boolean {
    return session === null ? this.#target.asked.users.includes(user) : this.#goingIds.has(session);
  }

  get #goingIds(): ReadonlySet<string> {
    return new Set(this.#sessions.map(({ session }) => session));
  }

  get #suppressed(): Suppressed | null {
    if (this.#options.suppress !== true) return null;
    const { users, sessions, held } = this.#suppressing;
    const known = this.#otherSpellings.map(({ user }) => user);
    return {
      users,
      other_spellings: otherSpellings(users, known),
      sessions: sessions.length,
      users_held: held,
    };
  }

  /**
   * A user is skipped as a whole only if nothing of theirs is on hold, however spelt: of others, the erased sessions are,
   * but those that somebody keeps.
   */
  async #planSuppressing(): Promise<Suppressing> {
    const { archive, held = [], usersHeld = [] } = this.#options;
    const { users, sessions } = this.#target.asked;
    const asked = [...users, ...usersHeld];
    const onHold = await spellingsOnHold(archive, await this.#held.now(), asked);
    const isHeld = (user: string) => onHold.some((spelling) => isSameUser(spelling, user));
    const going = asked.filter((user) => usersHeld.includes(user) || isHeld(user));
    const kept = new Set(this.#stillThere.map(({ session }) => session));
    const ofGoing = this.#sessions.filter(
      ({ user, session }) => going.includes(user) && !kept.has(session),
    );
    return {
      users: users.filter((user) => !going.includes(user)),
      sessions: [...new Set([...sessions, ...ofGoing.map(({ session }) => session)])],
      held: going.map((user) => ({
        user,
        sessions: held.filter((session) => session.user === user).length,
        spellings: otherSpellings([user], onHold).filter((spelling) => !asked.includes(spelling)),
      })),
    };
  }

  /** What this run has not swept, it cannot erase: nobody knows whose it is, or whether it is still being written. */
  async #lookForStaged(): Promise<void> {
    const count = (await this.#options.archive.storage.stagedElsewhere?.()) ?? 0;
    if (count === 0) return;
    const unfinished = `${count === 1 ? '1 unfinished file' : `${count} unfinished files`} of runs on other machines, or from before this one was started, may have some of it; the first run a day after their last write removes them`;
    this.#kept = this.#kept === null ? unfinished : `${this.#kept}; ${unfinished}`;
  }

  /** @throws {UsageError} a named user or session is not in the archive */
  async #survey(): Promise<void> {
    const { archive } = this.#options;
    await archive.index.refresh();
    this.#lost = await disregardLost(archive);
    await learnFromLog(archive, this.#target);
    this.#isInLost =
      !this.#target.isInLog && (await isNamedInLost(archive, this.#lost, this.#target));
    // after finishing a dead run's erasure, its users or sessions are not there any more
    const isKnown = this.#rewriting.commits.length > 0 || this.#isInLost;
    if (!isKnown) await assertAllKnown(archive, this.#target, this.#options.suppress);
  }

  /** Leases the users, so that no run archives them at the same time. */
  async #takeLeases(): Promise<void> {
    const { noWait, signal } = this.#options;
    const wait = noWait ? 'term' : 'endless';
    for (const user of [...this.#target.owners].sort()) {
      const leasing = { wait, signal, isSecret: true } as const;
      this.#leases.push(await this.#rewriting.leaseUser(user, leasing));
    }
  }

  /** @throws {ErasureUnfinishedError} another erasure is open: its redactions must be finished first */
  async #plan(): Promise<PlannedErasure> {
    const { archive, signal } = this.#options;
    const planned = await planErasure({
      archive,
      signal,
      target: this.#target,
      eraser: this.#eraser,
      lost: this.#lost,
    });
    this.#stillThere = await sessionsSharing(archive, this.#target, signal);
    this.#sessions = planned.sessions;
    this.#textsLeft = textsLeft(archive, this.#target, this.#options.forRequest?.id);
    this.#textsErased = await textsErased(archive, this.#target, signal);
    this.#otherSpellings = await this.#spellingsThatStay();
    const erased = this.#sessions;
    const users = [...this.#target.asked.users, ...erased.map(({ user }) => user)];
    const sessions = erased.map(({ session }) => session);
    if (this.#options.suppress === true) this.#suppressing = await this.#planSuppressing();
    const isOther = ({ id }: RequestRecord): boolean => id !== this.#options.forRequest?.id;
    const about = openRequestsAbout(archive, { users, sessions });
    // what an earlier erasure has taken the words of, nothing more is taken from
    const isUsable = (request: RequestRecord): boolean =>
      isOther(request) && lostOfRequest(request) === null;
    this.#openRequests = about.filter(isUsable).map(({ name }) => name);
    // a request about somebody else can have an erased id among its words, too
    const open = archive.index.requests.filter(({ closed }) => closed === null);
    this.#requestsLost = requestsLost(open.filter(isOther), this.#target);
    await this.#options.assertStill?.();
    await this.#options.forRequest?.assertOpen();
    await this.#assertNotHeld();
    return planned;
  }

  async #assertNotHeld(): Promise<void> {
    const { archive, canExceptHeld = false } = this.#options;
    const [held, target] = [this.#held, this.#target];
    await assertNotHeld(held, target, async () => {
      return canExceptHeld && (await canGoInPart(archive, target.asked, held));
    });
  }

  /** Spellings of the erased that stay, also those of whom nothing is archived: their ids are in the log. */
  async #spellingsThatStay(): Promise<readonly OtherSpelling[]> {
    const { archive, users, usersHeld = [], forRequest } = this.#options;
    const named = [...users, ...usersHeld];
    const asked = named.length > 0 ? named : (forRequest?.about ?? []);
    return otherSpellingsIn(archive, asked);
  }

  async #commit(planned: PlannedErasure): Promise<Commit> {
    const { archive, reason, by, suppress = false } = this.#options;
    const { run, nextCheckpoint: checkpoint } = this.#rewriting;
    const redaction = new LogRedaction(archive, run, {
      target: this.#target,
      removed: planned.removed,
    });
    const around = await leftovers(archive, run, this.#target);
    const { removed } = planned;
    const sessions = await doubtsOfLeft(archive, this.#stillThere);
    const files = await this.#publish(planned);
    try {
      return await archive.log.append({
        kind: 'erase',
        base: planned.base,
        run,
        checkpoint,
        tool: archive.tool,
        scope: {},
        files,
        removed,
        sessions,
        ...(suppress && { suppressions: suppressionsOf(archive, this.#suppressing) }),
        isOutdatedBy: mayAffectErasure,
        erasure: async (number) => {
          const { vouched, plan, texts } = await redaction.prepare(number);
          const replaced = [...removed];
          const due = { format: 1 as const, commits: plan, replaced, ...around };
          await writePlan(archive.storage, run, due);
          await assertNotBeingDeleted(archive, this.#target);
          const { users, sessions: asked, forRequest, held = [], shared = [] } = this.#options;
          const suppressed = this.#suppressed;
          const atService = sessionsAtService(this.#sessions).length;
          return {
            stage: 'begun' as const,
            id: run,
            reason,
            ...(by !== null && { by }),
            ...(forRequest && { request: forRequest.id }),
            commits: vouched,
            asked: { users: users.length, sessions: asked.length },
            erased: planned.erased,
            ...(held.length > 0 && { held: countsOf(counting(held)) }),
            ...(shared.length > 0 && { shared: countsOf(counting(shared)) }),
            ...(suppressed && {
              suppressed: {
                users: userCount(suppressed.users),
                sessions: suppressed.sessions,
                users_held: userCount(suppressed.users_held.map(({ user }) => user)),
              },
            }),
            ...(atService > 0 && { at_service: atService }),
            ...(this.#stillThere.length > 0 && { still_there: countsOf(this.#stillThere) }),
            ...(texts > 0 && { texts }),
          };
        },
        onPut: () => {
          this.#isInDoubt = true;
        },
      });
    } catch (error) {
      // if the answer was lost, the next run finds out whether the commit is in the log
      if (isRefused(error)) this.#isInDoubt = false;
      throw error;
    }
  }

  /**
   * Writes and publishes the new files, a few at a time: what is staged takes room on the local disk.
   *
   * @throws {IntegrityError} a file is not in the storage, which has said that it is: nothing is erased
   */
  async #publish({ parts }: PlannedErasure): Promise<FileEntry[]> {
    // files of an earlier plan, for originals that another run has replaced since
    const current = new Set(parts.map(({ file }) => file.path));
    const stay = [...this.#replacements].flatMap(([path, entry]) =>
      current.has(path) && entry ? [entry.path] : [],
    );
    await this.#published.withdraw(new Set(stay));
    let staged: WrittenPart[] = [];
    try {
      for (const part of parts) {
        const { path } = part.file;
        if (this.#replacements.has(path)) continue;
        const written = await this.#eraser.write(part);
        this.#replacements.set(path, written?.entry);
        if (!written) continue;
        staged.push(written);
        if (sumOf(staged) < MAX_STAGED_BYTES) continue;
        await this.#publishStaged(staged);
        staged = [];
      }
      await this.#publishStaged(staged);
    } catch (error) {
      for (const { staged: object } of staged) await object.discard();
      // whichever of them are published go with the others
      this.#replacements.clear();
      await this.#published.withdraw();
      throw error;
    }
    return parts.flatMap(({ file }) => this.#replacements.get(file.path) ?? []);
  }

  async #publishStaged(parts: readonly WrittenPart[]): Promise<void> {
    await this.#published.publish(parts);
    // the rows of others go with what these replace
    await this.#published.readBack(parts, this.#rewriting.run, this.#options.signal);
  }

  async #withdraw(): Promise<void> {
    const { archive } = this.#options;
    try {
      await this.#published.withdraw();
      await removePlan(archive.storage, this.#rewriting.run);
    } catch (error) {
      archive.logger.warn({ reason: messageOf(error) }, 'prepared files could not be withdrawn');
    }
  }

  async #finish(planned: PlannedErasure, receipt: Commit): Promise<EraseSummary> {
    const { archive } = this.#options;
    const { run, commits } = this.#rewriting;
    commits.push(receipt.number);
    archive.logger.info({ commit: receipt.number }, 'erasure recorded');
    const checkpoint = this.#rewriting.nextCheckpoint;
    let finished: number | undefined;
    try {
      finished = await finishErasure({ archive, run, checkpoint }, run);
    } catch (error) {
      // the error says what failed, as of any run that has changed nothing
      archive.logger.warn({ commit: receipt.number }, RECORDED);
      throw error;
    }
    if (finished !== undefined) commits.push(finished);
    const lost = { archive, run, checkpoint: this.#rewriting.nextCheckpoint };
    commits.push(...(await finishLost(lost, this.#lost)));
    // the workbooks of these runs are deleted by now
    const losing = runsLosing(archive, receipt.removed);
    for (const losingRun of losing) {
      await leaveWorkbook({ archive, signal: this.#options.signal }, losingRun);
    }
    const lostReceipts = await lostErasures(archive);
    if (lostReceipts.length > 0)
      archive.logger.warn({ receipts: lostReceipts.map(({ receipt }) => receipt) }, STILL_LOST);
    const { erasure } = receipt;
    const redacted = erasure?.stage === 'begun' ? erasure.commits.length : 0;
    return this.#summary('erased', planned, redacted);
  }
}

function sumOf(parts: readonly WrittenPart[]): number {
  return parts.reduce((sum, { entry }) => sum + entry.bytes, 0);
}

/** Whether the commit may have added rows of the erased or of a file to be deleted, a hold, an accepted gap, or a request. */
function mayAffectErasure(commit: Commit): boolean {
  const {
    files,
    sessions,
    deletions,
    users,
    holds = [],
    accepted = [],
    requests = [],
    erasure,
  } = commit;
  return (
    erasure !== undefined ||
    users !== null ||
    [files, sessions, deletions, holds, accepted, requests].some((list) => list.length > 0)
  );
}

/** @throws {UsageError} no user or session is named, or the storage keeps deleted objects @throws as `erase` does */
export async function eraseFromArchive(
  run: ArchiveTask,
  choices: EraseChoices,
  forRequest?: ErasingRequest,
): Promise<EraseSummary> {
  const isNobody = choices.users?.length === 0 && choices.sessions?.length === 0;
  if (forRequest?.inScope && isNobody)
    return nothingInScope(run.archive.storage.location, forRequest);
  const chosen = eraseChoices(choices);
  const isPlan = chosen.dryRun;
  const kept = await assertMayErase(run.archive, { isPlan });
  const given = { ...chosen, ...run, kept, forRequest };
  if (choices.exceptHeld !== true) return erase({ ...given, canExceptHeld: true });
  await finishEarlier(run, { isPlan });
  const holds = new HeldSessions(run.archive, chosen.holds);
  const { asked, ...staying } = await exceptHeld(run.archive, chosen, holds);
  const usersHeld = chosen.users.filter((user) => !asked.users.includes(user));
  return erase({ ...given, ...asked, ...staying, usersHeld });
}

/**
 * Finishes the erasures of dead runs, and reads the log without those whose plans are lost: until then it hides whom a
 * request is about, as if they were erased.
 *
 * @throws as `assertMayErase` does
 */
export async function finishEarlier(
  run: ArchiveTask,
  options: { readonly isPlan: boolean },
): Promise<void> {
  const { archive } = run;
  await archive.index.refresh();
  if (archive.index.openErasures.size === 0) return;
  await assertMayErase(archive, options);
  await rewriteAlone(run, () => Promise.resolve());
  await disregardLost(archive);
}

/**
 * Checks that an erasure can be finished, before anything is changed.
 *
 * @param options.isPlan nothing will be recorded, so no key is needed
 * @returns what the storage keeps of deleted objects, as a clause; null if nothing
 * @throws {UsageError} the storage does not allow permanent deletion
 * @throws {IntegrityError} the newest commit is missing
 * @throws {StorageError} this key may not delete, or not see what is hidden
 * @throws {SigningKeyError | SigningStartError} the log is signed, and this run has no key or another one; or is not, and its key may not begin
 */
export async function assertMayErase(
  archive: Archive,
  { isPlan = false }: { readonly isPlan?: boolean } = {},
): Promise<string | null> {
  const { log, storage } = archive;
  if (!isPlan) await log.assertMayAppend();
  await assertNotCut(archive); // a hold may be in what is not there
  const kept = await keptAt(storage);
  await assertMayDelete(storage, ERASED_PREFIXES);
  return kept;
}

async function keptAt(storage: Storage): Promise<string | null> {
  const kept = await storage.keepsDeleted?.();
  if (kept?.by !== 'locked') return kept?.why ?? null;
  throw new UsageError(`nothing can be erased from ${storage.location}: ${kept.why}`);
}

function countsOf(sessions: readonly { readonly jobs: number }[]) {
  return { sessions: sessions.length, jobs: sessions.reduce((sum, { jobs }) => sum + jobs, 0) };
}
