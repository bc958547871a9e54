/** Puts users into the queue, and waits for their run if asked to. */
import { UsersListError, whyListIsMarkup } from '../../../archive/reading/users/users-list.js';
import { givenValue } from '../../../config/resolve-settings.js';
import type { Logger } from '../../../base/logger.js';
import type { Terms } from '../../../base/terms.js';
import { UsageError } from '../../../base/error.js';
import { enqueueSettings } from '../../../config/fleet-settings.js';
import type { Enqueued } from '../../../fleet/enqueue-run.js';
import type { waitForRun as WaitForRun } from '../../../fleet/wait-for-run.js';
import { type CommandResult, defineCommand, type Invocation } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { enqueuedView, runView } from '../../output/reports/fleet-report.js';
import { redisOf } from '../../input/redis-url.js';
import { storageOptionsOf } from '../../../config/storage-settings.js';
import { readManyUsers } from '../../input/users.js';
import { TextSet } from '../../../base/text/text-set.js';
import { asUserId } from '../../../model/ids.js';
import { isAnyOpen } from '../../../model/gap-counts.js';
import { isInShard, type Shard } from '../../../model/shard.js';
import { warnAtTheCap } from '../../output/warn-at-the-cap.js';
import { warnOfGaps } from '../../output/warn-of-gaps.js';

export const enqueueCommand = defineCommand({
  usage: 'enqueue',
  describe: 'Put users into the queue for workers to export',
  settings: enqueueSettings,
  examples: {
    'jobvault enqueue --users-file users.csv --redis redis://queue:6379 --base-url https://api.example.com --out s3://bucket/archive':
      'starts a run; any number of jobvault worker process its users',
    'jobvault enqueue --users-file users.csv --run 2026-11-05 --wait --json':
      'the same run for all calls of a day; prints the summary when all users are done',
    'jobvault enqueue --users-file users.csv --shard 3/16 --redis redis://queue:6379 --out s3://bucket/archive-3':
      'one of sixteen archives: each has its queue and its workers',
    'jobvault enqueue --resume 2026-11-05 --redis redis://queue:6379 --out s3://bucket/archive':
      'after Redis has lost the queue: puts back the users that are not yet archived',
  },
  run: runEnqueue,
});

async function runEnqueue(invocation: Invocation<typeof enqueueSettings>): Promise<CommandResult> {
  const { settings: given, terminal, logger, secrets } = invocation;
  const place = { redis: redisOf(given.redis, secrets), logger, terms: terminal.terms };
  let enqueued: Enqueued;
  try {
    enqueued = await enqueue(invocation, place);
  } catch (error) {
    // as an export of such a list ends: the command line is right
    if (error instanceof UsersListError) return listResult({}, error);
    throw error;
  }
  const { doubtful_list: doubt } = enqueued;
  const result = given.wait
    ? await waitFor(enqueued, invocation, { ...place, queue: enqueued.queue })
    : { value: enqueued, view: enqueuedView(enqueued) };
  return doubt === undefined ? result : listResult(result, new UsersListError(doubt));
}

/** The list of users cannot be right: whoever of them is on the queue is read, and the command is no success. */
function listResult(result: CommandResult, doubt: UsersListError): CommandResult {
  const { exitCode = EXIT.complete, errors = [] } = result;
  return {
    ...result,
    exitCode: exitCode === EXIT.complete ? EXIT.gaps : exitCode,
    errors: [doubt, ...errors],
    counts: { doubtfulList: 1 },
  };
}

async function enqueue(
  invocation: Invocation<typeof enqueueSettings>,
  place: { readonly redis: string; readonly logger: Logger; readonly terms: Terms },
): Promise<Enqueued> {
  const { settings: given } = invocation;
  const { resume, out, queue } = given;
  if (resume === undefined) {
    const { enqueueManyUsers } = await import('../../../fleet/enqueue-run.js');
    return enqueueManyUsers({ ...(await runOf(invocation)), ...place, queue });
  }
  const isUserNamed = (given.user ?? []).length > 0 || given.usersFile !== undefined;
  if (isUserNamed || given.run !== undefined) {
    throw new UsageError(
      '--resume takes the users and settings of its run; leave --user, --users-file and --run out',
    );
  }
  const { resumeRun } = await import('../../../fleet/enqueue-run.js');
  const { attempts, retryDelayMs } = given;
  const storage = storageOptionsOf(given);
  return resumeRun({ ...place, queue, out, storage, run: resume, attempts, retryDelayMs });
}

async function runOf({ settings: given, terminal, logger }: Invocation<typeof enqueueSettings>) {
  const { shard } = given;
  const users = await readManyUsers(given, { terminal, logger });
  const isList = given.usersFile !== undefined;
  const doubt = isList ? whyListIsMarkup(users) : undefined;
  // nothing is on the queue yet, and each id on it would be a user of the archive for good
  if (doubt !== undefined) throw new UsersListError(doubt);
  return {
    list: isList && (given.user ?? []).length === 0 ? { minUsers: given.minUsers } : undefined,
    ...given,
    baseUrl: givenValue(enqueueSettings.baseUrl, given.baseUrl),
    storage: storageOptionsOf(given),
    expectedUsers: given.allowUnknownUsers ? [] : (given.user ?? []),
    users: shard ? TextSet.of(usersIn(users, shard)) : users,
  };
}

function* usersIn(users: Iterable<string>, shard: Shard): Generator<string> {
  for (const user of users) if (isInShard(asUserId(user), shard)) yield user;
}

async function waitFor(
  { run, added }: Enqueued,
  invocation: Invocation<typeof enqueueSettings>,
  place: Parameters<typeof WaitForRun>[0] extends infer P ? Omit<P, 'run'> : never,
): Promise<CommandResult> {
  const { terminal, logger } = invocation;
  logger.info({ run, added }, 'in the queue; waiting for the workers');
  const { signal } = terminal.interruption;
  const { waitForRun: waitForRun } = await import('../../../fleet/wait-for-run.js');
  const finished = await waitForRun({
    ...place,
    run,
    signal,
    onProgress: ({ users }) => {
      logger.info({ run, ...users }, 'users done');
    },
  });
  const { summary, error, failure } = finished;
  if (!summary) {
    const sentence = `run ${run} could not be finished: ${error ?? 'the reason is unknown'}`;
    return { exitCode: EXIT[failure ?? 'unexpected'], errors: [sentence] };
  }
  const isWhole = !isAnyOpen(summary.gap_counts) && summary.budget?.overdue !== true;
  return {
    exitCode: isWhole ? EXIT.complete : EXIT.gaps,
    value: summary,
    view: runView(summary),
    log: (place) => {
      warnAtTheCap(logger, { ...summary, place });
      warnOfGaps(logger, { ...summary, place });
    },
  };
}
