/** Reads `--full=yes` as variables and the file are read; yargs takes every word except `true` as false. */
import { UsageError } from '../../base/error.js';
import type { Setting } from '../../config/setting.js';

/**
 * Returns the command line with `true` or `false` as the value of each switch.
 *
 * @throws {UsageError} a switch has another value
 */
export function normalizeSwitches(
  given: readonly string[],
  settings: readonly Setting[],
): string[] {
  const switches = new Map(
    settings.filter(({ form }) => form === 'switch').map((setting) => [setting.name, setting]),
  );
  return given.map((argument) => {
    // yargs would read `--no-wait` as `--wait=false`
    if (argument.startsWith('--no-') && switches.has(argument.slice(2))) return `${argument}=true`;
    const [, name = '', word = ''] = /^--([a-z0-9-]+)=(.*)$/s.exec(argument) ?? [];
    const setting = switches.get(name);
    if (!setting) return argument;
    const result = setting.schema.safeParse(word);
    if (result.success) return `--${name}=${String(result.data)}`;
    throw new UsageError(`--${name} is ${JSON.stringify(word)}; allowed is ${setting.allowed}`);
  });
}
