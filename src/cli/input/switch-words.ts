/** Reads `--full=yes` as the variable and the file are read; yargs takes every word but `true` for no. */
import { UsageError } from '../../base/usage-error.js';
import type { Setting } from '../../config/setting.js';

/**
 * The command line with `true` or `false` for each word that a switch was given.
 *
 * @throws {UsageError} a switch was given another word
 */
export function spellSwitches(given: readonly string[], settings: readonly Setting[]): string[] {
  const switches = new Map(
    settings.filter(({ form }) => form === 'switch').map((setting) => [setting.name, setting]),
  );
  return given.map((argument) => {
    // yargs would take `--no-wait` for the contrary of a flag named `wait`
    if (argument.startsWith('--no-') && switches.has(argument.slice(2))) return `${argument}=true`;
    const [, name = '', word = ''] = /^--([a-z0-9-]+)=(.*)$/s.exec(argument) ?? [];
    const setting = switches.get(name);
    if (!setting) return argument;
    const result = setting.schema.safeParse(word);
    if (result.success) return `--${name}=${String(result.data)}`;
    throw new UsageError(`--${name} is ${JSON.stringify(word)}; allowed is ${setting.allowed}`);
  });
}
