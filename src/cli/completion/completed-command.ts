/** What a completion script contains of a command. */
import { groupBy } from '../../base/group-by.js';
import type { Setting } from '../../config/setting.js';
import { commonSettings } from '../../config/settings.js';
import { loadCommand, wordsOf, type CommandFamily, type ListedCommand } from '../command.js';

export interface CompletedFlag {
  readonly name: string;
  readonly describe: string;
  readonly isSwitch: boolean;
  /** Whether it takes several values, with commas between them. */
  readonly isList: boolean;
  /** Empty where any value is allowed. */
  readonly choices: readonly string[];
}

export interface CompletedCommand {
  /** `sessions`, `list` */
  readonly words: readonly string[];
  readonly describe: string;
  readonly flags: readonly CompletedFlag[];
  /** The values of the last positional, where they are few. */
  readonly arguments: readonly string[];
}

export interface CompletedWord {
  readonly word: string;
  readonly describe: string;
}

/** A flag whose values are few. */
export type FlagValues = Pick<CompletedFlag, 'name' | 'isList' | 'choices'>;

/** The values of each flag, over all commands. */
export function valuesOfFlags(commands: readonly CompletedCommand[]): readonly FlagValues[] {
  const flags = commands.flatMap((command) => command.flags);
  const byName = groupBy(
    flags.filter(({ choices }) => choices.length > 0),
    ({ name }) => name,
  );
  return [...byName].map(([name, same]) => ({
    name,
    isList: same.some(({ isList }) => isList),
    choices: [...new Set(same.flatMap(({ choices }) => choices))],
  }));
}

/** `--config`, `--out`: the word behind one of them is its value, and no command. */
export function flagsWithValue(commands: readonly CompletedCommand[]): readonly string[] {
  const flags = commands.flatMap((command) => command.flags);
  return [...new Set(flags.filter(({ isSwitch }) => !isSwitch).map(({ name }) => `--${name}`))];
}

/** The words that can follow `before`: first words of commands, or second words of a family. */
export function nextWords(
  before: readonly string[],
  commands: readonly CompletedCommand[],
  families: readonly CommandFamily[],
): CompletedWord[] {
  if (before.length === 0) {
    const single = commands.filter(({ words }) => words.length === 1);
    return [
      ...single.map(({ words, describe }) => ({ word: words[0] ?? '', describe })),
      ...families,
    ];
  }
  return commands
    .filter(({ words }) => words.length === 2 && words[0] === before[0])
    .map(({ words, describe }) => ({ word: words[1] ?? '', describe }));
}

export async function completedCommands(
  commands: readonly ListedCommand[],
): Promise<CompletedCommand[]> {
  return Promise.all(
    commands.map(async (listed) => {
      const { settings, describe, usage, argumentChoices = [] } = await loadCommand(listed);
      const known = Object.values<Setting>({ ...settings, ...commonSettings });
      const flags = known.map(completedFlag);
      return { words: wordsOf({ usage }), describe, flags, arguments: argumentChoices };
    }),
  );
}

function completedFlag({ name, describe, form, choices = [] }: Setting): CompletedFlag {
  return { name, describe, isSwitch: form === 'switch', isList: form === 'list', choices };
}
