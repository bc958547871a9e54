import { describe, expect, it } from 'vitest';
import { normalizeArgv } from '../../../../src/cli/input/normalize-argv.js';
import { unknownVariables } from '../../../../src/cli/input/unknown-variables.js';

describe('the words of a command line', () => {
  it('ask for the help of the command that stands behind help', () => {
    expect(normalizeArgv(['help', 'verify'])).toEqual(['verify', '--help']);
    expect(normalizeArgv(['help'])).toEqual(['--help']);
    expect(normalizeArgv(['verify', './help', '--json'])).toEqual(['verify', './help', '--json']);
  });

  it('are refused behind --, where they would count for nothing', () => {
    expect(() => normalizeArgv(['status', './a', '--', '--json'])).toThrow(
      'unexpected word "--json" after --; no command takes words there',
    );
    expect(normalizeArgv(['status', './a', '--'])).toEqual(['status', './a', '--']);
  });
});

describe('variables that look like settings', () => {
  it('are named where they are none, with the nearest that is, and without their values', () => {
    const environment = { JOBVAULT_RAET: 's3cret', JOBVAULT_API_KEY: 'k', JOBVAULT_RATE: '5' };
    expect(unknownVariables({ ...environment, HOME: '/', JOBVAULT_TEST_SEED: '1' })).toEqual([
      'the variable JOBVAULT_RAET is not a setting and is ignored; did you mean JOBVAULT_RATE?',
    ]);
  });
});
