/** Completion for fish: one line for each word and flag, with a description. */
import type { CommandFamily } from '../command.js';
import {
  flagsWithValue,
  nextWords,
  type CompletedCommand,
  type CompletedFlag,
} from './completed-command.js';

export function fishCompletion(
  commands: readonly CompletedCommand[],
  families: readonly CommandFamily[],
): string {
  const lines = [
    '# Completion of jobvault for fish. To use it now: jobvault completion fish | source',
    needsCommand(commands),
    ...nextWords([], commands, families).map(
      ({ word, describe }) =>
        `complete -c jobvault -n __jobvault_needs_command -f -a ${word} -d ${quoted(describe)}`,
    ),
    ...families.flatMap((family) =>
      nextWords([family.word], commands, families).map(
        ({ word, describe }) =>
          `complete -c jobvault -n '${seen([family.word])}; and not __fish_seen_subcommand_from ${wordsOfFamily(family, commands)}' -f -a ${word} -d ${quoted(describe)}`,
      ),
    ),
    ...commands.flatMap(({ words, flags, arguments: values }) => [
      ...(values.length === 0
        ? []
        : [`complete -c jobvault -n '${seen(words)}' -f -a '${values.join(' ')}'`]),
      ...flags.map((flag) => flagLine(words, flag)),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

function wordsOfFamily({ word }: CommandFamily, commands: readonly CompletedCommand[]): string {
  return nextWords([word], commands, [])
    .map((one) => one.word)
    .join(' ');
}

function flagLine(words: readonly string[], flag: CompletedFlag): string {
  const { name, describe } = flag;
  return `complete -c jobvault -n '${seen(words)}' -l ${name}${valueOf(flag)} -d ${quoted(describe)}`;
}

function valueOf({ isSwitch, isList, choices }: CompletedFlag): string {
  if (isSwitch) return '';
  if (choices.length === 0) return ' -r';
  const values = choices.join(' ');
  return ` -x -a '${isList ? `(__fish_append , ${values})` : values}'`;
}

/** Whether no command is typed yet. The value of a flag before it is none. */
function needsCommand(commands: readonly CompletedCommand[]): string {
  return `function __jobvault_needs_command
  set -l words (commandline -opc)
  set -l isValue
  for word in $words[2..]
    if set -q isValue[1]
      set isValue
      continue
    end
    switch $word
      case ${flagsWithValue(commands).join(' ')}
        set isValue yes
      case '-*'
      case '*'
        return 1
    end
  end
end`;
}

function seen(words: readonly string[]): string {
  return words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
