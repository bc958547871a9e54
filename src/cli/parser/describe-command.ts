/** Describes a command's positionals, flags and examples to yargs. */
import type { Argv } from 'yargs';
import { choicesText, type Setting } from '../../config/setting.js';
import { commonSettings } from '../../config/common-settings.js';
import type { Command } from '../command.js';
import yargs from 'yargs';
import { copySettings } from '../../config/rewrite-settings.js';
import { storageSettings } from '../../config/storage-settings.js';
import { isOfS3, helpGroups } from './help-groups.js';

/** The width of the usual terminal. */
const EXAMPLE_WIDTH = 80;
/** The end of a line after which a shell reads on in the next one. */
const CONTINUED = ' \\';

/** Which flags the help has. `none` hides all texts: yargs renders the help of every command that it runs, which takes longer than parsing. */
export type ShownFlags = 'none' | 'usual' | 'all';

export function describeCommand(builder: Argv, command: Command, shown: ShownFlags): Argv {
  for (const [name, description] of Object.entries(command.positionals)) {
    builder.positional(name, { describe: description, type: 'string' });
  }
  const commandSettings = Object.values(command.settings);
  const ofS3 = commandSettings.filter(isOfS3);
  for (const { heading, settings } of helpGroups(commandSettings, Object.values(commonSettings))) {
    for (const setting of settings) {
      const hidden = shown === 'none' || (shown === 'usual' && setting.isRare === true);
      describeSetting(builder, setting, { group: heading, hidden });
    }
  }
  for (const setting of ofS3) describeSetting(builder, setting, { group: 'S3:', hidden: true });
  if (shown === 'none') return builder;
  builder.group(['help', 'version'], 'Common options:');
  const examples = `Examples:\n${Object.entries(command.examples).map(exampleText).join('\n')}`;
  const others = [
    ...(shown === 'usual' ? [rareText(command)] : []),
    ...(ofS3.length > 0 ? ['S3: jobvault help s3'] : []),
  ];
  builder.epilogue([others.join('\n'), examples].filter((part) => part !== '').join('\n\n'));
  return builder;
}

/** Those of the command, of which there may be none, and those of all commands. */
function rareText({ usage, settings }: Command): string {
  const rare = Object.values({ ...settings, ...commonSettings }).filter(({ isRare }) => isRare);
  const name = usage.replace(/ [[<].*$/, '');
  return `More flags, rarely needed (${rare.length}): jobvault ${name} --help --all`;
}

/** The command as somebody copies it, and below it what it does. */
function exampleText([command, meaning]: readonly [string, string]): string {
  const lines: string[] = [];
  let line = ' ';
  for (const part of command.split(/ (?=--[a-z])/).flatMap(partsOf)) {
    const longer = `${line} ${part}`;
    // nothing stands before the first part that a line could end with
    if (line === ' ' || longer.length + CONTINUED.length <= EXAMPLE_WIDTH) line = longer;
    else {
      lines.push(line + CONTINUED);
      line = `    ${part}`;
    }
  }
  return [...lines, line, `      ${meaning}`].join('\n');
}

/** What is too long for a line, such as a query, is broken before a word in quotes, too. */
function partsOf(part: string): string[] {
  const isLong = part.length + CONTINUED.length + 2 > EXAMPLE_WIDTH;
  return isLong ? part.split(/ (?=")/) : [part];
}

function describeSetting(
  builder: Argv,
  setting: Setting,
  shown: { readonly group: string; readonly hidden: boolean },
): void {
  builder.option(setting.name, {
    ...shown,
    describe: `${setting.describe}${choicesText(setting)}${notesOn(setting)}`,
    // no defaults here: only a given flag overrides variables and the file
    ...(setting.form === 'switch' ? { type: 'boolean' as const } : { type: 'string' as const }),
    ...(setting.form === 'switch' ? {} : { requiresArg: true }),
    ...(setting.form === 'list' ? { array: true } : {}),
    ...(setting.name === 'out' ? { alias: 'o' } : {}),
    ...(setting.default === undefined || setting.default === false
      ? {}
      : { defaultDescription: String(setting.default) }),
  });
}

function notesOn({ required, isFlagOnly }: Setting): string {
  const notes = [...(required ? ['required'] : []), ...(isFlagOnly ? ['flag only'] : [])];
  return notes.length === 0 ? '' : ` (${notes.join(', ')})`;
}

const USAGE = `jobvault COMMAND s3://bucket/prefix

Every command that opens an archive has these flags. They are only for archives in a bucket.`;

const CREDENTIALS =
  'Credentials come from where AWS tools look for them: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile (AWS_PROFILE), the role of the machine or pod. The region comes from --s3-region or AWS_REGION. The bucket must exist.';

const SPACE =
  'What is written waits on this machine, in the directory that TMPDIR names (default /tmp), until one request uploads it: at most four times --checkpoint-size and --file-concurrency files of --max-file-size, which is at most 5GiB here; of a copy, --concurrency files. No more than 32 MB of it is in memory.';

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
    .epilogue(`${CREDENTIALS}\n\n${SPACE}\n\nExamples:\n${EXAMPLES.map(exampleText).join('\n')}`);
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
