/** Says which variables look like settings and are none: a misspelt one would count for nothing in silence. */
import { ALL_SETTING_NAMES } from '../../config/all-settings.js';
import { nearest } from '../../base/nearest.js';
import { variableOf } from '../../config/resolve-settings.js';
import type { Terminal } from '../terminal.js';

/** Read as they are, not as settings. */
const OTHERS = ['JOBVAULT_API_KEY'];
/** Of the project's own tests. */
const TESTS = 'JOBVAULT_TEST_';

/** One sentence each; a variable's value is never told. */
export function unknownVariables(environment: Terminal['environment']): string[] {
  const known = [...ALL_SETTING_NAMES.map(variableOf), ...OTHERS];
  return Object.keys(environment)
    .filter((name) => name.startsWith('JOBVAULT_') && !name.startsWith(TESTS))
    .filter((name) => !known.includes(name))
    .map((name) => {
      const guess = nearest(name, known);
      return `the variable ${name} is no setting and counts for nothing${guess === undefined ? '' : `; did you mean ${guess}?`}`;
    });
}
