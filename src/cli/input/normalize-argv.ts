/** The command line before yargs reads it: what it would take otherwise than it was meant, or pass over. */
import { UsageError } from '../../base/usage-error.js';

/**
 * `help verify` becomes `verify --help`; a word behind `--`, which no command takes, is refused.
 *
 * @throws {UsageError}
 */
export function normalizeArgv(given: readonly string[]): readonly string[] {
  const end = given.indexOf('--');
  const beyond = end === -1 ? undefined : given[end + 1];
  if (beyond !== undefined) {
    throw new UsageError(`unexpected word "${beyond}" behind --; allowed is nothing`);
  }
  const [first, ...rest] = given;
  return first === 'help' ? [...rest, '--help'] : given;
}
