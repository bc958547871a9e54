import { expect, it } from 'vitest';
import { folded } from '../../../src/evidence/readme-lines.js';

const words = (count: number): string => Array.from({ length: count }, () => 'word').join(' ');

it.each([
  ['a paragraph', `${words(20)}\n${words(3)}`, ''],
  ['an item', `- ${words(20)}\n  ${words(3)}`, '  '],
  ['a column', `  file.csv         ${words(16)}\n                   ${words(3)}`, ' '.repeat(19)],
])('README.txt folds %s that has a longer line, and loses no word', (_, text, margin) => {
  const lines = folded(`Title\n\n${text}\n\nend`).split('\n');
  expect(lines.every((line) => line.length <= 80)).toBe(true);
  expect(lines.join(' ').split(/\s+/)).toEqual(`Title ${text} end`.trim().split(/\s+/));
  expect(lines.slice(3, -2).every((line) => /^ */.exec(line)?.[0] === margin)).toBe(true);
});

it('README.txt keeps commands, and lines that are short', () => {
  const command = `  openssl ${'x'.repeat(90)} -split '  ', 2`;
  const text = `A short line\nof a paragraph.\n\n${command}\n\n  words  none\n  from   2026\n`;
  expect(folded(text)).toBe(text);
});
