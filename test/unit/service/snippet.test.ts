import { expect, it } from 'vitest';
import { redactText } from '../../../src/base/text/redact.js';
import { snippetOf } from '../../../src/service/snippet.js';
import { fault } from '../../support/base/fault.js';

const redact = (text: string): string => redactText(text, ['the-key']);

it('a snippet is one short line in quotation marks', fault('F-8'), () => {
  expect(snippetOf('<h1>Bad\r\n\tGateway</h1>\u001b[31m', redact)).toBe('“Bad Gateway [31m”');
  expect(snippetOf('x'.repeat(500), redact)).toBe(`“${'x'.repeat(120)}…”`);
  expect(Array.from(snippetOf('🙂'.repeat(500), redact))).toHaveLength(123);
});

it('a snippet is nothing of nothing', () => {
  expect(snippetOf('<br/> \n', redact)).toBe('');
});

it.each([
  'see https://files.example/a.csv?X-Amz-Signature=canary&x=1 now',
  '{"url":"https:\\/\\/files.example\\/a.csv?X-Amz-Signature=canary"}',
  '{"url":"https:\\u002f\\u002ffiles.example/a.csv\\u003fsig\\u003dcanary"}',
  '<a href="/a.csv?sig=canary&amp;x=canary">a</a>',
  'key the-key, and /login?next=%2F%3Fsig%3Dcanary',
  'https://me:canary@files.example/',
])('a snippet holds no secret of %j', fault('F-8'), (text) => {
  expect(snippetOf(text, redact)).not.toMatch(/canary|the-key/);
});

it('a snippet has no part of a secret that crosses its edge', () => {
  expect(snippetOf(`${'x'.repeat(116)}the-key-and-more`, redact)).toBe(`“${'x'.repeat(116)}***-…”`);
});
