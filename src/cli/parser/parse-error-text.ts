/** Turns an error of yargs into a sentence that names the flag or the word. */
import { nearest } from '../../base/text/short-texts.js';
import type { Setting } from '../../config/setting.js';
import { commonSettings } from '../../config/common-settings.js';
import { wordOf } from './normalize-argv.js';
import { wordsOf, type Command, type CommandLine } from '../command.js';

const NAMES_ITS_ARCHIVE =
  '. What changes or deletes is told its archive each time; out of the configuration or JOBVAULT_OUT counts only for commands that read';

/**
 * @param message yargs' own
 * @param given the command line
 * @param command the one that it names
 */
export function parseErrorText(
  message: string,
  given: readonly string[],
  command: Command | undefined,
  commands: readonly CommandLine[],
): string {
  const apart = command && unquotedWords(given, command);
  if (apart !== undefined) return apart;
  const [, listed] = /^Unknown (?:arguments?|commands?): (.+)$/.exec(wordOf(message)) ?? [];
  const names = listed?.split(', ') ?? [];
  // without a command, no flag is known
  const word = command ? undefined : given.find((candidate) => names.includes(candidate));
  const unknown = word ?? names[0];
  if (unknown !== undefined) return unknownWordText(unknown, given, command, commands);
  const [, valueless] = /^Not enough arguments following: (\S+)$/.exec(message) ?? [];
  if (valueless !== undefined) {
    const value = given[given.indexOf(`--${valueless}`) + 1];
    return isLikeFlag(value)
      ? `"${value}" was read as a flag; write --${valueless}="${value}"`
      : `--${valueless} needs a value${allowedOf(valueless, command)}`;
  }
  if (command && message.startsWith('Not enough non-option arguments')) {
    return tooFewWords(command.usage);
  }
  return message.replace(/\s+/g, ' ').trim();
}

/** Whether it may be meant as a value, such as a word that is not to be found. */
function isLikeFlag(word: string | undefined): word is string {
  return word !== undefined && /^-[^-\s]/.test(word);
}

function allowedOf(name: string, command: Command | undefined): string {
  const settings: readonly Setting[] = Object.values({ ...commonSettings, ...command?.settings });
  const { allowed } = settings.find((setting) => setting.name === name) ?? {};
  return allowed === undefined ? '' : `; allowed is ${allowed}`;
}

export function tooFewWords(usage: string): string {
  const advice = usage.includes('<archive>') ? NAMES_ITS_ARCHIVE : '';
  return `too few words; allowed is jobvault ${usage}${advice}`;
}

function takesWords({ positionals }: Command): boolean {
  return 'words' in positionals;
}

/** For commands that take words as one text: yargs reads `-draft` as flags, and refuses a second word. */
function unquotedWords(given: readonly string[], command: Command): string | undefined {
  if (!takesWords(command)) return undefined;
  const end = given.indexOf('--');
  const options = end === -1 ? given : given.slice(0, end);
  const excluded = options.find((word) => /^-[^-\s=]{2,}$/.test(word));
  const advice = `write all words in one pair of quotes, as in jobvault ${wordsOf(command).join(' ')} ARCHIVE`;
  return excluded === undefined
    ? undefined
    : `"${excluded}" was read as a flag; ${advice} "sales ${excluded}", or jobvault ${wordsOf(command).join(' ')} ARCHIVE -- "${excluded}"`;
}

function unknownWordText(
  unknown: string,
  given: readonly string[],
  command: Command | undefined,
  commands: readonly CommandLine[],
): string {
  const asWritten = given.find((word) =>
    new RegExp(`^--?(no-)?${escaped(unknown)}(=|$)`).test(word),
  );
  if (asWritten !== undefined) {
    const flags = command
      ? Object.values({ ...command.settings, ...commonSettings }).map(({ name }) => name)
      : ['help', 'version'];
    const [flag = asWritten] = asWritten.split('=', 1);
    if (/^(api-?)?key$/.test(unknown)) {
      return `the API key cannot be a flag (${flag}): other users of the machine could see it; set JOBVAULT_API_KEY, or name a file that holds it with --api-key-file`;
    }
    const place = command ? ` of ${wordsOf(command).join(' ')}` : '';
    return `unknown flag ${flag}${place}${suggestion(namesake(unknown, flags) ?? nearest(unknown, flags), '--')}`;
  }
  if (command) {
    const inQuotes = takesWords(command) ? ', all words in one pair of quotes' : '';
    const advice = repeated(unknown, given, command) ?? inQuotes;
    return `unexpected word "${unknown}"; allowed is jobvault ${command.usage}${advice}`;
  }
  return unknownCommand(unknown, given, commands);
}

/** For `--user ana ben`: a repeatable flag takes one value each time. */
function repeated(unknown: string, given: readonly string[], command: Command): string | undefined {
  const flag = given[given.indexOf(unknown) - 2];
  const isList = Object.values(command.settings).some(
    ({ name, form }) => form === 'list' && `--${name}` === flag,
  );
  return isList ? `, and ${flag} ${unknown} for another value of ${flag}` : undefined;
}

/** Names of flags in other programs and in other commands. */
const NAMESAKES: Readonly<Record<string, readonly string[]>> = {
  format: ['output'],
  output: ['to', 'out', 'format'],
  out: ['to'],
  o: ['to', 'out'],
  dest: ['out'],
  target: ['out'],
  url: ['base-url'],
  host: ['base-url'],
  verbose: ['log-level'],
  force: ['yes'],
  users: ['user'],
};

function namesake(unknown: string, flags: readonly string[]): string | undefined {
  return NAMESAKES[unknown]?.find((name) => flags.includes(name));
}

/** Suggests only commands of the family. */
function unknownCommand(
  unknown: string,
  given: readonly string[],
  commands: readonly CommandLine[],
): string {
  const all = commands.map(wordsOf);
  const family = all.find(
    ([first = '', second]) => second !== undefined && given.includes(first) && first !== unknown,
  )?.[0];
  const members = all.flatMap(([first, second]) =>
    first === family && second !== undefined ? [second] : [],
  );
  if (family !== undefined) {
    const guess = suggestion(nearest(unknown, members), `${family} `);
    return `unknown command "${family} ${unknown}"${guess || `; allowed are ${members.join(', ')}`}`;
  }
  const words = [...new Set(all.map(([first = '']) => first))];
  return `unknown command "${unknown}"${suggestion(nearest(unknown, words), '')}`;
}

function suggestion(guess: string | undefined, prefix: string): string {
  return guess === undefined ? '' : `; did you mean ${prefix}${guess}?`;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
