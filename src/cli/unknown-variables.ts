/** Warns about variables named like settings that are none: a misspelt one would be ignored silently. */
import { variableOf } from '../config/resolve-settings.js';
import type { Terminal } from './output/terminal.js';
import { nearest } from '../base/text/short-texts.js';

/** Variables that are no settings. */
const OTHERS = ['JOBVAULT_API_KEY'];
/** Variables of the project's own tests. */
const TESTS = 'JOBVAULT_TEST_';

/** One sentence for each variable, without its value. The settings of all commands are loaded only where there is one to look up. */
export async function unknownVariables(
  environment: Readonly<Terminal['environment']>,
): Promise<string[]> {
  const given = Object.keys(environment).filter(
    (name) => name.startsWith('JOBVAULT_') && !name.startsWith(TESTS) && !OTHERS.includes(name),
  );
  if (given.length === 0) return [];
  const { ALL_SETTING_NAMES } = await import('../config/all-settings.js');
  const known = [...ALL_SETTING_NAMES.map(variableOf), ...OTHERS];
  return given
    .filter((name) => !known.includes(name))
    .map((name) => {
      const guess = nearest(name, known);
      return `the variable ${name} is not a setting and is ignored${guess === undefined ? '' : `; did you mean ${guess}?`}`;
    });
}
