/** Warns about variables named like settings that are none: a misspelt one would be ignored silently. */
import { ALL_SETTING_NAMES } from '../config/all-settings.js';
import { variableOf } from '../config/resolve-settings.js';
import type { Terminal } from './output/terminal.js';
import { nearest } from '../base/text/short-texts.js';

/** Variables that are no settings. */
const OTHERS = ['JOBVAULT_API_KEY'];
/** Variables of the project's own tests. */
const TESTS = 'JOBVAULT_TEST_';

/** One sentence for each variable, without its value. */
export function unknownVariables(environment: Readonly<Terminal['environment']>): string[] {
  const known = [...ALL_SETTING_NAMES.map(variableOf), ...OTHERS];
  return Object.keys(environment)
    .filter((name) => name.startsWith('JOBVAULT_') && !name.startsWith(TESTS))
    .filter((name) => !known.includes(name))
    .map((name) => {
      const guess = nearest(name, known);
      return `the variable ${name} is not a setting and is ignored${guess === undefined ? '' : `; did you mean ${guess}?`}`;
    });
}
