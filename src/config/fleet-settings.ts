/** Settings of `enqueue`, `worker` and `status --redis`. */
import { duration, required, text, toggle, whole } from './setting.js';
import { serviceSettings } from './access-settings.js';
import { exportSettings } from './export-settings.js';
import { commitSettings } from './signing-settings.js';
import { budgetSettings } from './budget-settings.js';
import { storageSettings } from './storage-settings.js';
import { telemetrySettings } from './telemetry-settings.js';

export const fleetSettings = {
  redis: text({
    name: 'redis',
    isAddress: true,
    sends: 'the users to export',
    describe: 'The queue: redis://[user:password@]host[:port][/database], rediss:// for TLS',
  }),
  queue: text({
    name: 'queue',
    describe:
      'The prefix of every key in Redis; default: jobvault- and the id of the archive, so that each has its own',
  }),
};

export const enqueueSettings = {
  ...fleetSettings,
  redis: required(fleetSettings.redis),
  run: text({
    name: 'run',
    describe: 'The name of the run; the same name adds no user twice; default: a new name',
  }),
  resume: text({
    name: 'resume',
    describe:
      'Put users of this run back that the queue has lost: those that the log does not have',
  }),
  attempts: whole(
    { name: 'attempts', describe: 'How many times a failing user is tried', default: 5 },
    [1, 100],
  ),
  retryDelayMs: duration({
    name: 'retry-delay',
    describe: 'The delay before the second attempt; it doubles with each further attempt',
    default: '30s',
  }),
  wait: toggle({ name: 'wait', describe: 'Wait until the run is finished, and print its summary' }),
  baseUrl: serviceSettings.baseUrl,
  ...storageSettings,
  user: exportSettings.user,
  usersFile: exportSettings.usersFile,
  minUsers: exportSettings.minUsers,
  excludeUser: exportSettings.excludeUser,
  excludeUsersFile: exportSettings.excludeUsersFile,
  allowUnknownUsers: exportSettings.allowUnknownUsers,
  shard: exportSettings.shard,
  out: required(exportSettings.out),
  formats: exportSettings.formats,
  project: exportSettings.project,
  ...telemetrySettings,
};

export const workerSettings = {
  ...fleetSettings,
  redis: required(fleetSettings.redis),
  exitWhenIdleMs: duration({
    name: 'exit-when-idle',
    describe:
      'Exit after this long without work, such as 5m: code 0, or 3 if gaps are open; default: never',
  }),
  baseUrl: required(serviceSettings.baseUrl),
  apiKeyFile: serviceSettings.apiKeyFile,
  ...storageSettings,
  apiKeyHeader: serviceSettings.apiKeyHeader,
  out: required(exportSettings.out),
  rate: serviceSettings.rate,
  maxRequests: budgetSettings.maxRequests,
  maxStalenessMs: budgetSettings.maxStalenessMs,
  rateGroup: text({
    name: 'rate-group',
    isRare: true,
    describe:
      'Workers with the same name share one rate; default: all workers of a service, whose limit is per team',
  }),
  formats: exportSettings.formats,
  parquetCodec: exportSettings.parquetCodec,
  noDelta: exportSettings.noDelta,
  project: exportSettings.project,
  search: exportSettings.search,
  allowOtherConversations: exportSettings.allowOtherConversations,
  full: exportSettings.full,
  rereadMs: exportSettings.rereadMs,
  settleTimeMs: exportSettings.settleTimeMs,
  storageBaseUrl: exportSettings.storageBaseUrl,
  concurrency: exportSettings.concurrency,
  fileConcurrency: exportSettings.fileConcurrency,
  pageSize: exportSettings.pageSize,
  checkpointBytes: exportSettings.checkpointBytes,
  checkpointIntervalMs: exportSettings.checkpointIntervalMs,
  maxFileBytes: exportSettings.maxFileBytes,
  allowPrivateNetwork: exportSettings.allowPrivateNetwork,
  ...commitSettings,
};
