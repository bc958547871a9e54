import { expect, it } from 'vitest';
import { normalizeArgv, wordOf } from '../../../../src/cli/parser/normalize-argv.js';
import { unknownVariables } from '../../../../src/cli/unknown-variables.js';

it('the words of a command line ask for the help of the command that stands behind help', () => {
  expect(normalizeArgv(['help', 'verify'])).toEqual(['verify', '--help']);
  expect(normalizeArgv(['help'])).toEqual(['--help']);
  expect(normalizeArgv(['verify', './help', '--json'])).toEqual(['verify', './help', '--json']);
});

it('the words of a command line are no options behind --, and stay what they are', () => {
  const words = normalizeArgv(['search', './a', '--', '-draft revenue', '--json', 'net', '-q']);
  expect(words.some((word) => word.startsWith('-'))).toBe(false);
  expect(words.map(wordOf)).toEqual(['search', './a', '-draft revenue', '--json', 'net', '-q']);
  expect(normalizeArgv(['status', './a', '--'])).toEqual(['status', './a']);
});

it('the words of a command line ask for a quiet log with -q and --quiet, alone before --', () => {
  expect(normalizeArgv(['status', '-q', './a'])).toEqual(['status', '--log-level=warn', './a']);
  expect(normalizeArgv(['status', './a', '--quiet'])).toContain('--log-level=warn');
});

it('what looks like a setting and is none is named with the nearest, and without values', async () => {
  const environment = { JOBVAULT_RAET: 's3cret', JOBVAULT_API_KEY: 'k', JOBVAULT_RATE: '5' };
  const found = await unknownVariables({ ...environment, HOME: '/', JOBVAULT_TEST_SEED: '1' });
  expect(found).toEqual([
    'the variable JOBVAULT_RAET is not a setting and is ignored; did you mean JOBVAULT_RATE?',
  ]);
});
