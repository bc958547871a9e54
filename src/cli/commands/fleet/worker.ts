/** Exports users from the queue until it is stopped or idle. */
import { proxyFromEnvironment } from '../../../base/http/proxy.js';
import { workerSettings } from '../../../config/fleet-settings.js';
import { telemetrySettings } from '../../../config/telemetry-settings.js';
import { readSigner, timestampUrls } from '../../input/keys.js';
import { redisOf } from '../../input/redis-url.js';
import { readApiKey } from '../../input/api-key.js';
import { storageOptionsOf } from '../../../config/storage-settings.js';
import { type CommandResult, defineCommand, type Invocation } from '../../command.js';
import { EXIT, exitCodeOfError } from '../../exit-code.js';
import { OtherProjectError } from '../../../export/project-of-key.js';
import { workerView } from '../../output/reports/fleet-report.js';
import { countsOfWorker } from '../../output/run-counts.js';
import { warnAtTheCap } from '../../output/warn-at-the-cap.js';
import { warnOfGaps } from '../../output/warn-of-gaps.js';

const settings = { ...workerSettings, ...telemetrySettings };

export const workerCommand = defineCommand({
  usage: 'worker',
  describe: 'Export users from the queue; any number of workers can run at once',
  settings,
  isNightly: true,
  examples: {
    'jobvault worker --redis rediss://queue:6380 --base-url https://api.example.com --out s3://bucket/archive':
      'runs until SIGTERM, then commits what is done and returns the rest',
    'jobvault worker --redis redis://queue --base-url https://api.example.com --out /mnt/archive --exit-when-idle 5m':
      'for an archive mounted elsewhere, as a batch job',
  },
  run: runWorkerCommand,
});

async function runWorkerCommand(invocation: Invocation<typeof settings>): Promise<CommandResult> {
  const { settings: given, terminal, logger, secrets, tookMs } = invocation;
  const redis = redisOf(given.redis, secrets);
  const apiKey = await readApiKey(given.apiKeyFile, invocation);
  const { terms } = terminal;
  const { signal } = terminal.interruption;
  signal.addEventListener('abort', () => {
    logger.warn({}, 'stopping: committing what is done; interrupt again to exit at once');
  });
  const { runWorker: runWorker } = await import('../../../fleet/run-worker.js');
  const { summary, error } = await runWorker({
    ...given,
    redis,
    apiKey,
    logger,
    terms,
    signal,
    storage: storageOptionsOf(given),
    signer: await readSigner(given, { terminal, logger }),
    timestampUrls: timestampUrls(given.timestampUrl),
    proxy: proxyFromEnvironment(terminal.environment),
  });
  summary.duration_ms = tookMs();
  const { status, overdue, open_gaps: open = {}, at_the_cap: capped = [] } = summary;
  const { left_gaps: left = 0 } = summary;
  // not users with gaps: somebody may have accepted these
  const { gaps, doubts } = summary.gap_counts;
  const hasOpenGaps =
    gaps + doubts > 0 || Object.values(open).reduce((sum, count) => sum + count, -left) > 0;
  const isIncomplete = hasOpenGaps || overdue || status === 'lost';
  const budget = { overdue };
  const ended = error === undefined ? undefined : exitCodeOfError(error);
  const { exitCode = ended ?? (isIncomplete ? EXIT.gaps : EXIT.complete) } = terminal.interruption;
  return {
    exitCode,
    value: summary,
    view: workerView(summary),
    log: (place) => {
      warnAtTheCap(logger, { place, at_the_cap: capped });
      warnOfGaps(logger, { place, ...summary, budget });
    },
    errors: error === undefined ? [] : [error],
    counts: {
      ...countsOfWorker(summary),
      ...(error instanceof OtherProjectError && { doubtfulList: 1 }),
    },
  };
}
