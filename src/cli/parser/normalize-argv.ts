/** Rewrites the command line where yargs would misread or ignore words. */

/** Stands before a word behind `--` that begins with a minus: no word of a command line can hold it. */
const NO_OPTION = '\0';

/**
 * Turns `help verify` into `verify --help`, `-q` or `--quiet` into `--log-level=warn`, and words behind `--` into words
 * that yargs takes for no options; `wordOf` gives them back.
 */
export function normalizeArgv(given: readonly string[]): readonly string[] {
  const end = given.indexOf('--');
  const options = (end === -1 ? given : given.slice(0, end)).map((word) =>
    word === '-q' || word === '--quiet' ? '--log-level=warn' : word,
  );
  const words = options[0] === 'help' ? [...options.slice(1), '--help'] : options;
  if (end === -1) return words;
  const behind = given.slice(end + 1);
  return [...words, ...behind.map((word) => (word.startsWith('-') ? NO_OPTION + word : word))];
}

/** A word as it was given. */
export function wordOf(normalized: string): string {
  return normalized.replaceAll(NO_OPTION, '');
}
