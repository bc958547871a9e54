/** Groups the flags of a command for its help. */
import { type Setting, type SettingSection } from '../config/setting.js';

/** Headings and flags, in the order of the help. */
const GROUPS: readonly (readonly [string, readonly string[]])[] = [
  [
    'Users and archive:',
    [
      ...[
        'user',
        'users-file',
        'exclude-user',
        'exclude-users-file',
        'min-users',
        'allow-unknown-users',
      ],
      ...['out', 'head-file', 'format', 'parquet-codec', 'no-delta', 'shard'],
    ],
  ],
  ['The service:', ['base-url', 'api-key-file', 'api-key-header', 'project', 'rate', 'page-size']],
  [
    'What to export:',
    [
      'dry-run',
      'session',
      'search',
      'full',
      'reread',
      'retry-gaps',
      'with-datasets',
      'settle-time',
    ],
  ],
  ['Budget:', ['max-requests', 'max-duration', 'max-staleness']],
  [
    'Concurrency and checkpoints:',
    ['concurrency', 'file-concurrency', 'checkpoint-size', 'checkpoint-interval', 'no-wait'],
  ],
  ['Files:', ['max-file-size', 'storage-base-url', 'allow-private-network']],
  [
    'Deleting from the service what is archived:',
    [
      ...['delete-archived', 'all', 'older-than', 'keep', 'free-slots', 'max-delete'],
      ...[
        'hold-file',
        'allow-unknown-holds',
        'allow-empty-holds',
        'accept-unfetched',
        'accept-suspicious',
        'trust-this-clock',
        'yes',
      ],
    ],
  ],
  ['Signing:', ['signing-key', 'start-signing', 'change-signing-key', 'timestamp-url']],
  ['Monitoring:', ['metrics-dir', 'ping-url', 'webhook-url']],
];
const COMMON = 'Common options:';
/** Fewer flags have one heading. */
const MANY = 25;

/** Whether it is one of the flags that `jobvault help s3` lists, for all commands. */
export function isOfS3({ name }: Setting): boolean {
  return /^(target-)?s3-/.test(name);
}

/** @param commandSettings the command's settings, of which those of S3 are not grouped @param common the settings of every command */
export function helpGroups(
  commandSettings: readonly Setting[],
  common: readonly Setting[],
): SettingSection[] {
  const rest = commandSettings.filter((setting) => !isOfS3(setting));
  return [
    ...(rest.length < MANY ? [{ heading: 'Options:', settings: rest }] : byHeading(rest)),
    { heading: COMMON, settings: common },
  ].filter(({ settings }) => settings.length > 0);
}

function byHeading(settings: readonly Setting[]): SettingSection[] {
  const grouped = GROUPS.map(([heading, names]) => ({
    heading,
    settings: names.flatMap((name) => settings.filter((setting) => setting.name === name)),
  }));
  const placed = new Set(grouped.flatMap((group) => group.settings));
  const others = settings.filter((setting) => !placed.has(setting));
  return [...grouped, { heading: 'Options:', settings: others }];
}
