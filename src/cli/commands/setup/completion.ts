/** Prints a completion script for a shell. */
import { UsageError } from '../../../base/error.js';
import { defineCommand, type CommandFamily, wordsOf, type ListedCommand } from '../../command.js';
import { groupBy } from '../../../base/group-by.js';
import type { Setting } from '../../../config/setting.js';
import { commonSettings } from '../../../config/common-settings.js';

/** What a completion script contains of a command. */
interface CompletedFlag {
  readonly name: string;
  readonly isSwitch: boolean;
  /** Whether it takes several values, with commas between them. */
  readonly isList: boolean;
  /** Empty where any value is allowed. */
  readonly choices: readonly string[];
}

interface CompletedCommand {
  /** `sessions`, `list` */
  readonly words: readonly string[];
  readonly flags: readonly CompletedFlag[];
  /** The values of the last positional, where they are few. */
  readonly arguments: readonly string[];
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
): string[] {
  if (before.length === 0) {
    const single = commands.filter(({ words }) => words.length === 1);
    return [...single.map(({ words }) => words[0] ?? ''), ...families.map(({ word }) => word)];
  }
  return commands
    .filter(({ words }) => words.length === 2 && words[0] === before[0])
    .map(({ words }) => words[1] ?? '');
}

async function completedCommands(commands: readonly ListedCommand[]): Promise<CompletedCommand[]> {
  return Promise.all(
    commands.map(async (listed) => {
      const { settings, usage, argumentChoices = [] } = await listed.load();
      const known = Object.values<Setting>({ ...settings, ...commonSettings });
      const flags = known.map(completedFlag);
      return { words: wordsOf({ usage }), flags, arguments: argumentChoices };
    }),
  );
}

function completedFlag({ name, form, choices = [] }: Setting): CompletedFlag {
  return { name, isSwitch: form === 'switch', isList: form === 'list', choices };
}

/** Completion for bash: words, flags and values by the words before the cursor; otherwise files. */
function bashCompletion(
  commands: readonly CompletedCommand[],
  families: readonly CommandFamily[],
): string {
  const wordsAfter = (before: readonly string[]): string =>
    nextWords(before, commands, families).join(' ');
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
  local word index typed='' isValue=''
  COMPREPLY=()
  # the words of the command, without flags and their values
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    if [[ "$word" == '=' ]]; then isValue=yes; continue; fi
    if [[ "$isValue" == yes ]]; then isValue=''; continue; fi
    case "$word" in
      ${flagsWithValue(commands).join('|')}) isValue=yes ;;
      -*) ;;
      *) typed+="$word " ;;
    esac
  done
  # zsh leaves --format=par one word, of which bash makes three
  if [[ "$current" == --*=* ]]; then before="\${current%%=*}"; values="$before="; current="\${current#*=}"; isValue=yes
  elif [[ "$current" == '=' ]]; then current=''; elif [[ "$before" == '=' ]]; then before="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  case "$before" in
${values.join('\n')}
    *) if [[ "$isValue" != yes ]]; then case "$typed" in
${cases.join('\n')}
    esac; fi ;;
  esac
  # a list is completed behind its last comma
  if [[ "$list" == yes && "$current" == *,* ]]; then values+="\${current%,*},"; current="\${current##*,}"; fi
  for word in $known; do
    # flags are offered behind a dash only: anything else may be a file
    if [[ "$word" == --* && "$current" != -* ]]; then continue; fi
    if [[ "$word" == "$current"* ]]; then COMPREPLY+=("$values$word"); fi
  done
}
complete -o default -F _jobvault jobvault
`;
}

/** The script of bash, which zsh reads through the functions that it has for that. */
function zshCompletion(
  commands: readonly CompletedCommand[],
  families: readonly CommandFamily[],
): string {
  return `# Completion of jobvault for zsh. To use it now: source <(jobvault completion zsh)
autoload -Uz compinit bashcompinit
(( $+functions[compdef] )) || compinit
bashcompinit
${bashCompletion(commands, families)}`;
}

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion } as const;
const SHELLS = Object.keys(SCRIPTS);

export const completionCommand = defineCommand({
  usage: 'completion <shell>',
  describe: 'Print a completion script for a shell',
  positionals: { shell: SHELLS.join(', ') },
  settings: {},
  examples: {
    'eval "$(jobvault completion bash)"': 'in ~/.bashrc',
    'source <(jobvault completion zsh)': 'in ~/.zshrc',
  },
  argumentChoices: SHELLS,
  ignoresConfigFile: true,
  run: async ({ positionals, print, tree }) => {
    const { shell } = positionals;
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
