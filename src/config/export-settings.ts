/** Settings of `export`; other commands take some of them. */
import { storageSettings } from './storage-settings.js';
import {
  ARCHIVE_FORMATS,
  canBeReadBack,
  DEFAULT_FORMAT,
  NEEDS_ROWS,
  PARQUET_CODECS,
} from '../formats/formats.js';
import { LIMITS } from '../model/records.js';
import { parseShard } from '../model/shard.js';
import {
  choice,
  choices,
  duration,
  limitedText,
  list,
  parsed,
  size,
  text,
  toggle,
  userList,
  share,
  whole,
} from './setting.js';

export const exportSettings = {
  ...storageSettings,
  user: userList({
    name: 'user',
    section: 'users',
    inNewFile: true,
    describe: 'A user to export; repeatable',
    alternatives: ['users-file'],
  }),
  usersFile: text({
    name: 'users-file',
    section: 'users',
    inNewFile: true,
    describe:
      'A file of users to export: one per line, or a CSV column user_id; # begins a comment; - is stdin',
    alternatives: ['user'],
  }),
  minUsers: share({
    name: 'min-users',
    section: 'users',
    describe:
      'The run ends with exit code 3 if the users file has less than this share of the recent users',
    default: '80%',
  }),
  // as holds: what a file excludes must not come back because a flag excludes somebody else
  excludeUser: list({
    name: 'exclude-user',
    section: 'users',
    inNewFile: true,
    describe: 'Never export this user, however spelt; repeatable',
    addsUp: true,
  }),
  excludeUsersFile: list({
    name: 'exclude-users-file',
    section: 'users',
    inNewFile: true,
    describe: 'A file of users never to export, like --users-file; repeatable',
    addsUp: true,
  }),
  allowUnknownUsers: toggle({
    name: 'allow-unknown-users',
    section: 'users',
    isRare: true,
    describe:
      'Count no gap for a --user without any session, nor doubt a list of users of whom the service knows nobody',
  }),
  allowOtherConversations: toggle({
    name: 'allow-other-conversations',
    section: 'users',
    isRare: true,
    describe:
      'Go on if the service lists none of the archived conversations, as where all were deleted there; with the key of another project, the conversations of that are archived, too',
  }),
  shard: parsed(
    {
      name: 'shard',
      section: 'users',
      describe:
        'Export only this share of the users, at this share of --rate: 3/16 is the third of 16 shares',
    },
    'I/N with I from 1 to N, such as 3/16',
    parseShard,
  ),
  out: text({
    name: 'out',
    section: 'users',
    inNewFile: true,
    describe: 'The archive: a directory or s3://bucket/prefix',
  }),
  headFile: text({
    name: 'head-file',
    section: 'users',
    describe:
      'A file outside of the archive, a path or s3://bucket/key: each command that changes the archive notes the newest commit there, and the next one ends with exit code 4, before it changes anything, if the log does not have it any more',
  }),
  formats: choices(
    {
      name: 'format',
      section: 'users',
      inNewFile: true,
      describe: `Formats of a new archive; default: ${DEFAULT_FORMAT}`,
    },
    ARCHIVE_FORMATS,
    { holds: canBeReadBack, text: NEEDS_ROWS },
  ),
  parquetCodec: choice(
    {
      name: 'parquet-codec',
      section: 'users',
      inNewFile: true,
      isRare: true,
      describe: 'How Parquet pages are compressed',
      default: 'zstd',
    },
    PARQUET_CODECS,
  ),
  project: text({
    name: 'project',
    section: 'service',
    inNewFile: true,
    describe: "A label for the API key's project; an archive holds one project",
  }),
  sessions: list({
    name: 'session',
    section: 'scope',
    describe: 'Export only this session of the one --user; repeatable',
  }),
  search: limitedText(
    {
      name: 'search',
      section: 'scope',
      describe: 'Export only sessions whose name contains this text',
    },
    LIMITS.searchLength,
  ),
  full: toggle({
    name: 'full',
    section: 'scope',
    describe:
      'Read all histories completely now; otherwise a change in the middle of a long history is found only within --reread',
  }),
  rereadMs: duration({
    name: 'reread',
    section: 'scope',
    describe:
      'Read each history completely once in this time; that takes a request for every 100 jobs instead of one or two',
    default: '30d',
  }),
  retryGaps: toggle({
    name: 'retry-gaps',
    section: 'scope',
    describe: 'Only try again what is missing; leave everything else alone',
  }),
  withDatasets: toggle({
    name: 'with-datasets',
    section: 'scope',
    describe: "Also archive the project's datasets: names, descriptions, overviews, status",
  }),
  noDelta: toggle({
    name: 'no-delta',
    section: 'users',
    inNewFile: true,
    isRare: true,
    describe:
      'Make no Delta Lake tables in an archive that has none; existing ones are kept up to date',
  }),
  noWait: toggle({
    name: 'no-wait',
    section: 'pace',
    describe: 'Do not wait for another run on the same user; end with exit code 8',
  }),
  settleTimeMs: duration({
    name: 'settle-time',
    section: 'scope',
    inNewFile: true,
    isRare: true,
    describe: 'How old an answered job must be before it counts as settled',
    default: '1h',
  }),
  concurrency: whole(
    {
      name: 'concurrency',
      section: 'pace',
      inNewFile: true,
      describe: 'Sessions exported at a time',
      default: 8,
    },
    [1, 256],
  ),
  fileConcurrency: whole(
    {
      name: 'file-concurrency',
      section: 'pace',
      inNewFile: true,
      isRare: true,
      describe: 'Files downloaded at a time',
      default: 8,
    },
    [1, 256],
  ),
  pageSize: whole(
    {
      name: 'page-size',
      section: 'service',
      inNewFile: true,
      isRare: true,
      describe: 'Items per page to request; the service may grant fewer',
      default: 100,
    },
    [1, 10_000],
  ),
  checkpointBytes: size({
    name: 'checkpoint-size',
    section: 'pace',
    inNewFile: true,
    isRare: true,
    describe: 'Commit when this much is staged, or 10,000 jobs',
    default: '128MB',
  }),
  checkpointIntervalMs: duration({
    name: 'checkpoint-interval',
    section: 'pace',
    inNewFile: true,
    isRare: true,
    describe: 'Commit at least this often',
    default: '5m',
  }),
  maxFileBytes: size({
    name: 'max-file-size',
    section: 'files',
    inNewFile: true,
    isRare: true,
    describe: 'Do not download larger tables and images',
    default: '1GiB',
  }),
  storageBaseUrl: text({
    name: 'storage-base-url',
    section: 'files',
    inNewFile: true,
    isRare: true,
    describe: 'The base URL of files for which the service gives only a path',
    isAddress: true,
    sends: 'requests for files',
  }),
  allowPrivateNetwork: toggle({
    name: 'allow-private-network',
    section: 'files',
    inNewFile: true,
    isRare: true,
    describe: 'Also download files from private addresses',
  }),
  signingKey: text({
    name: 'signing-key',
    section: 'signing',
    inNewFile: true,
    describe: 'A file with an Ed25519 private key (PEM) that signs every commit',
  }),
  startSigning: toggle({
    name: 'start-signing',
    section: 'signing',
    describe:
      'With --signing-key: sign an archive that is not signed yet; every later run then needs the key',
    isFlagOnly: true,
  }),
  changeSigningKey: toggle({
    name: 'change-signing-key',
    section: 'signing',
    isRare: true,
    describe: 'Sign with a new key; verify then needs both public keys',
  }),
  timestampUrl: list({
    name: 'timestamp-url',
    section: 'signing',
    isRare: true,
    describe:
      'The URL of a time-stamp authority (RFC 3161), which stamps the last commit of the run; repeatable',
    isSecret: true,
  }),
  dryRun: toggle({
    name: 'dry-run',
    section: 'scope',
    describe: 'Only ask the service what there is to export; write nothing',
  }),
};
