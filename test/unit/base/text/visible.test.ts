import { expect, it } from 'vitest';
import { visible, visibleJson, visibleLine } from '../../../../src/base/text/visible.js';
import { fault } from '../../../support/base/fault.js';

const STEERING = [
  '\u0000',
  '\u0007',
  '\b',
  '\u001b',
  '\u007f',
  '\u0085',
  '\u009b',
  '\u009d',
  '\u2028',
  '\u061c',
  '\u200e',
  '\u200f',
  '\u202a',
  '\u202e',
  '\u2066',
  '\u2069',
];

it.each(STEERING)('text for a terminal shows %j as an escape', fault('F-65'), (one) => {
  const escape = `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
  expect(visible(`a${one}b`)).toBe(`a${escape}b`);
});

it('a text keeps line ends and tabs, takes CR LF for one, and shows a CR that would overwrite', () => {
  expect(visible('a\tb\nc\r\nd\re')).toBe('a\tb\nc\nd\\u000de');
  expect(visibleLine('a \n\t b\r\nc\re')).toBe('a b c\\u000de');
});

it('text for a terminal keeps letters of every script and emoji that are joined', () => {
  const text = 'Ünïcode שלום العربية 日本 👩‍👩‍👧 e\u0301';
  expect(visible(text)).toBe(text);
});

it.each(STEERING)('text for a terminal is the same value in JSON, with %j escaped', (one) => {
  const json = visibleJson(JSON.stringify({ [one]: one, n: 1.5 }));
  expect(json).not.toContain(one);
  expect(JSON.parse(json)).toEqual({ [one]: one, n: 1.5 });
});
