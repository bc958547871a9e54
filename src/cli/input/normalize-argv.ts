/** Rewrites the command line where yargs would misread or ignore words. */
import { UsageError } from '../../base/usage-error.js';

/**
 * Turns `help verify` into `verify --help`, and refuses words behind `--`, which no command takes.
 *
 * @throws {UsageError}
 */
export function normalizeArgv(given: readonly string[]): readonly string[] {
  const end = given.indexOf('--');
  const beyond = end === -1 ? undefined : given[end + 1];
  if (beyond !== undefined) {
    throw new UsageError(`unexpected word "${beyond}" after --; no command takes words there`);
  }
  const [first, ...rest] = given;
  return first === 'help' ? [...rest, '--help'] : given;
}
