/** Completion for fish: one line for each word and flag, with a description. */
import type { CommandFamily } from '../command.js';
import { nextWords, type CompletedCommand, type CompletedFlag } from './completed-command.js';

export function fishCompletion(
  commands: readonly CompletedCommand[],
  families: readonly CommandFamily[],
): string {
  const lines = [
    '# Completion of jobvault for fish. To use it now: jobvault completion fish | source',
    ...nextWords([], commands, families).map(
      ({ word, describe }) =>
        `complete -c jobvault -n __fish_use_subcommand -f -a ${word} -d ${quoted(describe)}`,
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

function flagLine(
  words: readonly string[],
  { name, describe, isSwitch, choices }: CompletedFlag,
): string {
  const value = isSwitch ? '' : choices.length === 0 ? ' -r' : ` -x -a '${choices.join(' ')}'`;
  return `complete -c jobvault -n '${seen(words)}' -l ${name}${value} -d ${quoted(describe)}`;
}

function seen(words: readonly string[]): string {
  return words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
