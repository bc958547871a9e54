/** Under which heading the help of a command with many flags lists each of them. */
import type { Setting } from '../config/setting.js';

/** In the order of the help. */
const GROUPS: readonly (readonly [string, readonly string[]])[] = [
  [
    'Whose history, and where it goes:',
    ['user', 'users-file', 'out', 'format', 'parquet-codec', 'shard'],
  ],
  ['The service:', ['base-url', 'api-key-file', 'api-key-header', 'project', 'rate', 'page-size']],
  [
    'What is exported:',
    ['dry-run', 'session', 'search', 'full', 'retry-gaps', 'with-datasets', 'settle-time'],
  ],
  ['A budget:', ['max-requests', 'max-duration', 'max-staleness']],
  [
    'How the run goes about it:',
    ['concurrency', 'file-concurrency', 'checkpoint-size', 'checkpoint-interval', 'no-wait'],
  ],
  ['Files:', ['max-file-size', 'storage-base-url', 'allow-private-network']],
  [
    'Deleting from the service what is archived:',
    [
      ...['delete-archived', 'all', 'older-than', 'keep', 'free-slots', 'max-delete'],
      ...['hold-file', 'allow-unknown-holds', 'accept-unfetched', 'accept-suspicious', 'yes'],
    ],
  ],
  ['Signing:', ['signing-key', 'change-signing-key']],
  ['Who is told of the run:', ['metrics-file', 'ping-url', 'webhook-url', 'webhook-format']],
];
const IN_S3 = 'Where the archive is in S3:';
const COMMON = 'Common options:';
/** A shorter list needs no headings. */
const MANY = 25;

export interface HelpGroup {
  readonly heading: string;
  readonly settings: readonly Setting[];
}

/** @param own the command's settings @param common those of every command */
export function helpGroups(own: readonly Setting[], common: readonly Setting[]): HelpGroup[] {
  const inS3 = own.filter(({ name }) => /^(target-)?s3-/.test(name));
  const rest = own.filter((setting) => !inS3.includes(setting));
  return [
    ...(rest.length < MANY ? [{ heading: 'Options:', settings: rest }] : byHeading(rest)),
    { heading: IN_S3, settings: inS3 },
    { heading: COMMON, settings: common },
  ].filter(({ settings }) => settings.length > 0);
}

function byHeading(settings: readonly Setting[]): HelpGroup[] {
  const grouped = GROUPS.map(([heading, names]) => ({
    heading,
    settings: names.flatMap((name) => settings.filter((setting) => setting.name === name)),
  }));
  const placed = new Set(grouped.flatMap((group) => group.settings));
  const others = settings.filter((setting) => !placed.has(setting));
  return [...grouped, { heading: 'Options:', settings: others }];
}
