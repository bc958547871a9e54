/** Reads flags from a command line that yargs has refused. */
import { type Setting } from '../../config/setting.js';

/** `--name value`, `--name=value` and, of a switch, `--name`; the last one counts. */
export function flagWords(
  given: readonly string[],
  settings: readonly Pick<Setting, 'name' | 'form'>[],
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, form } of settings) {
    given.forEach((word, index) => {
      const next = given[index + 1];
      if (word.startsWith(`--${name}=`)) found[name] = word.slice(name.length + 3);
      else if (word !== `--${name}`) return;
      else if (form === 'switch') found[name] = 'true';
      else if (next !== undefined && !next.startsWith('--')) found[name] = next;
    });
  }
  return found;
}
