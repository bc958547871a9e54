/** Finishes a queued run: writes its summary to the queue and to the archive's log. */
import type { GapEntry } from '../archive/log/commit.js';
import { isDoubt } from '../archive/state/archived-session.js';
import { fromSnapshot, type Archive } from '../archive/archive.js';
import { usersNowAtTheCap } from '../archive/reading/users/at-the-cap.js';
import { Spellings } from '../archive/reading/users/listed-again.js';
import { forgetQueued, openRuns, runInLog } from '../archive/runs/queued-runs.js';
import { openArchiveIn } from '../archive/open-archive.js';
import type { Runtime } from '../base/runtime.js';
import { redactText } from '../base/text/redact.js';
import { ulid } from '../base/ulid.js';
import { beginRun } from '../export/run-export.js';
import { DEFAULT_MAX_STALENESS_MS } from '../archive/laps.js';
import { wholeGap, type Gap } from '../export/jobs/gap.js';
import { asRunId, asUserId, type UserId } from '../model/ids.js';
import { userCount } from '../model/user-spelling.js';
import { openStorage } from '../storage/open-storage.js';
import { type RunJob } from './queues.js';
import type { SessionOptions } from './worker-options.js';
import { type RunRecord } from './queue-records.js';
import { BatchTally, decodeBatchResult, type BatchResult } from './batch-tally.js';
import { summarise, type RunSummary } from './run-summary.js';
import { UsersLostError } from './fleet-errors.js';
import { idsOf, readBatches, usersLost } from './lost-users.js';
import { lapAtEnd, saveLap } from './queue-lap.js';
import { RedisBudget } from './redis-budget.js';

type WorkerOption =
  'redis' | 'queue' | 'out' | 'storage' | 'signer' | 'timestampUrls' | 'proxy' | 'maxStalenessMs';

export interface FinishOptions extends Runtime, Pick<SessionOptions, WorkerOption> {
  readonly record: RunRecord;
}

/**
 * Writes the summary of a queued run, and abandons the archive runs of workers that died, so that none is left when it is
 * over. If this worker dies here, another one writes the same summary.
 *
 * @throws {UsageError} the archive is not there
 * @throws {UsersLostError} users are neither complete in the log nor in a result of the queue
 */
export async function finishRun(job: RunJob, options: FinishOptions): Promise<RunSummary> {
  const { record, out, signer, clock, random, logger, terms } = options;
  const results = await resultsOf(job, options);
  const storage = await openStorage(out, options.storage, logger);
  try {
    const archive = await openArchiveIn(storage, { clock, random, logger, terms, signer });
    const known = new Set(
      results.flatMap(({ failed, incomplete, left }) => [...failed, ...incomplete, ...left]),
    );
    const { users, remaining, doubted, decided, queued } = await usersOf(archive, record, known);
    const doubts = await doubtsFound(archive, results, doubted);
    const location = storage.location;
    const shared = new RedisBudget(options.redis, options.queue, record.name);
    await shared.settled(clock, terms.settlingMs);
    const spent = await shared.spent();
    await archive.index.refresh();
    const isSuppressed = (user: string) => archive.index.suppressions.ofUser(user) !== undefined;
    const notListed = results.flatMap(({ left }) => left.filter((user) => !isSuppressed(user)));
    const lap = await lapAtEnd(archive, { record, users: queued, usersLeft: notListed });
    const { maxStalenessMs = DEFAULT_MAX_STALENESS_MS } = options;
    const overdue = lap !== undefined && clock.now() - lap.beganAtMs > maxStalenessMs;
    const budget = spent && { ...spent, overdue };
    const isOfRun = (user: UserId): boolean => queued?.has(user) ?? true;
    const listedTwice = (await Spellings.in(archive)).listedAgain.filter(
      ({ user, countsFor }) => isOfRun(user) && isOfRun(countsFor),
    ).length;
    const atTheCap = await usersNowAtTheCap(archive, record.round ? undefined : queued);
    const told = { doubts, decided, isSuppressed, listedTwice, atTheCap };
    const end = { record, location, results, users, remaining, ...told };
    const summary = summarise({ ...end, budget, finishedAtMs: clock.now() });
    const commit = await recordEnd(summary, archive, {
      record,
      people: queued && userCount(queued),
    });
    if (lap) await saveLap(archive, lap);
    const { timestampUrls: urls = [], proxy, signal } = options;
    if (urls.length > 0) {
      const { stampNewestCommit } = await import('../archive/witnesses/timestamps.js');
      await stampNewestCommit(archive, { urls, proxy, signal });
    }
    return { ...summary, commit };
  } finally {
    await storage.close();
  }
}

interface UsersAtEnd {
  readonly users: number;
  /** Undefined of a run whose end is recorded already. */
  readonly queued?: ReadonlySet<string>;
  /** Whom the log does not have as complete. */
  readonly remaining: ReadonlySet<string>;
  /** Users whom no result needs to know: the log had them as complete, and takes it back. */
  readonly doubted: readonly string[];
  /** How many of the others lack only what somebody has decided on. */
  readonly decided: number;
}

/**
 * @param known users whom the results have with something missing
 * @throws {UsersLostError} of some users neither the log nor a result tells what has become
 */
async function usersOf(
  archive: Archive,
  { name, users, since }: RunRecord,
  known: ReadonlySet<string>,
): Promise<UsersAtEnd> {
  const open = (await openRuns(archive)).find(({ run }) => run === name);
  if (open) {
    const lost = usersLost(open, new Set(), known).length;
    if (lost === 0) {
      const { users: queued, remaining, doubted, decided } = open;
      return { users: queued.size, queued, remaining: new Set(remaining), doubted, decided };
    }
    throw new UsersLostError(
      `the queue has lost ${lost} of ${users} users of the run ${name}; enqueue --resume ${name} puts them back`,
    );
  }
  const { hasEnded, done, doubted, decided } = await runInLog(archive, { run: name, since });
  const remaining = new Set([...known, ...doubted]);
  for (const user of done) remaining.delete(user);
  // it has ended: another worker has recorded that, and died
  const untold = users - done.length - remaining.size;
  if (hasEnded || untold <= 0) return { users, remaining, doubted, decided };
  throw new UsersLostError(
    `the archive has no list of the users of the run ${name} any more (_runs/), and of ${untold} of ${users} neither its log nor the queue tells what has become; put them on the queue again, as another run`,
  );
}

/**
 * The doubts of users whose results were on the queue before these were found. Where the results have gaps, the run has
 * some, and those of users who had some before may be among them.
 *
 * @returns at least one for each of the doubted
 */
async function doubtsFound(
  archive: Archive,
  results: readonly BatchResult[],
  doubted: readonly string[],
): Promise<Gap[]> {
  const hasGaps = results.some(({ gap_counts: { gaps, doubts } }) => gaps + doubts > 0);
  const others = hasGaps ? [] : results.flatMap(({ incomplete }) => incomplete);
  const doubts: Gap[] = [];
  await archive.index.refresh();
  for (const user of new Set([...doubted, ...others])) {
    const { sessions } = await archive.states.load(asUserId(user));
    const found = [...sessions].flatMap(([session, { gaps }]) =>
      gaps.filter(isDoubt).map((gap) => doubtOfLog(archive, { ...gap, user, session })),
    );
    const isOpen = found.length > 0 || !doubted.includes(user);
    doubts.push(...(isOpen ? found : [{ user, session: null, ...wholeGap('incomplete', UNTOLD) }]));
  }
  return doubts;
}

function doubtOfLog(
  { index }: Archive,
  { user, session, ...gap }: GapEntry & { readonly user: string; readonly session: string },
): Gap {
  const by = index.acceptedGaps.find(user, session, gap)?.by;
  const found = { user, session, ...gap, status: gap.status as Gap['status'] };
  return by === undefined ? found : { ...found, accepted: true, accepted_by: by };
}

const UNTOLD = 'something of the user is missing, as its newest listing has it';

/** Results that cannot be read are left out: then the log does not have their users, or it has them as complete. */
async function resultsOf(
  job: RunJob,
  { redis, queue, record, logger }: FinishOptions,
): Promise<BatchResult[]> {
  const results: BatchResult[] = [];
  for (const [key, value] of Object.entries(await job.getChildrenValues<unknown>())) {
    const result = decodeBatchResult(value);
    if (result) results.push(result);
    else logger.error({ run: record.name, job: key }, "the queue's result of a batch is invalid");
  }
  for (const [key, text] of Object.entries(await job.getIgnoredChildrenFailures())) {
    const reason = redactText(text);
    logger.warn({ run: record.name, job: key, reason }, 'users are lost');
    for await (const [, batch] of readBatches(redis, queue, idsOf([key]))) {
      const tally = new BatchTally().addLost(batch.users, reason);
      results.push((batch.done ? tally.add(batch.done) : tally).result());
    }
  }
  return results;
}

/** @param people how many people its users are. @returns the commit */
async function recordEnd(
  summary: Omit<RunSummary, 'commit'>,
  archive: Archive,
  { record, people }: { readonly record: RunRecord; readonly people: number | undefined },
): Promise<number> {
  await archive.log.assertMayAppend();
  const run = asRunId(ulid(archive.clock, archive.random));
  const reading = fromSnapshot(archive);
  const archiveRun = await beginRun({ archive, reading }, run);
  try {
    await reading.index.refresh();
    const { users, sessions, jobs, gap_counts: counts, status, enqueued_at: since } = summary;
    const scope = {
      queue: record.name,
      enqueued_at: since,
      status,
      users,
      ...(people !== undefined && people < users.total && { people }),
      sessions,
      jobs,
      gaps: counts.gaps,
      doubts: counts.doubts,
      ...(record.round ? {} : { named: true }),
      ...(record.doubtful_list && { doubtful_list: true }),
    };
    const { number } = await archive.log.append({
      kind: 'export',
      run,
      checkpoint: archiveRun.commits.length + 1,
      tool: archive.tool,
      base: reading.index.through,
      scope,
    });
    await forgetQueued(archive.storage, record.name, number);
    await archiveRun.leaveSnapshot(reading);
    return number;
  } finally {
    await archiveRun.end();
  }
}
