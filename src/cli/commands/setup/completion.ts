/** Prints a completion script for a shell. */
import { UsageError } from '../../../base/error.js';
import {
  defineCommand,
  type CommandFamily,
  loadCommand,
  wordsOf,
  type ListedCommand,
} from '../../command.js';
import { groupBy } from '../../../base/group-by.js';
import type { Setting } from '../../../config/setting.js';
import { commonSettings } from '../../../config/settings.js';

/** What a completion script contains of a command. */
interface CompletedFlag {
  readonly name: string;
  readonly describe: string;
  readonly isSwitch: boolean;
  /** Whether it takes several values, with commas between them. */
  readonly isList: boolean;
  /** Empty where any value is allowed. */
  readonly choices: readonly string[];
}

interface CompletedCommand {
  /** `sessions`, `list` */
  readonly words: readonly string[];
  readonly describe: string;
  readonly flags: readonly CompletedFlag[];
  /** The values of the last positional, where they are few. */
  readonly arguments: readonly string[];
}

interface CompletedWord {
  readonly word: string;
  readonly describe: string;
}

/** A flag whose values are few. */
type FlagValues = Pick<CompletedFlag, 'name' | 'isList' | 'choices'>;

/** The values of each flag, over all commands. */
function valuesOfFlags(commands: readonly CompletedCommand[]): readonly FlagValues[] {
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
function flagsWithValue(commands: readonly CompletedCommand[]): readonly string[] {
  const flags = commands.flatMap((command) => command.flags);
  return [...new Set(flags.filter(({ isSwitch }) => !isSwitch).map(({ name }) => `--${name}`))];
}

/** The words that can follow `before`: first words of commands, or second words of a family. */
function nextWords(
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

async function completedCommands(commands: readonly ListedCommand[]): Promise<CompletedCommand[]> {
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

/** Completion for zsh: as for bash, with a description of each word and flag. */

function zshCompletion(
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
    .map(({ word, describe }) => zshQuoted(describe === '' ? word : `${word}:${describe}`))
    .join(' ');
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Completion for fish: one line for each word and flag, with a description. */

function fishCompletion(
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

/** Completion for bash: words, flags and values by the words before the cursor; otherwise files. */

function bashCompletion(
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

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;
const SHELLS = Object.keys(SCRIPTS);

export const completionCommand = defineCommand({
  positionals: { shell: SHELLS.join(', ') },
  settings: {},
  examples: [
    ['eval "$(jobvault completion bash)"', 'in ~/.bashrc'],
    ['source <(jobvault completion zsh)', 'in ~/.zshrc, after compinit'],
    ['jobvault completion fish > ~/.config/fish/completions/jobvault.fish', 'once'],
  ],
  argumentChoices: SHELLS,
  ignoresConfigFile: true,
  run: async ({ positionals, print, tree }) => {
    const { shell = '' } = positionals;
    if (!isShell(shell)) {
      throw new UsageError(
        `no completion is known for "${shell}"; allowed is ${SHELLS.join(', ')}`,
      );
    }
    const commands = await completedCommands(tree.commands);
    await print(SCRIPTS[shell](commands, tree.families));
    return {};
  },
});

function isShell(shell: string): shell is keyof typeof SCRIPTS {
  return Object.hasOwn(SCRIPTS, shell);
}
