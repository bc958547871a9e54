/** Completion for zsh: as for bash, with a description of each word and flag. */
import type { CommandFamily } from '../command.js';
import {
  flagsWithValue,
  nextWords,
  valuesOfFlags,
  type CompletedCommand,
  type CompletedWord,
} from './completed-command.js';

export function zshCompletion(
  commands: readonly CompletedCommand[],
  families: readonly CommandFamily[],
): string {
  const wordsAfter = (before: readonly string[]): string =>
    listOf(nextWords(before, commands, families));
  const cases = [
    ...commands.map(({ words, flags, arguments: values }) => {
      const known = [
        ...values.map((word) => ({ word, describe: '' })),
        ...flags.map(({ name, describe }) => ({ word: `--${name}`, describe })),
        { word: '--help', describe: 'What the command does, with examples' },
      ];
      return `    '${words.join(' ')} '*) known=(${listOf(known)}) ;;`;
    }),
    ...families.map(({ word }) => `    '${word} '*) known=(${wordsAfter([word])}) ;;`),
    `    *) known=(${wordsAfter([])}) ;;`,
  ];
  const values = valuesOfFlags(commands).map(
    ({ name, isList, choices }) =>
      `    --${name})${isList ? " compset -P '*,';" : ''} compadd -- ${choices.join(' ')}; return ;;`,
  );
  return `#compdef jobvault
# Completion of jobvault for zsh. To use it now: source <(jobvault completion zsh)
_jobvault() {
  local -a known
  local word typed='' isValue='' before="\${words[CURRENT-1]}"
  # the words of the command, without flags and their values
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ "$isValue" == yes ]]; then isValue=''; continue; fi
    case "$word" in
      ${flagsWithValue(commands).join('|')}) isValue=yes ;;
      -*) ;;
      *) typed+="$word " ;;
    esac
  done
  # --format=par is one word: its flag is already typed, its value is completed
  if [[ "\${words[CURRENT]}" == --*=* ]]; then
    before="\${words[CURRENT]%%=*}"
    compset -P 1 '*='
  fi
  case "$before" in
${values.join('\n')}
  esac
  if [[ "$isValue" == yes ]]; then _files; return; fi
  case "$typed" in
${cases.join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == --*=* ]]; then
    _files
  elif [[ "\${words[CURRENT]}" == -* ]]; then
    _describe -o 'jobvault' known
  else
    # flags are offered behind a dash only: anything else may be a file
    known=("\${(@)known:#--*}")
    _describe 'jobvault' known || _files
  fi
}
if [[ "\${funcstack[1]}" == _jobvault ]]; then _jobvault; else compdef _jobvault jobvault; fi
`;
}

function listOf(words: readonly CompletedWord[]): string {
  return words
    .map(({ word, describe }) => quoted(describe === '' ? word : `${word}:${describe}`))
    .join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
