import { expect, it } from 'vitest';
import { fencedCode } from '../../../../src/model/markdown/fenced-code.js';

it('code in a fence is what stands between its first and its last line, as sent', () => {
  expect(fencedCode('```python\n  x = 1\n\n```\n')).toEqual({
    language: 'python',
    code: '  x = 1\n',
  });
  expect(fencedCode('~~~\na\n```\nb\n~~~~')).toEqual({ language: null, code: 'a\n```\nb' });
  expect(fencedCode('````md\n```js\nx\n```\n````')?.code).toBe('```js\nx\n```');
});

it('code that is only in part within a fence has none', () => {
  for (const text of [
    'x = 1',
    '```python\nx = 1',
    '```js\na\n```\nand\n```js\nb\n```',
    '```md\n```js\nx\n```\n```',
    'Look:\n```js\nx\n```',
    '```js\nx\n```\nDone',
    '"""\n```\nx\n```\n"""',
    '```',
    '',
  ]) {
    expect(fencedCode(text), text).toBeUndefined();
  }
});
