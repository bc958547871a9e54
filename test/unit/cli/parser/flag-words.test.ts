import { expect, it } from 'vitest';
import { flagWords } from '../../../../src/cli/parser/flag-words.js';

const SETTINGS = [
  { name: 'ping-url', form: 'value' },
  { name: 'dry-run', form: 'switch' },
] as const;

it.each([
  [['--ping-url', 'http://a', '--usr', 'ada'], { 'ping-url': 'http://a' }],
  [['--ping-url=http://a=b'], { 'ping-url': 'http://a=b' }],
  [['--ping-url', 'http://a', '--ping-url', 'http://b'], { 'ping-url': 'http://b' }],
  [['--ping-url', '--dry-run'], { 'dry-run': 'true' }],
  [['--dry-run=false'], { 'dry-run': 'false' }],
  [['--ping-urls', 'http://a'], {}],
])('of %j the flags are %j', (words, flags) => {
  expect(flagWords(words, SETTINGS)).toEqual(flags);
});
