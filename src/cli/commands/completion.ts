/** Prints a completion script for a shell. */
import { UsageError } from '../../base/usage-error.js';
import { defineCommand } from '../command.js';
import { bashCompletion } from '../completion/bash.js';
import { completedCommands } from '../completion/completed-command.js';
import { fishCompletion } from '../completion/fish.js';
import { zshCompletion } from '../completion/zsh.js';
import { EXIT } from '../exit-code.js';

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
  run: async ({ positionals, terminal, tree }) => {
    const { shell = '' } = positionals;
    if (!isShell(shell)) {
      throw new UsageError(
        `no completion is known for "${shell}"; allowed is ${SHELLS.join(', ')}`,
      );
    }
    const commands = await completedCommands(tree.commands);
    terminal.stdout.write(SCRIPTS[shell](commands, tree.families));
    return EXIT.complete;
  },
});

function isShell(shell: string): shell is keyof typeof SCRIPTS {
  return Object.hasOwn(SCRIPTS, shell);
}
