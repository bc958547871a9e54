/**
 * Erases the sessions in which everything is older than a moment, with one receipt for all. The plan comes from the
 * log. In doubt a session stays.
 */
import { dayOf } from '../../model/times/timestamp.js';
import { counting } from '../../model/user-spelling.js';
import { fromSnapshot, type ArchiveTask } from '../../archive/archive.js';
import { assertHoldsKnown, Holds } from '../../archive/holds/holds.js';
import type { Commit } from '../../archive/log/commit.js';
import { readAhead } from '../../base/concurrently.js';
import { sessionKey } from '../../model/ids.js';
import {
  ErasureHeldError,
  eraseChoices,
  type EraseOptions,
  type EraseSummary,
} from '../erasure/erase-options.js';
import { assertMayErase, erase } from '../erasure/erase.js';
import { namesAny } from '../../archive/erasing/named-in.js';
import { rewriteAlone } from '../rewriting.js';
import { planExpiry, type ExpiryPlan, type ExpiryRules } from './plan-expiry.js';
import {
  assertAboveFloor,
  assertExpiry,
  type ExpiredSession,
  type ExpireChoices,
  type ExpireSummary,
  type ExpiryOutcome,
} from './expire-options.js';

/** Attempts to plan: other runs may add holds or jobs to planned sessions. */
const MAX_ATTEMPTS = 10;
/** Commits read at a time, from the newest back: a run that has walked the log has these in memory. */
const READ_AHEAD = 4;

/**
 * @throws {UsageError} there is no such user, a hold matches nothing, or the reason or the person names one of the erased
 * @throws {IntegrityError} the log or a file is damaged
 * @throws {ErasureHeldError} holds were added during every attempt
 * @throws {LeaseHeldError} a run works on one of the users, and `noWait` is set
 */
export async function expire(run: ArchiveTask, choices: ExpireChoices): Promise<ExpireSummary> {
  assertExpiry(choices);
  const { archive, signal } = run;
  const { clock, logger } = archive;
  const { users, confirm, dryRun = false, holds = Holds.none } = choices;
  // a plan may be a snapshot's; what erases reads every commit
  const known = dryRun ? fromSnapshot(archive) : archive;
  await known.index.refresh();
  assertAboveFloor(known, choices.olderThanMs);
  const kept = dryRun ? null : await assertMayErase(archive);
  // finishes the erasure of an expiry that died
  if (!dryRun) await rewriteAlone(run, () => Promise.resolve());
  const startedAt = clock.monotonic();
  const { fromMs, clock: witness } = await countedFrom(run, choices);
  const momentMs = fromMs - choices.olderThanMs;
  const rules: ExpiryRules = { momentMs, users, holds, signal, clock: witness };
  if (choices.allowUnknownHolds !== true) await assertHoldsKnown(known, holds);
  const summary = (status: ExpireSummary['status'], plan: ExpiryPlan, erasure?: EraseSummary) =>
    summaryOf(run, { status, plan, choices, fromMs, momentMs, startedAt, erasure, kept });
  let plan = await planExpiry(known, rules);
  if (dryRun) return summary('planned', plan);
  const agreed = new Set(goingOf(plan).map(keyOf));
  if (agreed.size > 0 && confirm && !(await confirm(summary('planned', plan)))) {
    return summary('declined', plan);
  }
  for (let attempt = 1; ; attempt++) {
    if (attempt > 1) plan = await planExpiry(archive, { ...rules, agreed });
    assertAboveFloor(archive, choices.olderThanMs);
    const going = goingOf(plan);
    try {
      const erasure =
        going.length > 0 ? await eraseSessions({ ...run, kept }, choices, rules, going) : undefined;
      const isWhole = countOf(plan.sessions, 'refused') === 0;
      return summary(isWhole ? 'complete' : 'refused', plan, erasure);
    } catch (error) {
      const isOutdated = error instanceof OutdatedPlan || error instanceof ErasureHeldError;
      if (!isOutdated || attempt >= MAX_ATTEMPTS) throw error;
      logger.info({ attempt }, 'a planned session is on hold or has changed; planning again');
    }
  }
}

interface CountedFrom {
  readonly fromMs: number;
  readonly clock: ExpiryRules['clock'];
}

/** One clock alone erases nothing by age: counted is from the newest commit of a run whose clock the service confirmed. */
async function countedFrom(
  { archive, signal }: ArchiveTask,
  { trustThisClock = false }: ExpireChoices,
): Promise<CountedFrom> {
  const nowMs = archive.clock.now();
  if (trustThisClock) return { fromMs: nowMs, clock: 'trusted' };
  const newest = (await archive.log.head())?.number ?? 0;
  const commits = readAhead(numbersDown(newest), READ_AHEAD, (number) => archive.log.read(number));
  for await (const commit of commits) {
    signal.throwIfAborted();
    if (!commit.clock_confirmed) continue;
    return { fromMs: Math.min(nowMs, timeOf(commit)), clock: 'confirmed' };
  }
  return { fromMs: nowMs, clock: 'unconfirmed' };
}

function* numbersDown(from: number): Generator<number> {
  for (let number = from; number > 0; number--) yield number;
}

function timeOf({ created_at: at }: Commit): number {
  return Date.parse(at);
}

/** A planned session must not be erased any more. */
class OutdatedPlan extends Error {}

async function eraseSessions(
  run: ArchiveTask & Pick<EraseOptions, 'kept'>,
  { reason: chosenReason, by, noWait, holds }: ExpireChoices,
  rules: ExpiryRules,
  going: readonly ExpiredSession[],
): Promise<EraseSummary> {
  const sessions = going.map(({ session }) => session);
  const ids = new Set([...sessions, ...going.map(({ user }) => user)]);
  const automatic = `expired: nothing was newer than ${dayOf(rules.momentMs)}`;
  const reason = chosenReason ?? (namesAny(automatic, ids) ? undefined : automatic);
  const agreed = new Set(going.map(keyOf));
  const choices = { sessions, reason, by, holds, noWait, allowUnknownHolds: true };
  return erase({
    ...run,
    ...eraseChoices(choices),
    assertStill: async () => {
      const plan = await planExpiry(run.archive, { ...rules, agreed });
      if (goingOf(plan).length < agreed.size) throw new OutdatedPlan();
    },
  });
}

function countOf(sessions: readonly ExpiredSession[], outcome: ExpiryOutcome): number {
  return sessions.filter((session) => session.outcome === outcome).length;
}

interface SummaryParts {
  readonly status: ExpireSummary['status'];
  readonly plan: ExpiryPlan;
  readonly choices: Pick<ExpireChoices, 'reason' | 'by'>;
  readonly fromMs: number;
  readonly momentMs: number;
  readonly startedAt: number;
  readonly erasure: EraseSummary | undefined;
  readonly kept: string | null;
}

function summaryOf({ archive }: ArchiveTask, summary: SummaryParts): ExpireSummary {
  const { status, plan, choices, fromMs, momentMs, startedAt, erasure, kept } = summary;
  const outcome: ExpiryOutcome = erasure ? 'erased' : 'planned';
  const sessions = plan.sessions.map((session) =>
    session.outcome === 'planned' ? { ...session, outcome } : session,
  );
  const going = counting(goingOf(plan)).length;
  const once = counting(sessions);
  return {
    status,
    archive: archive.storage.location,
    older_than: new Date(momentMs).toISOString(),
    counted_from: new Date(fromMs).toISOString(),
    planned: erasure ? 0 : going,
    expired: erasure ? going : 0,
    refused: countOf(once, 'refused'),
    held: countOf(once, 'held'),
    time_unknown: once.filter(({ reason }) => reason === 'time-unknown').length,
    kept: plan.kept,
    sessions,
    reason: choices.reason ?? null,
    by: choices.by ?? null,
    receipt: erasure?.receipt ?? null,
    commits: erasure?.commits ?? [],
    erased: erasure?.erased ?? null,
    redacted: erasure?.redacted ?? 0,
    keeps_deleted: erasure?.kept ?? kept,
    duration_ms: Math.round(archive.clock.monotonic() - startedAt),
  };
}

function goingOf({ sessions }: ExpiryPlan): ExpiredSession[] {
  return sessions.filter(({ outcome }) => outcome === 'planned');
}

function keyOf({ user, session }: ExpiredSession): string {
  return sessionKey(user, session);
}
