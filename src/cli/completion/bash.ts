/** Completion for bash: words, flags and values by the words before the cursor; otherwise files. */
import type { CommandFamily } from '../command.js';
import {
  flagsWithValue,
  nextWords,
  valuesOfFlags,
  type CompletedCommand,
} from './completed-command.js';

export function bashCompletion(
  commands: readonly CompletedCommand[],
  families: readonly CommandFamily[],
): string {
  const wordsAfter = (before: readonly string[]): string =>
    nextWords(before, commands, families)
      .map(({ word }) => word)
      .join(' ');
  const cases = [
    ...commands.map(({ words, flags, arguments: values }) => {
      const known = [...values, ...flags.map(({ name }) => `--${name}`), '--help'];
      return `    '${words.join(' ')} '*) known='${known.join(' ')}' ;;`;
    }),
    ...families.map(({ word }) => `    '${word} '*) known='${wordsAfter([word])}' ;;`),
    `    *) known='${wordsAfter([])} --help --version' ;;`,
  ];
  const values = valuesOfFlags(commands).map(
    ({ name, isList, choices }) =>
      `    --${name}) known='${choices.join(' ')}'${isList ? ' list=yes' : ''} ;;`,
  );
  return `# Completion of jobvault for bash. To use it now: eval "$(jobvault completion bash)"
_jobvault() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" known='' list='' values=''
  local word typed='' isValue=''
  COMPREPLY=()
  # the words of the command, without flags and their values
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ "$word" == '=' ]]; then isValue=yes; continue; fi
    if [[ "$isValue" == yes ]]; then isValue=''; continue; fi
    case "$word" in
      ${flagsWithValue(commands).join('|')}) isValue=yes ;;
      -*) ;;
      *) typed+="$word " ;;
    esac
  done
  # bash splits --format=par into three words
  if [[ "$current" == '=' ]]; then current=''; elif [[ "$before" == '=' ]]; then before="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  case "$before" in
${values.join('\n')}
    *) if [[ "$isValue" != yes ]]; then case "$typed" in
${cases.join('\n')}
    esac; fi ;;
  esac
  # a list is completed behind its last comma
  if [[ "$list" == yes && "$current" == *,* ]]; then values="\${current%,*},"; current="\${current##*,}"; fi
  for word in $known; do
    # flags are offered behind a dash only: anything else may be a file
    if [[ "$word" == --* && "$current" != -* ]]; then continue; fi
    if [[ "$word" == "$current"* ]]; then COMPREPLY+=("$values$word"); fi
  done
}
complete -o default -F _jobvault jobvault
`;
}
