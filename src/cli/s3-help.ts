/** `jobvault help s3`: the flags that every command with an archive has, told once. */
import yargs from 'yargs';
import { copySettings } from '../config/rewrite-settings.js';
import type { Setting } from '../config/setting.js';
import { storageSettings } from '../config/storage-settings.js';
import { describeSetting, exampleText } from './describe-command.js';

const USAGE = `jobvault COMMAND s3://bucket/prefix

Every command that opens an archive has these flags, and none of them for a directory.`;

const CREDENTIALS =
  'Credentials come from where AWS tools look for them: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile (AWS_PROFILE), the role of the machine or pod. The region comes from --s3-region or AWS_REGION. The bucket must exist.';

const EXAMPLES = [
  [
    'jobvault export --user ada --out s3://bucket/archive --s3-region eu-west-1',
    'an archive in a bucket of AWS',
  ],
  [
    'jobvault verify s3://bucket/archive --s3-endpoint https://s3.example.com --s3-force-path-style',
    'one in another store',
  ],
  [
    'jobvault export --user ada --out s3://bucket/archive --s3-object-lock COMPLIANCE --s3-retain-until 7y',
    'one that nobody may change for seven years, in a bucket with object lock',
  ],
] as const;

/** @param width columns */
export async function s3Help(width: number): Promise<string> {
  const builder = yargs()
    .detectLocale(false)
    .usage(USAGE)
    .help(false)
    .version(false)
    .wrap(width)
    .epilogue(`${CREDENTIALS}\n\nExamples:\n${EXAMPLES.map(exampleText).join('\n')}`);
  const show = (settings: readonly Setting[], group: string): void => {
    for (const setting of settings) describeSetting(builder, setting, { group, hidden: false });
  };
  show(Object.values(storageSettings), 'The archive:');
  show(
    Object.values(copySettings).filter(({ name }) => name.startsWith('target-s3-')),
    'The target of copy, where it differs:',
  );
  return `${await builder.getHelp()}\n`;
}
