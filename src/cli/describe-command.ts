/** Describes a command's positionals, flags and examples to yargs. */
import type { Argv } from 'yargs';
import { choicesText, type Setting } from '../config/setting.js';
import { commonSettings } from '../config/settings.js';
import type { Command } from './command.js';
import { helpGroups, isOfS3 } from './help-groups.js';

/** Of the usual terminal. */
const EXAMPLE_WIDTH = 80;
/** So a shell reads on in the next line. */
const CONTINUED = ' \\';

/** @param forHelp false hides all texts: yargs renders the help of every command that it runs, which takes longer than parsing */
export function describeCommand(builder: Argv, command: Command, forHelp: boolean): Argv {
  for (const [name, description] of Object.entries(command.positionals ?? {})) {
    builder.positional(name, { describe: description, type: 'string' });
  }
  const own = Object.values(command.settings);
  const ofS3 = own.filter(isOfS3);
  for (const { heading, settings } of helpGroups(own, Object.values(commonSettings))) {
    for (const setting of settings) {
      describeSetting(builder, setting, { group: heading, hidden: !forHelp });
    }
  }
  for (const setting of ofS3) describeSetting(builder, setting, { group: 'S3:', hidden: true });
  if (!forHelp) return builder;
  builder.group(['help', 'version'], 'Common options:');
  const examples = `Examples:\n${command.examples.map(exampleText).join('\n')}`;
  builder.epilogue(ofS3.length > 0 ? `S3: jobvault help s3\n\n${examples}` : examples);
  return builder;
}

/** The command as somebody copies it, and below it what it does. */
export function exampleText([command, meaning]: readonly [string, string]): string {
  const lines: string[] = [];
  let line = ' ';
  for (const part of command.split(/ (?=--[a-z])/)) {
    const longer = `${line} ${part}`;
    if (longer.length + CONTINUED.length <= EXAMPLE_WIDTH) line = longer;
    else {
      lines.push(line + CONTINUED);
      line = `    ${part}`;
    }
  }
  return [...lines, line, `      ${meaning}`].join('\n');
}

export function describeSetting(
  builder: Argv,
  setting: Setting,
  shown: { readonly group: string; readonly hidden: boolean },
): void {
  builder.option(setting.name, {
    ...shown,
    describe: `${setting.describe}${choicesText(setting)}${setting.isFlagOnly ? ' (flag only)' : ''}`,
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
